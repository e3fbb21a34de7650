//! Finds and gives back the jobs of a claim whose answer was lost.

use crate::{
    Applied, ClaimRequest, JobMeta, LeaseToken, ListQuery, QueueName, Result, Span, Storage, Timestamp,
    WorkerId, lifecycle::Withdrawal,
};

/// A claim whose answer was lost. No worker knows the jobs that it leased, or will still lease. So
/// the sender looks for them by the token of the claim and gives them back, uncharged: a lost
/// answer charges no job a stall. A lease that was extended since the claim stays, since then there
/// is a worker that holds it: the claim was answered by another path.
///
/// One look may be too early, since the claim may not have reached the store or ended there. The
/// sender looks again, with pauses, until the claim can lease nothing more.
///
/// ```
/// # use queue_core::{ClaimRequest, LostClaim, QueueName, Result, Rng, Span, Storage, WorkerId};
/// async fn claim(store: &dyn Storage, queue: QueueName, worker: WorkerId, rng: &dyn Rng) -> Result<()> {
///     let request = ClaimRequest::new(queue, worker, 10, Span::from_secs(30), rng);
///     let mut lost = LostClaim::of(&request);
///     match store.claim(request).await {
///         Err(error) if error.certainty() == queue_core::Certainty::Unknown => {
///             while !lost.give_back(store).await? { /* a pause, and a bound */ }
///         }
///         answer => drop(answer?.jobs),
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostClaim {
    queue: QueueName,
    worker: WorkerId,
    token: LeaseToken,
    lease: Span,
    not_after: Option<Timestamp>,
}

impl LostClaim {
    /// Notes what must be known of a claim before it is sent.
    pub fn of(request: &ClaimRequest) -> Self {
        let (queue, worker) = (request.queue.clone(), request.worker.clone());
        Self { queue, worker, token: request.token, lease: request.lease, not_after: request.not_after }
    }

    /// Looks once, and gives back the jobs that it finds. True if the claim can lease nothing more:
    /// the store found none of its jobs, would not begin the claim any more, and has had the time
    /// of a call to finish it. For a claim without [that time](ClaimRequest::not_after) this is
    /// assumed two call time-outs after the first look.
    ///
    /// # Errors
    /// The errors of [`Storage::list`] and [`Storage::apply`]; then look again. A dropped future
    /// may leave jobs for the next look.
    pub async fn give_back<S: Storage + ?Sized>(&mut self, store: &S) -> Result<bool> {
        let capabilities = store.capabilities();
        let mut query = ListQuery::held(self.queue.clone(), self.token, capabilities.limits.batch_max);
        let mut looked_at = None;
        let mut all_are_back = true;
        loop {
            let page = store.list(query.clone()).await?;
            looked_at.get_or_insert(page.now);
            let own = page.jobs.iter().filter(|job| self.is_holder_of(job));
            let found = own.filter_map(|job| Withdrawal::of_lease(job, self.lease));
            let batch: Vec<_> = found.map(|found| found.transition().clone()).collect();
            if !batch.is_empty() {
                let answers = store.apply(batch).await?.value;
                all_are_back &= !answers.iter().any(|answer| matches!(answer, Applied::Stale(_)));
            }
            query.after = page.next;
            if query.after.is_none() {
                // Jobs that were leased after the first page was read may be missing on the later
                // pages.
                let now = looked_at.unwrap_or(page.now);
                let call = Span::new("a call", capabilities.call_timeout).unwrap_or(Span::MAX);
                let not_after = *self.not_after.get_or_insert(now + call);
                return Ok(all_are_back && now > not_after + call);
            }
        }
    }

    /// A token that was used twice by accident does not prove the lease of another claim.
    fn is_holder_of(&self, job: &JobMeta) -> bool {
        job.lease.as_ref().is_some_and(|lease| lease.worker == self.worker)
    }
}
