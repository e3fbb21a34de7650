use super::{
    State,
    shelf::{Part, Shelved, locate},
};
use crate::{
    format::{Blob, Change, Head, Kept, Malformed, RECORD_HEAD_BYTES, Update, put_len},
    journal::{Position, Sink},
};
use bytes::Bytes;
use queue_core::{JobBody, Payload, QueueName, Seq, lifecycle::TrackedJob};
use queue_memory::StoredJob;

impl Sink for State {
    fn begin_at(&mut self, segment: u64) {
        *self = Self { begun_at: segment, ..Self::new(self.budget_bytes) };
    }

    /// Does what a record says. Records that contradict what was there are damage too.
    fn take(&mut self, head: &Head, at: Position, changes: &[u8]) -> Result<(), Malformed> {
        self.engine.raise(head.last_seq, head.time);
        self.shelf.usage.grows(at.segment, (RECORD_HEAD_BYTES + changes.len()) as u64);
        let may_dangle = head.oldest < self.begun_at;
        let mut taking = Taking { state: self, at, changes, may_dangle };
        Change::read_all(changes).try_for_each(|change| taking.one(change?))?;
        self.shelf.usage.forget_before(head.oldest);
        Ok(())
    }
}

/// A record that is being taken.
struct Taking<'t> {
    state: &'t mut State,
    at: Position,
    changes: &'t [u8],
    /// It may be about jobs that are not there.
    may_dangle: bool,
}

impl Taking<'_> {
    fn one(&mut self, change: Change) -> Result<(), Malformed> {
        let engine = &mut self.state.engine;
        match change {
            Change::Put { job, payload, result, error_details } => {
                self.make_way_for(&job)?;
                self.put(job, &payload, result.as_ref(), error_details);
            }
            Change::Update(update) => return self.update(update),
            Change::Remove { queue, seq } => return self.remove(&queue, seq),
            Change::Pause { queue, paused } => engine.load_pause(&queue, paused),
            Change::Worker { worker, until } => engine.load_worker(worker, until),
            Change::Retire(worker) => engine.unload_worker(&worker),
        }
        Ok(())
    }

    fn put(&mut self, job: TrackedJob, payload: &Blob, result: Option<&Blob>, error_details: Option<Bytes>) {
        let (seq, queue) = (job.meta.seq, job.meta.queue.clone());
        self.state.shelf.remove(seq);
        let is_terminal = job.meta.state.is_terminal();
        let epoch = job.meta.epoch;
        let payload_len = u32::try_from(payload.range.len()).expect("a record is shorter than 4 GiB");
        let (payload, payload_part) = self.blob(payload, epoch, !is_terminal);
        let (result, result_part) = result.map(|result| self.blob(result, epoch, true)).unzip();
        let stored = StoredJob { job, body: JobBody { payload, result, error_details }, payload_len };
        let (segment, other_bytes) = (self.at.segment, put_len(&stored));
        self.state.engine.load(stored);
        let shelved = Shelved { queue, segment, other_bytes, payload: payload_part, result: result_part };
        self.state.shelf.put(seq, shelved);
    }

    /// An id has one life at a time.
    fn make_way_for(&mut self, job: &TrackedJob) -> Result<(), Malformed> {
        let (queue, id, seq) = (&job.meta.queue, &job.meta.id, job.meta.seq);
        match self.state.engine.life_of(queue, id) {
            Some(other) if other != seq => {
                self.dangles()?;
                self.remove(queue, other)
            }
            _ => Ok(()),
        }
    }

    fn update(&mut self, update: Update) -> Result<(), Malformed> {
        let Update { queue, seq, moving, result, error_details } = update;
        let Some(mut stored) = self.state.engine.unload(&queue, seq) else { return self.dangles() };
        moving.onto(&mut stored.job);
        let result_part = match result {
            Kept::Same => Kept::Same,
            Kept::Gone => {
                stored.body.result = None;
                Kept::Gone
            }
            Kept::Now(blob) => {
                let (payload, part) = self.blob(&blob, stored.job.meta.epoch, true);
                stored.body.result = Some(payload);
                Kept::Now(part)
            }
        };
        match error_details {
            Kept::Same => {}
            Kept::Gone => stored.body.error_details = None,
            Kept::Now(details) => stored.body.error_details = Some(details),
        }
        let is_terminal = stored.job.meta.state.is_terminal();
        self.state.engine.load(stored);
        self.state.changed(&queue, seq, result_part, is_terminal);
        Ok(())
    }

    fn remove(&mut self, queue: &QueueName, seq: Seq) -> Result<(), Malformed> {
        self.state.shelf.remove(seq);
        self.state.engine.unload(queue, seq).map_or_else(|| self.dangles(), |_| Ok(()))
    }

    fn dangles(&self) -> Result<(), Malformed> {
        if self.may_dangle { Ok(()) } else { Err(Malformed("a change is about a job that is not there")) }
    }

    /// A payload or result: its bytes, if there is room for them in memory, and where they are. A copy, so that a few
    /// bytes do not keep a whole segment in memory.
    fn blob(&self, blob: &Blob, epoch: u64, may_stay: bool) -> (Payload, Part) {
        let location = locate(self.at, self.changes, &blob.range);
        let is_resident = location.len == 0 || (may_stay && self.state.has_memory_for(location.len));
        let bytes = if is_resident { &self.changes[blob.range.clone()] } else { &[] };
        let payload = Payload::new(Bytes::copy_from_slice(bytes), blob.content_type.clone());
        (payload, Part { location, epoch, is_resident })
    }
}

impl State {
    /// A step of a life is on the disk. The payload of a job that is over is hardly wanted again, so it goes to rest.
    pub(super) fn changed(&mut self, queue: &QueueName, seq: Seq, result: Kept<Part>, is_terminal: bool) {
        let mut rests = false;
        let other_bytes = self.engine.stored(queue, seq).map(put_len);
        self.shelf.change(seq, |shelved| {
            shelved.other_bytes = other_bytes.unwrap_or(shelved.other_bytes);
            match result {
                Kept::Same => {}
                Kept::Gone => shelved.result = None,
                Kept::Now(part) => shelved.result = Some(part),
            }
            rests = is_terminal && shelved.payload.is_resident && shelved.payload.location.len > 0;
            shelved.payload.is_resident &= !rests;
        });
        if rests {
            self.engine.set_body_bytes(queue, seq, Some(Bytes::new()), None);
        }
    }
}
