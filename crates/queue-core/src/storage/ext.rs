//! Calls that are built from the verbs of any store.

use super::{
    changing::{Changed, LIVES_MAX, kept_moving, kept_replaced, until_it_rests},
    filtered_queues::FilteredQueues,
    traced_followers::trace_followers,
};
use crate::{
    Applied, ClaimRequest, Claimed, Detail, Error, Headers, JobAttempts, JobId, JobMeta, JobRecord,
    LeaseToken, LibraryJob, ListQuery, Partition, PartitionQuery, PartitionStatus, QueueFilter, QueueName,
    QueueStatus, QueuesPage, QueuesQuery, Result, Rng, Stamped, Storage,
    lifecycle::{Event, Policy, Transition, decide},
};
use async_trait::async_trait;

/// The most reads in a row that bring none of the missing bodies. A read may bring none, because a
/// store may merge the requests of several callers into one answer, whose room then goes to others
/// first.
const FRUITLESS_READS_MAX: usize = 64;

/// Convenient calls that are built from the verbs of any [`Storage`], without new rules.
#[async_trait]
pub trait StorageExt: Storage {
    /// Settles or extends a job under the caller's own lease, and decides again if the job's flags
    /// changed meanwhile. `job` is the metadata of the claim; the token is inside the event, and no
    /// other token is tried.
    ///
    /// # Errors
    /// The errors of [`Storage::apply`], and `Conflict` after
    /// [`RE_DECIDES_MAX`](crate::RE_DECIDES_MAX) decisions.
    async fn settle(&self, job: &JobMeta, event: Event, policy: &Policy) -> Result<Changed> {
        self.settle_with(job, &Headers::NONE, event, policy).await
    }

    /// The same as [`settle`](Self::settle), with the headers of the job, which are part of its
    /// body: the jobs that follow it inherit its trace context ([`Headers::trace_on`]).
    ///
    /// # Errors
    /// The errors of [`settle`](Self::settle).
    async fn settle_with(
        &self,
        job: &JobMeta,
        headers: &Headers,
        event: Event,
        policy: &Policy,
    ) -> Result<Changed> {
        let ended = until_it_rests(self, job.clone(), headers, &event, policy).await?;
        ended.ok_or_else(|| kept_moving("settle"))
    }

    /// Changes a job that the caller does not hold: cancel, await, redrive and others. The event
    /// must not contain a token.
    ///
    /// The change is for the id: if a producer replaces the job meanwhile, it is decided again on
    /// the job that waits now, so that [`Changed::Missing`] means that no job had this id.
    ///
    /// # Errors
    /// The errors of [`Storage::get`] and [`Storage::apply`], and `Conflict` after
    /// [`RE_DECIDES_MAX`](crate::RE_DECIDES_MAX) decisions on one life or [`LIVES_MAX`] lives, when
    /// nothing was changed: try again.
    async fn change(&self, queue: &QueueName, id: &JobId, event: Event, policy: &Policy) -> Result<Changed> {
        change_if(self, (queue, id), event, policy, |_| Ok(())).await
    }

    /// The same as [`change`](Self::change) for a job of an application, as people and programs
    /// name it.
    ///
    /// # Errors
    /// The errors of [`change`](Self::change), and [`LibraryJob::refuse`] for a job of the library.
    async fn change_own(
        &self,
        queue: &QueueName,
        id: &JobId,
        event: Event,
        policy: &Policy,
    ) -> Result<Changed> {
        change_if(self, (queue, id), event, policy, LibraryJob::refuse).await
    }

    /// Reads one job.
    async fn get_one(&self, queue: &QueueName, id: &JobId, what: Detail) -> Result<Option<JobRecord>> {
        let ids = std::slice::from_ref(id);
        let found = match what {
            Detail::Meta => self.get(queue, ids, what).await?,
            Detail::Full => self.get_whole(queue, ids).await?,
        };
        Ok(found.value.into_iter().next().flatten())
    }

    /// Reads jobs with their bodies, in as many calls as the bodies need. Each record is as it was
    /// in the call that brought its body; the time is that of the last call.
    ///
    /// # Errors
    /// The errors of [`Storage::get`], and `Corrupt` if the store goes on answering without a
    /// body.
    async fn get_whole(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let mut found = self.get(queue, ids, Detail::Full).await?;
        let mut fruitless = 0;
        loop {
            let missing = without_body(&found.value);
            if missing.is_empty() {
                return Ok(found);
            }
            // An answer has at least one body, so each read makes progress unless a store merges
            // reads.
            let asked: Vec<JobId> = missing.iter().map(|&place| ids[place].clone()).collect();
            let again = self.get(queue, &asked, Detail::Full).await?;
            fruitless = if without_body(&again.value).len() == missing.len() { fruitless + 1 } else { 0 };
            if fruitless == FRUITLESS_READS_MAX {
                return Err(Error::without_body("get"));
            }
            (found.now, found.clock) = (again.now, again.clock);
            for (place, record) in missing.into_iter().zip(again.value) {
                found.value[place] = record;
            }
        }
    }

    /// Reads one job with the attempts that were charged to it.
    ///
    /// # Errors
    /// The errors of [`Storage::attempts`].
    async fn attempts_of(&self, queue: &QueueName, id: &JobId) -> Result<Stamped<Option<JobAttempts>>> {
        let found = self.attempts(queue, std::slice::from_ref(id)).await?;
        Ok(Stamped::at(found.moment(), found.value.into_iter().next().flatten()))
    }

    /// One queue with its counts and its pauses; `None` if the store does not list it.
    ///
    /// # Errors
    /// The errors of [`Storage::queues`].
    async fn status_of(&self, queue: &QueueName) -> Result<Option<QueueStatus>> {
        let page = self.queues(QueuesQuery::from(queue, 1)).await?;
        Ok(page.queues.into_iter().find(|status| status.name == *queue))
    }

    /// One partition of a queue; `None` if none of its jobs waits or runs and it has no limit of
    /// its own.
    ///
    /// # Errors
    /// The errors of [`Storage::partitions`].
    async fn partition_of(
        &self,
        queue: &QueueName,
        partition: &Partition,
    ) -> Result<Option<PartitionStatus>> {
        let page = self.partitions(PartitionQuery::of(queue.clone(), partition)).await?;
        Ok(page.partitions.into_iter().find(|status| status.partition == *partition))
    }

    /// One page of the queues that fit a filter, in the order of the bytes of their names. The
    /// bounds count after the filter, so the queues of others do not keep the ones that fit from
    /// the page.
    ///
    /// It looks at no more than [`QueueFilter::LOOKED_AT_MAX`] names, in 128 reads at most. A page
    /// that has a next one and is not full has reached this bound.
    ///
    /// # Errors
    /// The errors of [`Storage::queues`]. Nothing is written, so the future can be dropped at any
    /// time.
    async fn queues_of(&self, filter: &QueueFilter, query: QueuesQuery) -> Result<QueuesPage> {
        read_filtered(self, FilteredQueues::new(filter, query.start(), query.limit())).await
    }

    /// The first queues that fit a filter, at most `most`, which may be more than a page has. It
    /// looks at as many names as [`queues_of`](Self::queues_of).
    ///
    /// # Errors
    /// The errors of [`Storage::queues`]. Nothing is written, so the future can be dropped at any
    /// time.
    async fn first_queues_of(&self, filter: &QueueFilter, most: usize) -> Result<QueuesPage> {
        read_filtered(self, FilteredQueues::new(filter, "", most)).await
    }

    /// Ends lapsed leases, at most `limit`, and answers the jobs as they are after that. Other
    /// callers may do the same at the same time: each lapse is charged once.
    async fn rescue(&self, queue: &QueueName, limit: usize, policy: &Policy) -> Result<Vec<JobMeta>> {
        let lapsed = self.list(ListQuery::lapsed(queue.clone(), limit)).await?.jobs;
        let mut room = self.capabilities().limits.batch_max;
        let decided = lapsed.iter().filter_map(|job| decide(job, Event::Lapse, policy).ok());
        // Leases that a full batch leaves out are still lapsed when the next caller looks.
        let mut batch: Vec<Transition> =
            decided.take_while(|transition| takes_room(transition, &mut room)).collect();
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        self.trace_followers(queue, &mut batch).await;
        let applied = self.apply(batch).await?.value;
        Ok(applied.into_iter().filter_map(done).collect())
    }

    /// Copies the trace context of jobs that the caller does not hold to the jobs that follow them,
    /// as [`rescue`](Self::rescue) does. Only transitions with followers cost a read. If a job
    /// cannot be read, its followers have no trace context.
    async fn trace_followers(&self, queue: &QueueName, transitions: &mut [Transition]) {
        trace_followers(self, queue, transitions).await;
    }

    /// Claims, and if the claim finds no job but a lapsed lease, rescues and claims again. For
    /// callers that run no worker. The second claim has a token of its own, as every claim has.
    ///
    /// # Errors
    /// The errors of the verbs. Like any claim, the future should not be dropped before it is done.
    async fn claim_or_rescue(
        &self,
        request: ClaimRequest,
        policy: &Policy,
        rng: &dyn Rng,
    ) -> Result<Claimed> {
        let claimed = self.claim(request.clone()).await?;
        let overdue = claimed.next_due.is_some_and(|at| at <= claimed.now);
        if !claimed.jobs.is_empty() || claimed.pause.is_on() || request.limit == 0 || !overdue {
            return Ok(claimed);
        }
        self.rescue(&request.queue, request.limit, policy).await?;
        self.claim(ClaimRequest { token: LeaseToken::random(rng), ..request }).await
    }
}

impl<S: Storage + ?Sized> StorageExt for S {}

/// Changes the job of an id, if each life of it that is met passes the check.
async fn change_if<S: Storage + ?Sized>(
    storage: &S,
    (queue, id): (&QueueName, &JobId),
    event: Event,
    policy: &Policy,
    check: fn(&JobMeta) -> Result<()>,
) -> Result<Changed> {
    for _ in 0..LIVES_MAX {
        let Some(record) = storage.get_one(queue, id, Detail::Meta).await? else {
            return Ok(Changed::Missing);
        };
        check(&record.meta)?;
        match until_it_rests(storage, record.meta, &Headers::NONE, &event, policy).await? {
            // The life that was read was removed, which says nothing of the id.
            Some(Changed::Missing) => {}
            Some(changed) => return Ok(changed),
            None => return Err(kept_moving("change")),
        }
    }
    Err(kept_replaced("change"))
}

async fn read_filtered<S: Storage + ?Sized>(
    storage: &S,
    mut filtered: FilteredQueues<'_>,
) -> Result<QueuesPage> {
    while let Some(query) = filtered.next_read() {
        filtered.take(storage.queues(query).await?);
    }
    Ok(filtered.page())
}

/// The positions of the records whose body was left out.
fn without_body(records: &[Option<JobRecord>]) -> Vec<usize> {
    let is_missing = |record: &Option<JobRecord>| record.as_ref().is_some_and(|record| record.body.is_none());
    (0..records.len()).filter(|&place| is_missing(&records[place])).collect()
}

fn takes_room(transition: &Transition, room: &mut usize) -> bool {
    let left = room.checked_sub(transition.weight());
    *room = left.unwrap_or(*room);
    left.is_some()
}

fn done(applied: Applied) -> Option<JobMeta> {
    match applied {
        Applied::Done(meta) => Some(meta),
        Applied::LeaseLost(_) | Applied::Stale(_) | Applied::Missing => None,
    }
}
