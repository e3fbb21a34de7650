//! Enqueues one job or many, with or without options.

use crate::{
    Decode, Encode, Enqueued, Id, InvalidOption, JobOptions, OtherKind, Queue,
    client::{SendSpan, Shared, chunks::batches, option_values::CheckedOptions},
};
use queue_core::{
    Detail, Enqueued as Stored, Error, ErrorKind, JobId, Kind, NewJob, Result, Stamped, StorageExt,
};
use queue_serde::Role;

const ONE_CALL: &str = "a debounced job may take two calls, since its id may be that of a job that runs; here is one: use \
                        `enqueue`, `enqueue_with` or `enqueue_many`";

impl<P: Encode, R: Decode> Queue<P, R> {
    /// Stores a job with the default options of this handle.
    ///
    /// Once this answers, the job is as durable as the store promises. An id that is present is not
    /// enqueued again: the answer says which job has it, with the result if that job is Completed.
    ///
    /// # Errors
    /// `Invalid`, before anything is written, for a bad id, a payload that cannot be encoded or is
    /// over the store's limit (1 MiB by default), a kind that is [reserved](Kind::is_reserved), a
    /// queue that is ([`ReservedQueue`](queue_core::ReservedQueue)), or a present result that
    /// cannot be decoded as `R`. A handle [of](Self::of) a kind reads the job that has the id
    /// already, and refuses one of another kind as [`OtherKind`]. With [`Certainty::Unknown`] the
    /// job may have been stored: send it again under the same id.
    ///
    /// A dropped future leaves the job stored or not stored.
    ///
    /// [`Certainty::Unknown`]: crate::Certainty::Unknown
    pub async fn enqueue(&self, id: impl Into<Id>, payload: P) -> Result<Enqueued<R>> {
        self.store_checked(id.into(), payload, self.shared.options.checked()?).await
    }

    /// Stores a job with options of its own, which take precedence over the options of the handle.
    ///
    /// # Errors
    /// The errors of [`enqueue`](Self::enqueue), and `Invalid` for an invalid option.
    pub async fn enqueue_with(
        &self,
        id: impl Into<Id>,
        payload: P,
        options: JobOptions,
    ) -> Result<Enqueued<R>> {
        let options = self.timed(options).await?.checked_over(&self.shared.options)?;
        self.store_checked(id.into(), payload, options).await
    }

    /// The job that [`enqueue_with`](Self::enqueue_with) would store, for other calls that store
    /// jobs, such as a completion that it follows (`Context::then`). This method writes nothing.
    /// Store the job in the queue of this handle, since a codec that binds bytes to their job wrote
    /// the payload for this queue.
    ///
    /// ```
    /// # #[cfg(all(feature = "memory", feature = "json"))] {
    /// # tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(async {
    /// use queue::{JobOptions, Queue};
    ///
    /// let emails: Queue<String> = Queue::new(queue::open("memory:").await?, "emails")?;
    /// let options = JobOptions::new().priority(-5);
    /// let job = emails.new_job("welcome-ada", &"welcome, ada".to_owned(), &options)?;
    /// assert_eq!((job.id.as_str(), job.priority), ("welcome-ada", -5));
    /// # Ok::<(), queue::Error>(())
    /// # }).expect("encodes");
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Invalid` for a bad id, an invalid option, or a payload that cannot be encoded. The limits
    /// of the store are checked when the job is stored.
    pub fn new_job(&self, id: impl Into<Id>, payload: &P, options: &JobOptions) -> Result<NewJob> {
        self.job(id.into(), payload, options)
    }

    /// Stores many jobs with the same options, which take precedence over the options of the
    /// handle; the answers are in the order of the jobs.
    ///
    /// Every job is encoded and checked before the first is written. They are sent in batches of at
    /// most [`Limits::batch_max`](crate::Limits::batch_max) jobs (10,000 by default) and 16 MiB of
    /// payload. Each batch is all or nothing, but several batches together are not. An id that
    /// occurs twice is a duplicate of itself.
    ///
    /// # Errors
    /// The errors of [`enqueue_with`](Self::enqueue_with). If batches were stored before one
    /// failed, the message says how many jobs they had, and the certainty is `Unknown`. Sending all
    /// jobs again is safe unless their ids are generated.
    pub async fn enqueue_many<I: Into<Id>>(
        &self,
        jobs: impl IntoIterator<Item = (I, P)>,
        options: JobOptions,
    ) -> Result<Vec<Enqueued<R>>> {
        let options = self.timed(options).await?.checked_over(&self.shared.options)?;
        let call = self.store_many(jobs, options);
        SendSpan::begin(&self.shared.name).around(call, |span, stored| span.jobs(stored.len())).await
    }

    async fn store_many<I: Into<Id>>(
        &self,
        jobs: impl IntoIterator<Item = (I, P)>,
        options: CheckedOptions,
    ) -> Result<Vec<Enqueued<R>>> {
        let (mut checked, mut debounced) = (Vec::new(), Vec::new());
        for (id, payload) in jobs {
            let id = self.checked_id(id.into(), &payload, &options)?;
            checked.push(self.job_of(id.clone(), &payload, &options)?);
            if options.is_debounced() {
                debounced.push((id, payload));
            }
        }
        let count = checked.len();
        let mut answers = Vec::with_capacity(count);
        for batch in batches(checked, self.shared.storage.capabilities().limits.batch_max) {
            let sent = self.store(batch).await;
            answers.extend(sent.map_err(|error| partly(error, answers.len(), count))?);
        }
        let stand_ins = self.store_stand_ins(debounced, &mut answers, &options).await;
        // Of several jobs some are stored by now; a single one was answered as a duplicate.
        stand_ins.map_err(|error| if count > 1 { error.unknown() } else { error })?;
        Ok(answers)
    }

    async fn store_checked(&self, id: Id, payload: P, options: CheckedOptions) -> Result<Enqueued<R>> {
        let call = self.store_unless_taken(id, payload, options);
        SendSpan::begin(&self.shared.name).around(call, |span, stored| span.job(stored.id())).await
    }

    async fn store_unless_taken(&self, id: Id, payload: P, options: CheckedOptions) -> Result<Enqueued<R>> {
        let id = self.checked_id(id, &payload, &options)?;
        if options.is_debounced() {
            return self.store_debounced(id, payload, options).await;
        }
        self.store_one(self.job_of(id, &payload, &options)?).await
    }

    /// A job that one call can store; debounced jobs are refused.
    pub(crate) fn job(&self, id: Id, payload: &P, options: &JobOptions) -> Result<NewJob> {
        let options = options.checked_over(&self.shared.options)?;
        if options.is_debounced() {
            return Err(InvalidOption::Debounce(ONE_CALL).into());
        }
        self.job_of(self.shared.id_of(id, self.kind(), payload)?, payload, &options)
    }

    pub(super) async fn store_one(&self, job: NewJob) -> Result<Enqueued<R>> {
        let mut answers = self.store(vec![job]).await?;
        Ok(answers.pop().expect("one answer was checked to be there"))
    }

    /// Stores jobs as one group, with one answer for each.
    pub(crate) async fn store(&self, jobs: Vec<NewJob>) -> Result<Vec<Enqueued<R>>> {
        let keys = KeysOf::jobs(&jobs);
        let answers = self.shared.store_group(jobs).await?.value;
        self.typed_answers(keys, answers).await
    }

    /// The answers of a store about these jobs, with the results decoded.
    pub(crate) async fn typed_answers(
        &self,
        keys: KeysOf,
        mut answers: Vec<Stored>,
    ) -> Result<Vec<Enqueued<R>>> {
        let some_are_new = answers.iter().any(Stored::is_new);
        let read = async {
            if self.is_of_a_kind() {
                self.shared.check_kinds(&keys, &answers).await?;
            }
            let KeysOf { ids, kinds } = keys;
            self.shared.read_left_out(&ids, &mut answers).await?;
            let keys = ids.into_iter().zip(kinds);
            keys.zip(answers).map(|((id, kind), answer)| self.shared.typed(id, &kind, answer)).collect()
        };
        let typed: Result<_> = read.await;
        typed.map_err(|error| if some_are_new { error.unknown() } else { error })
    }
}

/// What the answers about jobs are read with.
pub(crate) struct KeysOf {
    ids: Vec<JobId>,
    kinds: Vec<Kind>,
}

impl KeysOf {
    pub(crate) fn jobs(jobs: &[NewJob]) -> Self {
        let ids = jobs.iter().map(|job| job.id.clone()).collect();
        Self { ids, kinds: jobs.iter().map(|job| job.kind.clone()).collect() }
    }
}

impl<P: Encode, R> Queue<P, R> {
    /// A job of this handle, after all checks that come before it is stored.
    pub(crate) fn job_of(&self, id: JobId, payload: &P, options: &CheckedOptions) -> Result<NewJob> {
        #[cfg_attr(not(feature = "opentelemetry"), expect(unused_mut, reason = "nothing is added to it"))]
        let mut job = self.untraced_job_of(id, payload, options)?;
        // The trace is added after the hooks, which may set one of their own, and need the room for
        // headers.
        #[cfg(feature = "opentelemetry")]
        super::carry_trace(&mut job);
        Ok(job)
    }

    /// The same without the trace of the caller, for a job that is made again later.
    pub(crate) fn untraced_job_of(&self, id: JobId, payload: &P, options: &CheckedOptions) -> Result<NewJob> {
        self.shared.name.check_open()?;
        let context = self.shared.context(self.kind(), &id, Role::Payload);
        let payload = payload.encode(&self.shared.codec, &context)?;
        let mut job = options.job(id, self.kind().clone(), payload);
        self.shared.hooks.look_at(&self.shared.name, &mut job)?;
        // A hook may change the kind of the job and that of its follow-up.
        let mut kinds = std::iter::once(&job.kind).chain(&job.terms.on_failure);
        if let Some(kind) = kinds.find(|kind| kind.is_reserved()).cloned() {
            return Err(InvalidOption::ReservedKind { kind }.into());
        }
        Ok(job)
    }
}

impl Shared {
    /// Stores jobs as one group, with one answer for each.
    pub(crate) async fn store_group(&self, jobs: Vec<NewJob>) -> Result<Stamped<Vec<Stored>>> {
        let count = jobs.len();
        let Stamped { value, now, clock } = self.storage.enqueue(&self.name, vec![jobs]).await?;
        let value = value.into_iter().next().unwrap_or_default();
        if value.len() != count {
            let message = "the store answered another number of jobs than it got";
            return Err(Error::new(ErrorKind::Internal, "enqueue", message).unknown());
        }
        Ok(Stamped { value, now, clock })
    }

    /// Refuses jobs whose ids are taken by jobs of other kinds. New jobs cost no read.
    async fn check_kinds(&self, keys: &KeysOf, answers: &[Stored]) -> Result<()> {
        let is_taken =
            |answer: &Stored| matches!(answer, Stored::Duplicate { .. } | Stored::Completed { .. });
        let taken: Vec<usize> = (0..answers.len()).filter(|&at| is_taken(&answers[at])).collect();
        if taken.is_empty() {
            return Ok(());
        }
        let asked: Vec<JobId> = taken.iter().map(|&at| keys.ids[at].clone()).collect();
        let found = match self.storage.get(&self.name, &asked, Detail::Meta).await {
            Ok(found) => found.value,
            // A token that may enqueue need not be one that may read.
            Err(error) if error.kind() == ErrorKind::Invalid => return Ok(()),
            Err(error) => return Err(error),
        };
        for (at, record) in taken.into_iter().zip(found) {
            if let Some(record) = record.filter(|record| answers[at].seq() == Some(record.meta.seq)) {
                OtherKind::check("enqueue", &record.meta, &keys.kinds[at])?;
            }
        }
        Ok(())
    }

    /// Reads the results that an answer had no room for.
    async fn read_left_out(&self, ids: &[JobId], answers: &mut [Stored]) -> Result<()> {
        let is_left_out = |answer: &Stored| matches!(answer, Stored::Completed { result: None, .. });
        let left_out: Vec<usize> = (0..answers.len()).filter(|&at| is_left_out(&answers[at])).collect();
        if left_out.is_empty() {
            return Ok(());
        }
        let asked: Vec<JobId> = left_out.iter().map(|&at| ids[at].clone()).collect();
        let found = self.storage.get_whole(&self.name, &asked).await?.value;
        for (at, record) in left_out.into_iter().zip(found) {
            let of_life = record.filter(|record| answers[at].seq() == Some(record.meta.seq));
            if let Stored::Completed { result, .. } = &mut answers[at] {
                *result = of_life.and_then(|record| record.body?.result);
            }
        }
        Ok(())
    }

    pub(crate) fn typed<R: Decode>(&self, id: JobId, kind: &Kind, answer: Stored) -> Result<Enqueued<R>> {
        Ok(match answer {
            Stored::Queued { seq } => Enqueued::Queued { id, seq },
            Stored::Duplicate { seq, state } => Enqueued::Duplicate { id, seq, state },
            Stored::Completed { seq, result } => {
                let result = result.ok_or_else(|| gone(&id))?;
                let result = self.read(&result, &self.context(kind, &id, Role::Result))?;
                Enqueued::Completed { id, seq, result }
            }
            Stored::Orphaned => Enqueued::Orphaned { id },
        })
    }
}

/// The purge time of the job came between the answer and the read of its result.
fn gone(id: &JobId) -> Error {
    let message = format!("the result of {id:?} has just expired; enqueue the job again");
    Error::new(ErrorKind::Unavailable, "enqueue", message)
}

/// The error of a batch, with the number of jobs that the batches before it stored.
fn partly(error: Error, stored: usize, count: usize) -> Error {
    if stored == 0 {
        return error;
    }
    let message = format!("the first {stored} of {count} jobs are stored, then: {error}");
    Error::new(error.kind(), "enqueue_many", message).with_source(error).unknown()
}
