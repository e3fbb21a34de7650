//! What reading, beginning, changing and removing a life means in keys. Every write of a record brings its index entries
//! along, so that neither is ever without the other (I20).

use crate::{
    attempt::Halt,
    keys::{self, Family},
    kv::Key,
    row::{self, StoredJob},
    transaction::Transaction,
};
use bytes::Bytes;
use queue_core::{
    AnswerRoom, Attempt, Enqueued, Headers, JobBody, JobId, JobMeta, NewJob, Payload, QueueName, Result, Seq,
    State,
    lifecycle::{Admission, BodyPatch, TrackedJob, admit},
};

/// The keys of what a job carries.
const BODY: [Family; 4] = [Family::Payload, Family::Result, Family::Details, Family::Headers];

/// The keys that [`Transaction::body`] reads.
pub(crate) fn body_keys(queue: &QueueName, seq: Seq) -> impl Iterator<Item = Key> {
    BODY.into_iter().map(move |family| keys::life(family, queue, seq))
}

impl Transaction<'_> {
    /// The life that holds an id, purged or not.
    pub(crate) async fn find(&mut self, queue: &QueueName, id: &JobId) -> Result<Option<StoredJob>, Halt> {
        let Some(seq) = self.get(keys::id(queue, id)).await? else { return Ok(None) };
        let seq = Seq::new(row::read_number(&seq)?);
        self.life(queue, seq).await?.ok_or(Halt::Moved).map(Some)
    }

    /// Reads ahead, in two calls, the lives that hold these ids.
    pub(crate) async fn load_holders(&mut self, ids: Vec<(&QueueName, &JobId)>) -> Result<()> {
        self.load(ids.iter().map(|(queue, id)| keys::id(queue, id))).await?;
        let mut lives = Vec::new();
        for (queue, id) in ids {
            if let Some(seq) = self.get(keys::id(queue, id)).await? {
                lives.push(keys::life(Family::Job, queue, Seq::new(row::read_number(&seq)?)));
            }
        }
        self.load(lives).await
    }

    /// One life, purged or not.
    pub(crate) async fn life(&mut self, queue: &QueueName, seq: Seq) -> Result<Option<StoredJob>> {
        let bytes = self.get(keys::life(Family::Job, queue, seq)).await?;
        bytes.map(|bytes| row::read_job(&bytes)).transpose()
    }

    /// The large parts of a life that was found.
    pub(crate) async fn body(&mut self, queue: &QueueName, seq: Seq) -> Result<JobBody, Halt> {
        self.load(body_keys(queue, seq)).await?;
        let payload = self.payload(Family::Payload, queue, seq).await?.ok_or(Halt::Moved)?;
        let result = self.payload(Family::Result, queue, seq).await?;
        let error_details = self.get(keys::life(Family::Details, queue, seq)).await?;
        let headers = self.get(keys::life(Family::Headers, queue, seq)).await?;
        let headers = headers.map_or(Ok(Headers::NONE), |bytes| row::read_headers(&bytes))?;
        Ok(JobBody { payload, headers, result, error_details })
    }

    /// Enqueues one job, if the rule of ids lets it. A result that there is no room for is left out of the answer.
    pub(crate) async fn enqueue(
        &mut self,
        queue: &QueueName,
        new: &NewJob,
        room: &mut AnswerRoom,
    ) -> Result<Enqueued, Halt> {
        let present = self.find(queue, &new.id).await?.map(|stored| stored.job.meta);
        match (admit(present.as_ref(), new, self.now()), &present) {
            (Admission::Duplicate, Some(present)) => return self.duplicate(present, room).await,
            (Admission::Replace, Some(former)) => self.remove(former),
            _ => {}
        }
        self.remember_queue(queue).await?;
        let (seq, now) = (self.next_seq().await?, self.now());
        let meta = match &present {
            Some(former) => JobMeta::replacing(former, new, seq, now),
            None => JobMeta::begin(queue.clone(), new, seq, now),
        };
        let job = TrackedJob::new(meta);
        self.put(keys::id(queue, &new.id), row::write_number(seq.get()));
        self.put(keys::life(Family::Payload, queue, seq), row::write_payload(&new.payload));
        if let Some(headers) = new.headers.to_text() {
            self.put(keys::life(Family::Headers, queue, seq), headers.into());
        }
        self.write(None, &StoredJob { job, payload_len: new.payload.bytes.len() as u64 });
        Ok(Enqueued::Queued { seq })
    }

    /// Writes a record, new or changed, and moves its index entries.
    pub(crate) fn write(&mut self, before: Option<&JobMeta>, stored: &StoredJob) {
        for entry in before.into_iter().flat_map(keys::index) {
            self.delete(entry);
        }
        let meta = &stored.job.meta;
        for entry in keys::index(meta) {
            let value = keys::index_value(&entry, stored.payload_len);
            self.put(entry, value);
        }
        self.put(keys::life(Family::Job, &meta.queue, meta.seq), row::write_job(stored));
    }

    /// Writes what a transition says about the large parts.
    pub(crate) async fn write_body(&mut self, meta: &JobMeta, patch: BodyPatch) -> Result<(), Halt> {
        let key = |family| keys::life(family, &meta.queue, meta.seq);
        match patch {
            BodyPatch::Keep => {}
            BodyPatch::Result(result) => self.put(key(Family::Result), row::write_payload(&result)),
            BodyPatch::ErrorDetails(Some(details)) => self.put(key(Family::Details), details),
            BodyPatch::ErrorDetails(None) => self.delete(key(Family::Details)),
            BodyPatch::Clear { content_type } => {
                self.delete(key(Family::Result));
                self.delete(key(Family::Details));
                if let Some(content_type) = content_type {
                    let payload = self.payload(Family::Payload, &meta.queue, meta.seq).await?;
                    let payload = Payload { content_type, ..payload.ok_or(Halt::Moved)? };
                    self.put(key(Family::Payload), row::write_payload(&payload));
                }
            }
        }
        Ok(())
    }

    /// The attempts that were charged to a life.
    pub(crate) async fn attempts(&mut self, queue: &QueueName, seq: Seq) -> Result<Vec<Attempt>> {
        let bytes = self.get(keys::life(Family::Attempts, queue, seq)).await?;
        bytes.map_or(Ok(Vec::new()), |bytes| row::read_attempts(&bytes))
    }

    /// Adds an attempt to those of a life.
    pub(crate) async fn charge(&mut self, meta: &JobMeta, attempt: Attempt) -> Result<()> {
        let mut attempts = self.attempts(&meta.queue, meta.seq).await?;
        Attempt::push(&mut attempts, attempt);
        self.put(keys::life(Family::Attempts, &meta.queue, meta.seq), row::write_attempts(&attempts));
        Ok(())
    }

    /// Removes a life, given as it is stored, with everything that belongs to it.
    pub(crate) fn remove(&mut self, stored: &JobMeta) {
        let (queue, seq) = (&stored.queue, stored.seq);
        let of_life = |family| keys::life(family, queue, seq);
        let own = [keys::id(queue, &stored.id), of_life(Family::Job), of_life(Family::Attempts)];
        for key in own.into_iter().chain(body_keys(queue, seq)).chain(keys::index(stored)) {
            self.delete(key);
        }
    }

    async fn duplicate(&mut self, present: &JobMeta, room: &mut AnswerRoom) -> Result<Enqueued, Halt> {
        let seq = present.seq;
        if present.state != State::Completed {
            return Ok(Enqueued::Duplicate { seq, state: present.state });
        }
        if room.is_full() {
            return Ok(Enqueued::Completed { seq, result: None });
        }
        let result = self.payload(Family::Result, &present.queue, seq).await?.ok_or(Halt::Moved)?;
        let result = Some(result).filter(|result| room.takes(result.bytes.len()));
        Ok(Enqueued::Completed { seq, result })
    }

    async fn payload(&mut self, family: Family, queue: &QueueName, seq: Seq) -> Result<Option<Payload>> {
        let bytes = self.get(keys::life(family, queue, seq)).await?;
        bytes.map(|bytes| row::read_payload(&bytes)).transpose()
    }

    /// From here on the queue is listed. Its key is written once, so that no two writers ever fight for it again.
    async fn remember_queue(&mut self, queue: &QueueName) -> Result<()> {
        let key = keys::name(queue);
        if self.get(key.clone()).await?.is_none() {
            self.put(key, Bytes::new());
        }
        Ok(())
    }

    /// One counter for the whole store, so that every life has a number of its own and order is that of enqueueing.
    async fn next_seq(&mut self) -> Result<Seq> {
        let key = keys::global(Family::LastSeq);
        let last = self.get(key.clone()).await?.map_or(Ok(0), |bytes| row::read_number(&bytes))?;
        self.put(key, row::write_number(last + 1));
        Ok(Seq::new(last + 1))
    }
}
