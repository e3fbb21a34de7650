//! What stands beside the record of a job, each under a key of its own: payloads, headers,
//! attempts; and workers.

use super::sealed::Fields;
use queue_core::{
    Attempt, AttemptOutcome, Duty, Headers, Payload, Timestamp, WorkerInfo,
    wire::{Malformed, Reader, Writer},
};

impl Fields for Payload {
    fn write(&self, out: &mut Writer) {
        let Self { bytes, content_type } = self;
        out.text(content_type);
        out.blob(bytes);
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        Ok(Self { content_type: from.name()?, bytes: from.blob()? })
    }
}

impl Fields for Headers {
    fn write(&self, out: &mut Writer) {
        out.text(self.to_text().unwrap_or_default());
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        let text = from.text()?;
        let text = Some(text.as_str()).filter(|text| !text.is_empty());
        Self::from_text(text).map_err(|_| Malformed("headers break the rules of headers"))
    }
}

impl Fields for Vec<Attempt> {
    fn write(&self, out: &mut Writer) {
        out.number(self.len() as u64);
        for attempt in self {
            let Attempt { epoch, worker, claimed_at, ended_at, outcome, error_name, error_message } = attempt;
            out.number(*epoch);
            out.text(worker);
            out.signed(claimed_at.as_millis());
            out.signed(ended_at.as_millis());
            out.byte(outcome.as_code());
            out.text(error_name);
            out.text(error_message);
        }
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        // Collecting reserves no room for a number that may be a lie.
        (0..from.number::<u64>()?).map(|_| read_attempt(from)).collect()
    }
}

fn read_attempt(from: &mut Reader) -> Result<Attempt, Malformed> {
    Ok(Attempt {
        epoch: from.number()?,
        worker: from.name()?,
        claimed_at: time(from)?,
        ended_at: time(from)?,
        outcome: from.code(AttemptOutcome::from_code)?,
        error_name: from.text()?,
        error_message: from.text()?,
    })
}

impl Fields for WorkerInfo {
    fn write(&self, out: &mut Writer) {
        let Self { id, queues, concurrency, held, host, about, duty } = self;
        out.text(id);
        out.number(queues.len() as u64);
        for queue in queues {
            out.text(queue);
        }
        out.number(*concurrency);
        out.number(*held);
        out.text(host);
        out.blob(about);
        out.byte(duty.as_code());
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        Ok(Self {
            id: from.name()?,
            queues: (0..from.number::<u64>()?).map(|_| from.name()).collect::<Result<_, _>>()?,
            concurrency: from.number()?,
            held: from.number()?,
            host: from.text()?,
            about: from.blob()?,
            duty: from.code(Duty::from_code)?,
        })
    }
}

pub(super) fn time(from: &mut Reader) -> Result<Timestamp, Malformed> {
    from.signed().map(Timestamp::from_millis)
}
