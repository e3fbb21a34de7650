//! One wake-up of a batch: what is enqueued, and what it waits for next.
//!
//! Each wake-up has one settle, and the callbacks follow it: a runner that dies before it has done
//! nothing, and one that dies after it has done all.

use super::{
    BatchCounts, BatchLife, BatchProgress, BatchSpec, BatchSpecError, CallbackMoment, EndedBatch, HaltSpec,
    operation::is_over, spec::json,
};
use crate::reserved::{ReservedJob, ReservedOutcome, put_back};
use queue_core::{
    Detail, Failure, Gate, JobMeta, NewJob, Payload, Result, Span, Stamped, Storage, StorageExt, Timestamp,
    lifecycle::{Cause, Event, Policy},
};

/// The callback for the first failure is claimed before members that wait, or it would come with
/// the others.
const AT_ONCE: i16 = i16::MIN;

/// A coordinator that woke up, and what was read of its batch in one read.
struct Wake<'a> {
    store: &'a dyn Storage,
    job: ReservedJob<'a>,
    life: BatchLife,
    spec: BatchSpec,
    progress: BatchProgress,
    gate: Gate,
    halt: Option<JobMeta>,
    now: Timestamp,
}

/// Does what is due of a batch, and answers how to settle its coordinator.
///
/// # Errors
/// The errors of the store that another try may get past.
pub(crate) async fn wake(store: &dyn Storage, job: ReservedJob<'_>) -> Result<ReservedOutcome> {
    let Some(life) = BatchLife::of(job.meta) else {
        return Ok(put_back(job, "its id is not that of a batch"));
    };
    let (spec, progress) = match read(job) {
        Ok(read) => read,
        Err(error @ BatchSpecError::Unreadable { .. }) => return Ok(failed(job, &error.to_string()).into()),
        Err(error) => return Ok(put_back(job, error.to_string())),
    };
    let ids = [job.meta.id.clone(), life.halt()];
    let Stamped { now, value, .. } = store.get(&job.meta.queue, &ids, Detail::Meta).await?;
    let [coordinator, halt] = two(value.into_iter().map(|record| record.map(|record| record.meta)));
    let halt = BatchLife::halt_in(halt);
    // Another runner has it, or it was removed: the settle will say so.
    let Some(coordinator) = coordinator.filter(|now| now.seq == job.meta.seq) else {
        return Ok(Event::release(job.token).into());
    };
    let Some(gate) = coordinator.gate.map(|gate| *gate) else {
        return Ok(put_back(job, "it has no gate"));
    };
    let wake = Wake { store, job, life, spec, progress, gate, halt, now };
    Ok(wake.event().await?.into())
}

fn read(job: ReservedJob<'_>) -> std::result::Result<(BatchSpec, BatchProgress), BatchSpecError> {
    let spec = BatchSpec::from_bytes(&job.payload.bytes)?;
    let progress = job.meta.progress().map(BatchProgress::from_bytes).transpose()?;
    Ok((spec, progress.unwrap_or_default()))
}

/// The two answers to a read of two ids.
pub(super) fn two<T>(mut answers: impl Iterator<Item = Option<T>>) -> [Option<T>; 2] {
    let mut next = || answers.next().flatten();
    [next(), next()]
}

impl Wake<'_> {
    async fn event(self) -> Result<Event> {
        match self.progress.end {
            None if self.gate.is_complete() => self.ends().await,
            None if self.now >= self.deadline() => self.times_out().await,
            None => self.waits_on().await,
            Some(_) if self.progress.is_sweeping => self.sweeps().await,
            Some(_) if self.gate.is_complete() => self.begins_to_sweep().await,
            // Someone promoted it.
            Some(_) => Ok(self.suspended(self.progress, false, None, Vec::new())),
        }
    }

    fn deadline(&self) -> Timestamp {
        self.job.meta.created_at + self.spec.timeout()
    }

    /// The batch is over, and so are its members.
    async fn ends(self) -> Result<Event> {
        let end = self.end_of(false);
        let mut then = self.callbacks(&end, &self.moments(&end)).await?;
        then.push(self.sweep().await?);
        let progress = BatchProgress { is_sweeping: true, ..self.ended(end) };
        Ok(self.sleeps(progress, then))
    }

    /// The batch is over, and members are not.
    async fn times_out(self) -> Result<Event> {
        let end = self.end_of(true);
        let mut then = self.callbacks(&end, &self.moments(&end)).await?;
        if self.spec.on_timeout == super::OnTimeout::Cancel {
            then.push(HaltSpec::of(&self.life).job(&self.life));
        }
        let progress = self.ended(end);
        Ok(self.suspended(progress, true, None, then))
    }

    /// The batch goes on: a member has failed, or someone promoted it.
    async fn waits_on(self) -> Result<Event> {
        let end = self.end_of(false);
        let progress = BatchProgress { end: None, ..self.ended(end) };
        let is_first = self.has_first_failure(&end);
        let moments = if is_first { &[CallbackMoment::FirstFailure][..] } else { &[] };
        let then = self.callbacks(&end, moments).await?;
        let timeout = Span::at_most(self.deadline().since(self.now));
        Ok(self.suspended(progress, false, Some(timeout), then))
    }

    /// All members of a batch that timed out have ended.
    async fn begins_to_sweep(self) -> Result<Event> {
        let then = vec![self.sweep().await?];
        let progress = BatchProgress { is_sweeping: true, ..self.progress };
        Ok(self.sleeps(progress, then))
    }

    /// The operation on the members' records runs, or is over.
    async fn sweeps(self) -> Result<Event> {
        let queue = &self.job.meta.queue;
        if !is_over(self.store, queue, &self.life.sweep()).await? {
            return Ok(self.sleeps(self.progress, Vec::new()));
        }
        let kept = self.spec.coordinator_kept();
        // Its record has no tag, so that the operation leaves it alone.
        if let Some(halt) = self.halt.as_ref().filter(|halt| halt.state.is_terminal()) {
            self.store.settle(halt, Event::SetRetention(kept), &Policy::default()).await?;
        }
        let end = self.progress.end.map(|end| serde_json::to_vec(&end).expect("numbers are JSON"));
        let result = Payload::new(end.unwrap_or_default(), json());
        Ok(Event::Complete { token: self.job.token, result, retention: Some(kept), then: Vec::new() })
    }

    fn end_of(&self, timed_out: bool) -> EndedBatch {
        EndedBatch {
            counts: BatchCounts::of(&self.gate, self.halt.as_ref()),
            timed_out,
            was_cancelled: self.halt.is_some(),
            at_ms: self.now.as_millis(),
        }
    }

    /// What is noted at an end, with the first failure if its callback follows now.
    fn ended(&self, end: EndedBatch) -> BatchProgress {
        let first = self.has_first_failure(&end).then_some(self.now.as_millis());
        let first_failure_ms = self.progress.first_failure_ms.or(first);
        BatchProgress { first_failure_ms, end: Some(end), ..self.progress }
    }

    fn has_first_failure(&self, end: &EndedBatch) -> bool {
        self.progress.first_failure_ms.is_none() && self.spec.is_urgent() && end.counts.not_completed() > 0
    }

    /// The callbacks at an end. The first failure is among them if it came with the last member.
    fn moments(&self, end: &EndedBatch) -> Vec<CallbackMoment> {
        let first = self.has_first_failure(end).then_some(CallbackMoment::FirstFailure);
        first.into_iter().chain([CallbackMoment::End, end.outcome()]).collect()
    }

    /// The callbacks of these moments that follow the settle. One in another queue is enqueued
    /// before, under an id that makes a repeat a duplicate.
    async fn callbacks(&self, end: &EndedBatch, moments: &[CallbackMoment]) -> Result<Vec<NewJob>> {
        let mut then = Vec::new();
        for moment in moments {
            let Some(callback) = self.spec.callback(*moment) else { continue };
            let id = self.life.callback(*moment);
            let Some(job) = callback.job(id, self.life.name().as_str(), end) else { continue };
            let job = if *moment == CallbackMoment::FirstFailure { job.with_priority(AT_ONCE) } else { job };
            match callback.other_queue(&self.job.meta.queue) {
                Some(other) => drop(self.store.enqueue(&other, vec![vec![job]]).await?),
                None => then.push(job),
            }
        }
        Ok(then)
    }

    async fn sweep(&self) -> Result<NewJob> {
        self.life.sweep_job(self.store, &self.job.meta.queue, self.spec.keep()).await
    }

    /// Sleeps with its gate complete, so that nothing can be added any more.
    fn sleeps(&self, progress: BatchProgress, then: Vec<NewJob>) -> Event {
        let progress = Some(progress.to_bytes().into());
        Event::Snooze { token: self.job.token, delay: super::LOOK, progress, then }
    }

    /// Waits behind the gate. Failures wake it only until the first of them was dealt with.
    fn suspended(
        &self,
        progress: BatchProgress,
        seals: bool,
        timeout: Option<Span>,
        then: Vec<NewJob>,
    ) -> Event {
        let heeds_urgent =
            self.spec.is_urgent() && progress.first_failure_ms.is_none() && progress.end.is_none();
        Event::Suspend {
            token: self.job.token,
            needs: None,
            seals,
            heeds_urgent,
            timeout,
            progress: Some(progress.to_bytes().into()),
            then,
        }
    }
}

/// Bytes that are a batch of no version fail, so that a person looks at them.
fn failed(job: ReservedJob<'_>, reason: &str) -> Event {
    let failure = Failure::new("Batch", reason);
    let token = job.token;
    Event::Fail { token, failure, cause: Cause::Terminal, delay: None, retention: None, then: Vec::new() }
}
