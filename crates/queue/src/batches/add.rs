//! Adds members to a batch.

use super::{
    Batch,
    found::{Standing, standing_of},
};
use crate::{
    Decode, Encode, Enqueued, Id, InvalidOption, JobOptions, Joinable,
    batches::{BatchError, InvalidMember},
    client::{CheckedOptions, KeysOf, SendSpan, is_full},
};
use queue_core::{Detail, Enqueued as Stored, Error, JobId, JobMeta, NewJob, Result, Signalling, Stamped};

const DEBOUNCED: &str = "a member of a batch cannot be debounced, since each member is counted";

impl<P: Encode, R: Decode> Batch<P, R> {
    /// Adds a job with the default options of the handle. Its id is the name and the number of the
    /// batch, and then the given id: see [`job`](Self::job). A member that is there already is not
    /// added again, and the answer says so, also once the batch has ended, for as long as its
    /// record is kept.
    ///
    /// # Errors
    /// The errors of [`Queue::enqueue`](crate::Queue::enqueue); [`BatchError::Sealed`],
    /// [`BatchError::Ended`] or [`BatchError::NoBatch`] if the batch takes no such member. An add
    /// that is under way while another process seals the batch may still be accepted; the batch
    /// then waits for it. With [`Certainty::Unknown`](crate::Certainty::Unknown) add it again. A
    /// dropped future leaves the member added or not.
    pub async fn add(&self, id: impl Into<Id>, payload: P) -> Result<Enqueued<R>> {
        self.add_with(id, payload, JobOptions::new()).await
    }

    /// Adds a job with options of its own, which take precedence over the options of the handle. A
    /// member has seven tags of its own, and cannot be debounced. The batch decides how long it is
    /// kept: a retention of the handle counts for nothing, and one in `options` is refused.
    ///
    /// # Errors
    /// The errors of [`add`](Self::add), and `Invalid` for an invalid option.
    #[expect(clippy::missing_panics_doc, reason = "the store's answers are counted before")]
    pub async fn add_with(&self, id: impl Into<Id>, payload: P, options: JobOptions) -> Result<Enqueued<R>> {
        let options = self.checked(&self.queue.timed(options).await?)?;
        let call = async {
            let job = self.member(id.into(), &payload, &options)?;
            let mut answers = self.store(vec![job]).await?;
            Ok(answers.pop().expect("one answer was checked to be there"))
        };
        SendSpan::begin(self.queue.name()).around(call, |span, stored| span.job(stored.id())).await
    }

    /// Adds many jobs, in any number: they are read, encoded and sent in chunks of at most
    /// [`Limits::batch_max`](crate::Limits::batch_max) jobs and 16 MiB of payload, so that no more
    /// are in memory. The answers are in the order of the jobs.
    ///
    /// # Errors
    /// The errors of [`add`](Self::add). The chunks before the one that failed are stored; the
    /// message says how many jobs they had, and the certainty is `Unknown`. Add all of them again:
    /// those that are there are not added twice, unless their ids are generated.
    pub async fn add_all<I: Into<Id>>(
        &self,
        jobs: impl IntoIterator<Item = (I, P)>,
    ) -> Result<Vec<Enqueued<R>>> {
        self.add_all_with(jobs, JobOptions::new()).await
    }

    /// Adds many jobs with the same options, which take precedence over the options of the handle.
    ///
    /// # Errors
    /// The errors of [`add_all`](Self::add_all), and `Invalid` for an invalid option.
    pub async fn add_all_with<I: Into<Id>>(
        &self,
        jobs: impl IntoIterator<Item = (I, P)>,
        options: JobOptions,
    ) -> Result<Vec<Enqueued<R>>> {
        let options = self.checked(&self.queue.timed(options).await?)?;
        let call = self.store_all(jobs, &options);
        SendSpan::begin(self.queue.name()).around(call, |span, stored| span.jobs(stored.len())).await
    }

    async fn store_all<I: Into<Id>>(
        &self,
        jobs: impl IntoIterator<Item = (I, P)>,
        options: &CheckedOptions,
    ) -> Result<Vec<Enqueued<R>>> {
        let jobs_max = self.queue.storage().capabilities().limits.batch_max;
        let (mut answers, mut chunk, mut bytes) = (Vec::new(), Vec::new(), 0);
        for (id, payload) in jobs {
            let job = self.member(id.into(), &payload, options);
            let job = job.map_err(|error| partly(error, answers.len()))?;
            bytes += job.payload.bytes.len();
            chunk.push(job);
            if is_full(chunk.len(), bytes, jobs_max) {
                self.store_chunk(&mut answers, std::mem::take(&mut chunk)).await?;
                bytes = 0;
            }
        }
        if !chunk.is_empty() {
            self.store_chunk(&mut answers, chunk).await?;
        }
        Ok(answers)
    }

    async fn store_chunk(&self, answers: &mut Vec<Enqueued<R>>, chunk: Vec<NewJob>) -> Result<()> {
        let stored = self.store(chunk).await;
        answers.extend(stored.map_err(|error| partly(error, answers.len()))?);
        Ok(())
    }

    async fn store(&self, jobs: Vec<NewJob>) -> Result<Vec<Enqueued<R>>> {
        let keys = KeysOf::jobs(&jobs);
        let answers = self.store_members(jobs).await?.value;
        self.queue.typed_answers(keys, answers).await
    }
}

impl<P, R> Batch<P, R> {
    /// Adds jobs that are made already, as services do: all or none of them, at most
    /// [`Limits::batch_max`](crate::Limits::batch_max). The id of each is the part behind the name
    /// of the batch. No hook of the handle looks at them. The answers are in the order of the jobs,
    /// with the time of the store.
    ///
    /// # Errors
    /// The errors of [`add`](Self::add), with [`InvalidMember`] as the source for a job that cannot
    /// be a member.
    pub async fn add_jobs(&self, jobs: Vec<NewJob>) -> Result<Stamped<Vec<Stored>>> {
        let members = jobs.into_iter().map(|job| self.life.join(job, self.is_urgent));
        self.store_members(members.collect::<Result<_, InvalidMember>>()?).await
    }

    /// Stores members. From outside a sealed batch takes only those that it has.
    async fn store_members(&self, jobs: Vec<NewJob>) -> Result<Stamped<Vec<Stored>>> {
        let refusal = match standing_of(&self.queue.shared, &self.life).await?.0 {
            Standing::Open => None,
            Standing::Sealed => Some(BatchError::Sealed { name: self.name().clone() }.into()),
            Standing::Ended => Some(self.ended()),
            Standing::Missing => return Err(self.missing()),
        };
        if let Some(refusal) = refusal {
            self.expect_all_there(&jobs, refusal).await?;
        }
        let answers = self.queue.shared.store_group(jobs).await?;
        if answers.value.contains(&Stored::Orphaned) {
            // One is refused for what the batch is, so none of this call was stored.
            let (standing, _) = standing_of(&self.queue.shared, &self.life).await?;
            return Err(if standing == Standing::Missing { self.missing() } else { self.ended() });
        }
        Ok(answers)
    }

    async fn expect_all_there(&self, jobs: &[NewJob], refusal: Error) -> Result<()> {
        let ids: Vec<JobId> = jobs.iter().map(|job| job.id.clone()).collect();
        let found = self.queue.storage().get(self.queue.name(), &ids, Detail::Meta).await?.value;
        let is_member = |job: &JobMeta| job.signalling != Signalling::None;
        let are_there = found.iter().all(|found| found.as_ref().is_some_and(|job| is_member(&job.meta)));
        if are_there { Ok(()) } else { Err(refusal) }
    }
}

impl<P, R> Batch<P, R> {
    /// The options of a member. The handle may have a retention for jobs that are no members.
    fn checked(&self, options: &JobOptions) -> Result<CheckedOptions, InvalidOption> {
        if options.sets_retention() {
            return Err(InvalidOption::KeepOfMember);
        }
        options.checked_over(&self.queue.shared.options)
    }
}

impl<P: Encode, R> Batch<P, R> {
    fn member(&self, id: Id, payload: &P, options: &CheckedOptions) -> Result<NewJob> {
        if options.is_debounced() {
            return Err(InvalidOption::Debounce(DEBOUNCED).into());
        }
        let own = self.queue.shared.id_of(id, self.queue.kind(), payload)?;
        let job = self.queue.job_of(self.life.member(own.as_str())?, payload, options)?;
        Ok(self.life.admit(job, self.is_urgent)?)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `add` takes them")]
impl<P: Encode + 'static, R: Decode + 'static> Batch<P, R> {
    /// Adds a job in a transaction of the application, with the default options of the handle: it
    /// is a member if and only if the transaction commits, and the batch does not end before that.
    ///
    /// # Errors
    /// The errors of [`Queue::enqueue_in`](crate::Queue::enqueue_in), and [`BatchError::Ended`] if
    /// the batch has ended or is not there. Whether it is sealed is not looked at: a sealed batch
    /// that has not ended takes the member.
    pub fn add_in<T: Joinable>(
        &self,
        transaction: T,
        id: impl Into<Id>,
        payload: P,
    ) -> T::Answer<Enqueued<R>> {
        self.add_in_with(transaction, id, payload, JobOptions::new())
    }

    /// Adds a job in a transaction of the application, with options of its own.
    ///
    /// # Errors
    /// The errors of [`add_in`](Self::add_in), and `Invalid` for an invalid option.
    pub fn add_in_with<T: Joinable>(
        &self,
        transaction: T,
        id: impl Into<Id>,
        payload: P,
        options: JobOptions,
    ) -> T::Answer<Enqueued<R>> {
        let options = self.checked(&options).map_err(Error::from);
        let job = options.and_then(|options| self.member(id.into(), &payload, &options));
        let batch = self.clone();
        self.queue.join(transaction, job, move |answer| match answer {
            Enqueued::Orphaned { .. } => Err(batch.ended()),
            stored => Ok(stored),
        })
    }
}

/// The error of a chunk, with the number of members that the chunks before it had.
fn partly(error: Error, added: usize) -> Error {
    if added == 0 {
        return error;
    }
    let message = format!("the first {added} members are added, then: {error}");
    Error::new(error.kind(), "batch", message).with_source(error).unknown()
}
