use super::{
    State,
    record::other_bytes,
    shelf::{Shelved, ShelvedResult, locate},
};
use crate::{
    format::{Blob, Change, Head, Kept, Malformed, RECORD_HEAD_BYTES, Update},
    journal::{Location, Position, Sink},
};
use bytes::Bytes;
use queue_core::{Attempt, Headers, JobBody, Payload, QueueName, Seq, lifecycle::TrackedJob};
use queue_store::News;

impl Sink for State {
    fn begin_at(&mut self, segment: u64) {
        *self = Self { begun_at: segment, ..Self::new(self.budget_bytes) };
    }

    fn begin_bulk(&mut self) {
        self.is_loading = true;
        self.engine.begin_loading();
    }

    fn end_bulk(&mut self) -> Result<(), Malformed> {
        self.is_loading = false;
        if self.engine.end_loading() { Ok(()) } else { Err(Malformed("an id has two lives")) }
    }

    /// Does what a record says. Records that contradict what was there are damage too.
    fn take(&mut self, head: &Head, at: Position, changes: &[u8]) -> Result<(), Malformed> {
        self.engine.raise(head.last_seq, head.time);
        self.shelf.usage.grows(at.segment, (RECORD_HEAD_BYTES + changes.len()) as u64);
        let may_dangle = head.oldest < self.begun_at;
        let mut names = std::mem::take(&mut self.names);
        let mut taking = Taking { state: self, at, changes, may_dangle };
        let taken = Change::read_sharing(changes, &mut names).try_for_each(|change| taking.one(change?));
        self.names = names;
        taken?;
        self.shelf.usage.forget_before(head.oldest);
        Ok(())
    }
}

/// The large parts of a whole job: headers, payload, result and details of its last error.
type Parts<'p> = (Headers, &'p Blob, Option<&'p Blob>, Option<Bytes>);

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
        match change {
            Change::Put { job, headers, payload, result, error_details, attempts } => {
                if self.make_way_for(&job)? {
                    self.tell(&job.meta.queue, news_of(job.meta.state));
                }
                self.put(job, (headers, &payload, result.as_ref(), error_details), attempts);
            }
            Change::Update(update) => {
                self.tell(&update.queue, news_of(update.moving.state));
                return self.update(update);
            }
            Change::Remove { queue, seq } => {
                self.tell(&queue, News::Changed);
                return self.remove(&queue, seq);
            }
            Change::Pause { queue, paused } => {
                self.state.engine.load_pause(&queue, paused);
                // Workers that hold jobs ready want to hear of a pause too.
                self.tell(&queue, News::Wakes);
            }
            Change::Worker { worker, until } => self.state.engine.load_worker(worker, until),
            Change::Retire(worker) => self.state.engine.unload_worker(&worker),
        }
        Ok(())
    }

    fn put(&mut self, job: TrackedJob, parts: Parts<'_>, attempts: Vec<Attempt>) {
        let (headers, payload, result, error_details) = parts;
        let (seq, epoch) = (job.meta.seq, job.meta.epoch);
        let len = u32::try_from(payload.range.len()).expect("a record is shorter than 4 GiB");
        let may_stay = !job.meta.state.is_terminal();
        let (payload, location, is_payload_resident) = self.blob(payload, may_stay);
        let (result, shelved) = result.map(|result| self.result(result, epoch)).unzip();
        let body = JobBody { payload, headers, result, error_details };
        let stored = self.state.engine.load(job, body, attempts, len);
        let shelved = Shelved {
            queue: stored.queue().clone(),
            payload: location,
            result: shelved.map(Box::new),
            other_bytes: other_bytes(stored),
            is_payload_resident,
        };
        self.state.shelf.put(seq, shelved);
    }

    /// An id has one life at a time. Of many jobs at once that is looked at last. False for a life that is there already, which
    /// is carried on from an old segment.
    fn make_way_for(&mut self, job: &TrackedJob) -> Result<bool, Malformed> {
        let (queue, id, seq) = (&job.meta.queue, &job.meta.id, job.meta.seq);
        let present = self.state.engine.life_of(queue, id);
        if let Some(other) = present.filter(|other| *other != seq) {
            self.dangles()?;
            self.remove(queue, other)?;
        }
        Ok(present != Some(seq))
    }

    /// Notes what subscribers are to hear of.
    fn tell(&mut self, queue: &QueueName, news: News) {
        if !self.state.is_loading {
            self.state.foreign_news.note(queue, news);
        }
    }

    fn update(&mut self, update: Update) -> Result<(), Malformed> {
        let Update { queue, seq, moving, content_type, result, error_details } = update;
        let (epoch, is_terminal) = (moving.epoch, moving.state.is_terminal());
        let (result, shelved) = match result {
            Kept::Same => (Kept::Same, Kept::Same),
            Kept::Gone => (Kept::Gone, Kept::Gone),
            Kept::Now(blob) => {
                let (result, shelved) = self.result(&blob, epoch);
                (Kept::Now(result), Kept::Now(shelved))
            }
        };
        let changed = self.state.engine.reload(&queue, seq, |stored| {
            let mut job = stored.tracked();
            let attempts = moving.onto(&mut job);
            stored.track(&job);
            for attempt in attempts {
                stored.charge(attempt);
            }
            stored.set_content_type(content_type);
            result.tell(|result| stored.set_result(result));
            error_details.tell(|details| stored.set_error_details(details));
            other_bytes(stored)
        });
        let Some(other_bytes) = changed else { return self.dangles() };
        self.state.changed(&queue, seq, other_bytes, shelved, is_terminal);
        Ok(())
    }

    fn remove(&mut self, queue: &QueueName, seq: Seq) -> Result<(), Malformed> {
        self.state.shelf.remove(seq);
        self.state.engine.unload(queue, seq).map_or_else(|| self.dangles(), |_| Ok(()))
    }

    fn dangles(&self) -> Result<(), Malformed> {
        if self.may_dangle { Ok(()) } else { Err(Malformed("a change is about a job that is not there")) }
    }

    /// A payload: its bytes, if there is room for them in memory, where they are, and whether there was room. A copy, so that
    /// a few bytes do not keep a whole segment in memory.
    fn blob(&self, blob: &Blob, may_stay: bool) -> (Payload, Location, bool) {
        let location = locate(self.at, self.changes, &blob.range);
        let is_resident = location.len == 0 || (may_stay && self.state.has_memory_for(location.len));
        let bytes = if is_resident { &self.changes[blob.range.clone()] } else { &[] };
        (Payload::new(Bytes::copy_from_slice(bytes), blob.content_type.clone()), location, is_resident)
    }

    /// The same of a result.
    fn result(&self, blob: &Blob, epoch: u64) -> (Payload, ShelvedResult) {
        let (result, location, is_resident) = self.blob(blob, true);
        (result, ShelvedResult { location, epoch, is_resident })
    }
}

fn news_of(state: queue_core::State) -> News {
    if state.is_waiting() { News::Wakes } else { News::Changed }
}

impl State {
    /// A step of a life is on the disk. The payload of a job that is over is hardly wanted again, so it goes to rest.
    pub(super) fn changed(
        &mut self,
        queue: &QueueName,
        seq: Seq,
        other_bytes: u32,
        result: Kept<ShelvedResult>,
        is_terminal: bool,
    ) {
        let mut rests = false;
        self.shelf.change(seq, |shelved| {
            shelved.other_bytes = other_bytes;
            result.tell(|result| shelved.result = result.map(Box::new));
            rests = is_terminal && shelved.is_payload_resident && shelved.payload.len > 0;
            shelved.is_payload_resident &= !rests;
        });
        if rests {
            self.engine.set_body_bytes(queue, seq, Some(Bytes::new()), None);
        }
    }
}
