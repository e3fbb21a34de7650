use crate::{
    Error, NewJob, Result,
    lifecycle::{Event, Patch, Transition},
};

/// What a store accepts. Everything is checked before anything is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest payload and largest result, in bytes. Default 1 MiB.
    pub payload_bytes_max: usize,
    /// Largest progress report and largest error details, in bytes. Default 16 KiB.
    pub note_bytes_max: usize,
    /// Most jobs or transitions in one call. Default 10,000.
    pub batch_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { payload_bytes_max: 1 << 20, note_bytes_max: 16 << 10, batch_max: 10_000 }
    }
}

impl Limits {
    /// Refuses an enqueue that is too large.
    pub fn check_enqueue(&self, groups: &[Vec<NewJob>]) -> Result<()> {
        self.check_batch("enqueue", groups.iter().map(Vec::len).sum())?;
        groups.iter().flatten().try_for_each(|job| self.check_job("enqueue", job))
    }

    /// Refuses a batch of transitions that is too large in any part.
    pub fn check_apply(&self, batch: &[Transition]) -> Result<()> {
        self.check_batch("apply", batch.iter().map(|transition| 1 + transition.then.len()).sum())?;
        batch.iter().try_for_each(|transition| self.check_transition(transition))
    }

    /// Refuses one transition that is too large in any part.
    pub fn check_transition(&self, transition: &Transition) -> Result<()> {
        transition.then.iter().try_for_each(|job| self.check_job("apply", job))?;
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
                self.check_note("error details", details.map_or(0, bytes::Bytes::len))
            }
            Patch::Extend { progress, .. } => {
                self.check_note("progress", progress.as_ref().map_or(0, bytes::Bytes::len))
            }
            Patch::Remove | Patch::Flag(_) | Patch::Retain(_) => Ok(()),
        }
    }

    /// Refuses an event whose parts no store would take, before it is decided on.
    pub fn check_result(&self, event: &Event) -> Result<()> {
        match event {
            Event::Complete { result, .. } => self.check_payload("complete", "result", result.bytes.len()),
            _ => Ok(()),
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

    fn check_job(&self, operation: &'static str, job: &NewJob) -> Result<()> {
        self.check_payload(operation, "payload", job.payload.bytes.len())
    }

    fn check_payload(&self, operation: &'static str, what: &str, bytes: usize) -> Result<()> {
        check_bytes(operation, what, bytes, self.payload_bytes_max)
    }

    fn check_note(&self, what: &str, bytes: usize) -> Result<()> {
        check_bytes("apply", what, bytes, self.note_bytes_max)
    }
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
