//! The job that cancels the members of a batch. It is a member itself, so the batch cannot end
//! before it does.

use super::{
    BatchLife, BatchName, HALT_KIND, LOOK, coordinator::two, counts::has_signalled,
    operation::cancel_operation, spec::json,
};
use crate::reserved::{ReservedJob, ReservedOutcome, put_back};
use queue_core::{
    Budget, Detail, EndSignal, JobMeta, Kind, NewJob, Payload, Result, Seq, Span, Storage, StorageExt,
    lifecycle::{Event, Policy},
};
use serde::{Deserialize, Serialize};

/// The layout that this library writes.
const HALT_VERSION: u32 = 1;
/// The longest sleep between two operations, as a power of two in seconds.
const SLEEP_DOUBLINGS_MAX: u32 = 5;
/// How often a coordinator is read in one wake-up: before and after its seal.
const READS_MAX: usize = 2;

/// Which batch is cancelled: the payload of the job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HaltSpec {
    version: u32,
    batch: String,
    seq: u64,
}

/// How many operations were begun, and how many members the batch had at the last one; stored as
/// the progress of the job.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct HaltProgress {
    rounds: u32,
    needs: u64,
    /// How many rounds in a row met no new member.
    idle: u32,
}

impl HaltSpec {
    /// The cancel of one life of a batch.
    pub fn of(life: &BatchLife) -> Self {
        Self { version: HALT_VERSION, batch: life.name().to_string(), seq: life.seq().get() }
    }

    /// The job, which raises the coordinator. However it ends, it counts as completed.
    ///
    /// # Panics
    /// Never: names and numbers always serialize.
    pub fn job(&self, life: &BatchLife) -> NewJob {
        let bytes = serde_json::to_vec(self).expect("names and numbers are JSON");
        let signal = EndSignal { tolerant: true, ..life.signal(false) };
        NewJob::new(life.halt(), Kind::from_static(HALT_KIND), Payload::new(bytes, json()))
            .with_end_signals([signal])
            .with_priority(i16::MIN)
            .with_max_attempts(Budget::Unlimited)
            .with_max_stalls(Budget::Unlimited)
    }

    /// Reads the payload of the job.
    ///
    /// # Errors
    /// Why this version cannot read it.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        let spec: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if spec.version > HALT_VERSION {
            return Err(format!("it has layout version {}", spec.version));
        }
        spec.life()?;
        Ok(spec)
    }

    fn life(&self) -> std::result::Result<BatchLife, String> {
        let name = BatchName::new(&self.batch).map_err(|error| error.to_string())?;
        Ok(BatchLife::new(name, Seq::new(self.seq)))
    }
}

/// Seals the batch and cancels its members, time and again until none but this job is unfinished.
///
/// # Errors
/// The errors of the store that another try may get past.
pub(crate) async fn advance(store: &dyn Storage, job: ReservedJob<'_>) -> Result<ReservedOutcome> {
    let read = HaltSpec::from_bytes(&job.payload.bytes).and_then(|spec| Ok((spec.life()?, progress(job)?)));
    let (life, progress) = match read {
        Ok(read) => read,
        Err(reason) => return Ok(put_back(job, reason)),
    };
    for _ in 0..READS_MAX {
        let ids = [life.coordinator(), life.halt_round(progress.rounds)];
        let found = store.get(&job.meta.queue, &ids, Detail::Meta).await?.value;
        let [coordinator, round] = two(found.into_iter().map(|record| record.map(|record| record.meta)));
        let Some(coordinator) = coordinator.filter(|job| life.is(job) && !job.state.is_terminal()) else {
            // It was abandoned, so that its members go on.
            return Ok(completed(job).into());
        };
        let Some(gate) = coordinator.gate.as_deref().copied() else { return Ok(completed(job).into()) };
        if !gate.is_sealed {
            // What joined before the seal is seen by the read after it.
            store.settle(&coordinator, Event::Seal, &Policy::default()).await?;
            continue;
        }
        let own = u64::from(!has_signalled(job.meta));
        let unfinished = gate.needs.saturating_sub(gate.signals).saturating_sub(own);
        if unfinished == 0 {
            return Ok(completed(job).into());
        }
        let runs = round.is_some_and(|round: JobMeta| !round.state.is_terminal());
        let event = if runs {
            sleeps(job, progress, LOOK, Vec::new())
        } else {
            next_round(store, job, &life, progress, gate.needs).await?
        };
        return Ok(event.into());
    }
    // The seal was overtaken each time.
    Ok(sleeps(job, progress, LOOK, Vec::new()).into())
}

fn progress(job: ReservedJob<'_>) -> std::result::Result<HaltProgress, String> {
    let stored = job.meta.progress().map(serde_json::from_slice).transpose();
    Ok(stored.map_err(|error| error.to_string())?.unwrap_or_default())
}

/// Begins a further operation in the very settle that puts the job to sleep, so that each round is
/// begun once. Rounds that meet no new member come less and less often: what they wait for is a
/// member that was asked to stop.
async fn next_round(
    store: &dyn Storage,
    job: ReservedJob<'_>,
    life: &BatchLife,
    before: HaltProgress,
    needs: u64,
) -> Result<Event> {
    let rounds = before.rounds.saturating_add(1);
    let idle = if needs > before.needs { 0 } else { before.idle.saturating_add(1) };
    let operation = cancel_operation(store, &job.meta.queue, &life.tag(), life.halt_round(rounds)).await?;
    let delay = Span::from_millis(LOOK.as_millis() << idle.min(SLEEP_DOUBLINGS_MAX));
    Ok(sleeps(job, HaltProgress { rounds, needs, idle }, delay, vec![operation]))
}

fn sleeps(job: ReservedJob<'_>, progress: HaltProgress, delay: Span, then: Vec<NewJob>) -> Event {
    let progress = serde_json::to_vec(&progress).expect("numbers are JSON");
    Event::Snooze { token: job.token, delay, progress: Some(progress.into()), then }
}

fn completed(job: ReservedJob<'_>) -> Event {
    let result = Payload::new("null", json());
    Event::Complete { token: job.token, result, retention: None, then: Vec::new() }
}
