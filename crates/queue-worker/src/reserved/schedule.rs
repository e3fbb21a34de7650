//! One wake-up of a schedule: the ticks that are due are enqueued in the very step in which it
//! snoozes until the next one.

use super::{ReservedJob, ReservedOutcome, made_jobs, put_back};
use queue_core::{
    Detail, Failure, JobId, JobMeta, NewJob, Payload, Result, Span, Stamped, Storage, StorageExt, Timestamp,
    lifecycle::{Cause, Event, OnRunning, Policy},
};
use queue_schedule::{Due, Overlap, Progress, ScheduleError, ScheduleSpec, TICKS_MAX};

/// Store time that leads its clock runs at 63/64 of it, so that a wait by store time takes longer
/// by one part in 63.
const SLOW_PART: i64 = 64;

pub(super) async fn wake(store: &dyn Storage, job: ReservedJob<'_>) -> Result<ReservedOutcome> {
    let (spec, progress) = match read(job) {
        Ok(read) => read,
        Err(error) => return Ok(unusable(job, &error)),
    };
    let previous = match spec.standing(progress).ran.map(|tick| spec.tick_id(tick)).transpose() {
        Ok(previous) => previous,
        Err(error) => return Ok(unusable(job, &error)),
    };
    let seen = look(store, job.meta, previous).await?;
    let mut due = spec.due_at_most(ticks_max(store, job.payload), progress, seen.clock);
    let found = due.run.len();
    overlap(store, &spec, &mut due, seen.value.as_ref()).await?;
    due.progress.ran = due.run.last().copied().or(spec.standing(progress).ran);
    let ticks_skipped = due.skipped + (found - due.run.len());
    let jobs: std::result::Result<Vec<NewJob>, _> = due.run.iter().map(|tick| spec.tick_job(*tick)).collect();
    Ok(match jobs {
        Ok(mut then) => {
            made_jobs::trace(job.meta, &mut then);
            let event = settled(job, &due, then, (seen.now, seen.clock));
            ReservedOutcome { ticks_skipped, ..event.into() }
        }
        Err(error) => unusable(job, &error),
    })
}

fn read(job: ReservedJob<'_>) -> std::result::Result<(ScheduleSpec, Option<Progress>), ScheduleError> {
    let spec = ScheduleSpec::from_bytes(&job.payload.bytes)?;
    let progress = job.meta.progress().map(Progress::from_bytes).transpose()?;
    Ok((spec, progress))
}

/// Reads the job of the tick before, and the store's clock, by which alone a calendar goes.
async fn look(
    store: &dyn Storage,
    job: &JobMeta,
    previous: Option<JobId>,
) -> Result<Stamped<Option<JobMeta>>> {
    let id = previous.unwrap_or_else(|| job.id.clone());
    let read = store.get(&job.queue, std::slice::from_ref(&id), Detail::Meta).await?;
    let Stamped { now, clock, value } = read;
    let of_a_tick = value.into_iter().flatten().map(|record| record.meta).find(|meta| meta.id != job.id);
    Ok(Stamped { now, clock, value: of_a_tick })
}

/// The most ticks that one call of this store takes beside the schedule itself.
fn ticks_max(store: &dyn Storage, payload: &Payload) -> usize {
    let limits = store.capabilities().limits;
    let by_bytes = limits.call_bytes_max / payload.bytes.len().max(1);
    TICKS_MAX.min(limits.batch_max.saturating_sub(1)).min(by_bytes).max(1)
}

/// Leaves out due ticks that must not overlap with the tick before or with each other.
async fn overlap(
    store: &dyn Storage,
    spec: &ScheduleSpec,
    due: &mut Due,
    previous: Option<&JobMeta>,
) -> Result<()> {
    let running = previous.filter(|previous| !previous.state.is_terminal());
    match spec.overlap {
        Overlap::Skip if running.is_some() => due.run.clear(),
        // The job of the first tick has not ended when this step enqueues the others.
        Overlap::Skip => due.run.truncate(1),
        Overlap::CancelPrevious if !due.run.is_empty() => {
            // Each due tick but the newest would be cancelled by the one after it.
            due.run.drain(..due.run.len() - 1);
            if let Some(previous) = running {
                let event = Event::Cancel { running: OnRunning::Request };
                store.change(&previous.queue, &previous.id, event, &Policy::default()).await?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn settled(
    job: ReservedJob<'_>,
    due: &Due,
    then: Vec<NewJob>,
    (now, clock): (Timestamp, Timestamp),
) -> Event {
    let token = job.token;
    let progress = due.progress.to_bytes();
    if let Some(wait) = due.wait {
        let delay = by_store_time(wait, now, clock);
        return Event::Snooze { token, delay, progress: Some(progress.into()), then };
    }
    let result = Payload::new(progress, job.payload.content_type.clone());
    Event::Complete { token, result, retention: None, then }
}

/// Makes a wait rather too short than too long: a schedule that wakes early finds no tick due, and
/// sleeps for the rest.
fn by_store_time(wait: Span, now: Timestamp, clock: Timestamp) -> Span {
    if now <= clock { wait } else { Span::from_millis(wait.as_millis() - wait.as_millis() / SLOW_PART) }
}

/// Bytes that are a schedule of no version fail, so that a person looks at them. What this program
/// cannot read otherwise is left to another.
fn unusable(job: ReservedJob<'_>, error: &ScheduleError) -> ReservedOutcome {
    if !matches!(error, ScheduleError::Unreadable { .. }) {
        return put_back(job, error.to_string());
    }
    let failure = Failure::new("Schedule", error.to_string());
    let (token, cause) = (job.token, Cause::Terminal);
    Event::Fail { token, failure, cause, delay: None, retention: None, then: Vec::new() }.into()
}
