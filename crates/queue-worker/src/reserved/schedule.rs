//! One wake-up of a schedule: the ticks that are due are enqueued in the very step in which it
//! snoozes until the next one.

use super::{ReservedJob, ReservedOutcome, made_jobs, put_back};
use queue_core::{
    Detail, Failure, JobId, JobMeta, Payload, Result, Stamped, State, Storage, StorageExt,
    lifecycle::{Cause, Event, OnProcessing, Policy},
};
use queue_schedule::{CallRoom, Firing, FiringContext, Progress, ScheduleError, ScheduleSpec};

/// The bytes of a settle beside the jobs that follow: the progress, which is two numbers.
const PROGRESS_BYTES_MAX: usize = 256;

pub(super) async fn wake(store: &dyn Storage, job: ReservedJob<'_>) -> Result<ReservedOutcome> {
    let (spec, progress) = match read(job) {
        Ok(read) => read,
        Err(error) => return Ok(unusable(job, &error)),
    };
    let previous = match spec.previous(progress) {
        Ok(previous) => previous,
        Err(error) => return Ok(unusable(job, &error)),
    };
    let Stamped { now, clock, value: previous } = look(store, job.meta, previous).await?;
    let room = CallRoom::beside(&store.capabilities().limits, 1, PROGRESS_BYTES_MAX);
    let mut firing = match spec.fire(&FiringContext { progress, previous, now, clock, room }) {
        Ok(firing) => firing,
        Err(error) => return Ok(unusable(job, &error)),
    };
    if let Some(previous) = &firing.cancel {
        let event = Event::Cancel { processing: OnProcessing::Request };
        store.change(&job.meta.queue, previous, event, &Policy::default()).await?;
    }
    made_jobs::trace_ticks(job.meta, &mut firing.jobs);
    firing.log(&job.meta.id);
    let (ticks_skipped, ahead) = (firing.skipped, firing.ahead);
    Ok(ReservedOutcome { ticks_skipped, ahead, ..settled(job, firing).into() })
}

fn read(job: ReservedJob<'_>) -> std::result::Result<(ScheduleSpec, Option<Progress>), ScheduleError> {
    let spec = ScheduleSpec::from_bytes(&job.payload.bytes)?;
    let progress = job.meta.progress().map(Progress::from_bytes).transpose()?;
    Ok((spec, progress))
}

/// Reads the state of the job of the tick before, and the store's clock, by which alone a calendar
/// goes.
async fn look(store: &dyn Storage, job: &JobMeta, previous: Option<JobId>) -> Result<Stamped<Option<State>>> {
    let id = previous.unwrap_or_else(|| job.id.clone());
    let read = store.get(&job.queue, std::slice::from_ref(&id), Detail::Meta).await?;
    let Stamped { now, clock, value } = read;
    let of_a_tick = value.into_iter().flatten().map(|record| record.meta).find(|meta| meta.id != job.id);
    Ok(Stamped { now, clock, value: of_a_tick.map(|meta| meta.state) })
}

fn settled(job: ReservedJob<'_>, firing: Firing) -> Event {
    let (token, then) = (job.token, firing.jobs);
    let progress = firing.progress.to_bytes();
    if let Some(delay) = firing.sleep {
        return Event::Snooze { token, delay, progress: Some(progress.into()), then };
    }
    let result = Payload::new(progress, job.payload.content_type.clone());
    Event::Complete { token, result, retention: None, then }
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
