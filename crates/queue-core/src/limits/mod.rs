//! What a store accepts, and the checks of it.

mod gates;

use crate::{
    Error, ErrorKind, NewJob, OnWaiting, Result, Span,
    lifecycle::{Patch, Transition},
};
use gates::{check_end_signals, check_gate};

/// The sizes that a store accepts, and whether it takes gates and partitions. All of them are
/// checked before anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest payload and largest result, in bytes. Default 1 MiB.
    pub payload_bytes_max: usize,
    /// Largest progress report and largest error details, in bytes. Default 16 KiB.
    pub note_bytes_max: usize,
    /// Most jobs or transitions in one call. Default 10,000.
    pub batch_max: usize,
    /// Most bytes of payloads, results and notes in one call together. Default 256 MiB.
    pub call_bytes_max: usize,
    /// Most bytes of bodies in the answer of one `get` or `enqueue`, but at least one body. Bodies
    /// that do not fit are left out, and the caller asks for them again. See
    /// [`AnswerRoom`](crate::AnswerRoom). Default 16 MiB.
    pub answer_bytes_max: usize,
    /// Whether jobs may have gates and end signals. This is what the store can do, so it sets it
    /// itself, by [`Capabilities::with_gates`](crate::Capabilities::with_gates), and not by an
    /// option. Default false.
    pub gates: bool,
    /// Whether jobs may have [partitions](crate::Partition), and queues [limits](crate::Limit).
    /// The store sets it itself, by
    /// [`Capabilities::with_partitions`](crate::Capabilities::with_partitions). Default false.
    pub partitions: bool,
}

/// The bytes of the payloads of jobs, and of their headers.
pub fn payload_bytes(jobs: &[NewJob]) -> usize {
    jobs.iter().map(|job| job.payload.bytes.len() + job.headers.bytes()).sum()
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            payload_bytes_max: 1 << 20,
            note_bytes_max: 16 << 10,
            batch_max: 10_000,
            call_bytes_max: 256 << 20,
            answer_bytes_max: 16 << 20,
            gates: false,
            partitions: false,
        }
    }
}

impl Limits {
    /// Refuses an enqueue that is too large.
    pub fn check_enqueue(&self, groups: &[Vec<NewJob>]) -> Result<()> {
        self.check_batch("enqueue", groups.iter().map(Vec::len).sum())?;
        self.check_call("enqueue", groups.iter().map(|group| payload_bytes(group)).sum())?;
        groups.iter().flatten().try_for_each(|job| self.check_job("enqueue", job))
    }

    /// Refuses a batch of transitions that is too large in any part.
    pub fn check_apply(&self, batch: &[Transition]) -> Result<()> {
        self.check_batch("apply", batch.iter().map(Transition::weight).sum())?;
        self.check_call("apply", batch.iter().map(Transition::large_bytes).sum())?;
        batch.iter().try_for_each(|transition| self.check_transition(transition))
    }

    /// Refuses one transition that is too large in any part.
    pub fn check_transition(&self, transition: &Transition) -> Result<()> {
        if !transition.then.is_empty() && transition.guard.proof.is_repeatable() {
            return Err(Error::invalid("apply", "a heartbeat may be sent twice, so no job can follow it"));
        }
        transition.then.iter().try_for_each(|job| self.check_job("apply", job))?;
        if transition.patch.is_of_gate() || transition.signal.is_some() {
            self.check_gates("apply")?;
        }
        match &transition.patch {
            Patch::Finish(finish) => {
                let details = finish.error.as_ref().and_then(|error| error.details());
                self.check_note("error details", details.map_or(0, bytes::Bytes::len))?;
                self.check_payload(
                    "apply",
                    "result",
                    finish.result.as_ref().map_or(0, |result| result.bytes.len()),
                )
            }
            Patch::Requeue(requeue) => {
                let details = requeue.error.as_ref().and_then(|error| error.details());
                self.check_note("error details", details.map_or(0, bytes::Bytes::len))?;
                self.check_note("progress", requeue.progress.as_ref().map_or(0, bytes::Bytes::len))
            }
            Patch::Extend { progress, .. } => {
                self.check_note("progress", progress.as_ref().map_or(0, bytes::Bytes::len))
            }
            Patch::Amend(to) => self.check_payload("apply", "payload", to.payload_bytes()),
            Patch::Remove | Patch::Flag(_) | Patch::Retain(_) | Patch::Seal => Ok(()),
        }
    }

    /// Refuses more items than one call may have.
    pub fn check_batch(&self, operation: &'static str, items: usize) -> Result<()> {
        if items <= self.batch_max {
            return Ok(());
        }
        let most = self.batch_max;
        Err(Error::invalid(operation, format!("at most {most} jobs fit one call, not {items}; send several")))
    }

    fn check_call(&self, operation: &'static str, bytes: usize) -> Result<()> {
        if bytes <= self.call_bytes_max {
            return Ok(());
        }
        let message =
            format!("at most {} bytes fit one call, not {bytes}; send several", self.call_bytes_max);
        Err(Error::invalid(operation, message))
    }

    fn check_job(&self, operation: &'static str, job: &NewJob) -> Result<()> {
        self.check_payload(operation, "payload", job.payload.bytes.len())?;
        check_times(operation, job)?;
        if job.has_gates() {
            self.check_gates(operation)?;
            check_gate(operation, job)?;
            check_end_signals(operation, job)?;
        }
        if job.partition.is_some() { self.check_partitions(operation) } else { Ok(()) }
    }

    fn check_gates(&self, operation: &'static str) -> Result<()> {
        if self.gates {
            return Ok(());
        }
        let message = "this store has no gates, so its jobs can have neither a gate nor end signals";
        Err(Error::new(ErrorKind::Unsupported, operation, message))
    }

    /// Refuses partitions and limits, unless the store has them.
    ///
    /// # Errors
    /// `Unsupported`.
    pub fn check_partitions(&self, operation: &'static str) -> Result<()> {
        if self.partitions {
            return Ok(());
        }
        let message = "this store has no partitions, so its jobs can have none, and its queues no limits";
        Err(Error::new(ErrorKind::Unsupported, operation, message))
    }

    fn check_payload(&self, operation: &'static str, what: &str, bytes: usize) -> Result<()> {
        check_bytes(operation, what, bytes, self.payload_bytes_max)
    }

    fn check_note(&self, what: &str, bytes: usize) -> Result<()> {
        check_bytes("apply", what, bytes, self.note_bytes_max)
    }
}

/// A job that expires before it may be claimed would never run, and a handler without time could do
/// nothing.
fn check_times(operation: &'static str, job: &NewJob) -> Result<()> {
    if job.terms.time_limit == Some(Span::ZERO) {
        return Err(Error::invalid(operation, "the time limit of a job must be longer than zero"));
    }
    if job.expires_in.is_some() && job.on_waiting != OnWaiting::Block {
        let message =
            "a job that may replace a waiting one cannot expire: its time is counted from the first of them";
        return Err(Error::invalid(operation, message));
    }
    let Some(expires_in) = job.expires_in.filter(|expires_in| *expires_in <= job.delay) else {
        return Ok(());
    };
    let (expires_in, delay) = (expires_in.as_duration(), job.delay.as_duration());
    let message = format!(
        "a job that expires {expires_in:?} after its enqueue and is due after {delay:?} can never run; \
         let it expire later than it is due"
    );
    Err(Error::invalid(operation, message))
}

fn check_bytes(operation: &'static str, what: &str, bytes: usize, most: usize) -> Result<()> {
    if bytes <= most {
        return Ok(());
    }
    let advice = "store large data elsewhere and enqueue a reference to it";
    Err(Error::invalid(
        operation,
        format!("a {what} has at most {most} bytes, this one has {bytes}; {advice}"),
    ))
}

#[cfg(test)]
mod tests;
