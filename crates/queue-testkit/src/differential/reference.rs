use crate::{Failure, Harness, Place, twin::Twin};
use async_trait::async_trait;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, ClaimedJob, Clock, Counts, Cursor, Detail, Durability,
    Enqueued, Error, HighWater, JobId, JobMeta, JobRecord, ListFilter, ListQuery, Moment, NewJob, Page,
    Prune, PruneRequest, QueueName, Reach, Result, Seq, Stamped, State, Storage, Timestamp,
    lifecycle::Transition,
};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The contract read aloud: a list of jobs, every verb a walk over it, no index that could be wrong.
#[derive(Debug)]
pub(super) struct Reference {
    jobs: Mutex<Jobs>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Default)]
struct Jobs {
    /// In the order of their lives.
    list: Vec<Twin>,
    paused: BTreeSet<QueueName>,
    last_seq: u64,
    time: HighWater,
}

/// Makes stores of the kind.
#[derive(Debug)]
pub(crate) struct ReferenceHarness;

#[derive(Debug)]
struct InMemory(Arc<Reference>);

#[async_trait]
impl Harness for ReferenceHarness {
    async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
        Ok(Box::new(InMemory(Arc::new(Reference { jobs: Mutex::default(), clock }))))
    }
}

#[async_trait]
impl Place for InMemory {
    async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
        Ok(self.0.clone())
    }
}

impl Reference {
    /// The jobs, without those that are overdue, and the time.
    fn look(&self) -> (MutexGuard<'_, Jobs>, Timestamp) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let now = jobs.time.advance(self.clock.now());
        jobs.list.retain(|twin| twin.meta(now).is_some());
        (jobs, now)
    }
}

impl Jobs {
    fn of<'a>(&'a self, queue: &'a QueueName) -> impl Iterator<Item = &'a JobMeta> {
        self.list.iter().map(|twin| &twin.job.meta).filter(move |meta| meta.queue == *queue)
    }

    fn find(&mut self, queue: &QueueName, id: &JobId) -> Option<&mut Twin> {
        self.list.iter_mut().find(|twin| twin.job.meta.queue == *queue && twin.job.meta.id == *id)
    }

    fn enqueue(&mut self, queue: &QueueName, new: &NewJob, now: Timestamp) -> Enqueued {
        let seq = Seq::new(self.last_seq + 1);
        let answer = if let Some(twin) = self.find(queue, &new.id) {
            twin.enqueue(new, seq, now)
        } else {
            self.list.push(Twin::begin(queue.clone(), new, seq, now));
            Enqueued::Queued { seq }
        };
        self.last_seq += u64::from(answer.is_new());
        self.list.sort_by_key(|twin| twin.job.meta.seq);
        answer
    }

    fn apply(&mut self, transition: &Transition, now: Timestamp) -> Applied {
        let Some(twin) = self.find(&transition.queue, &transition.id) else { return Applied::Missing };
        let answer = twin.apply(transition, now);
        let followers = std::mem::take(&mut twin.followers);
        self.list.retain(|twin| twin.meta(now).is_some());
        for new in followers {
            self.enqueue(&transition.queue, &new, now);
        }
        answer
    }

    fn claim(&mut self, request: &ClaimRequest, now: Timestamp) -> Vec<ClaimedJob> {
        let is_due = |meta: &JobMeta| meta.queue == request.queue && meta.is_due(now);
        let mut due: Vec<&mut Twin> = self.list.iter_mut().filter(|twin| is_due(&twin.job.meta)).collect();
        due.sort_by_key(|twin| (twin.job.meta.priority, twin.job.meta.run_at, twin.job.meta.seq));
        let lease = |twin: &mut Twin| {
            twin.lease(request, now);
            ClaimedJob { record: twin.record(now).expect("a leased job is there"), token: request.token }
        };
        due.into_iter().take(request.limit).map(lease).collect()
    }
}

#[async_trait]
impl Storage for Reference {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("reference", Durability::None, Reach::Process).with_pause()
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        let (mut jobs, now) = self.look();
        let mut enqueue =
            |group: &Vec<NewJob>| group.iter().map(|new| jobs.enqueue(queue, new, now)).collect();
        Ok(Stamped { now, clock: now, value: groups.iter().map(&mut enqueue).collect() })
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        let (mut jobs, now) = self.look();
        let paused = jobs.paused.contains(&request.queue);
        let claimed = if paused { Vec::new() } else { jobs.claim(&request, now) };
        let moment = |meta: &JobMeta| match &meta.lease {
            Some(lease) => Some(lease.expires_at),
            None => meta.state.is_waiting().then_some(meta.run_at),
        };
        let next_due = jobs.of(&request.queue).filter_map(moment).min();
        Ok(Claimed { jobs: claimed, next_due, paused, now, clock: now })
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        let (mut jobs, now) = self.look();
        Ok(Stamped {
            now,
            clock: now,
            value: batch.iter().map(|transition| jobs.apply(transition, now)).collect(),
        })
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let (mut jobs, now) = self.look();
        let mut read = |id| {
            let record = jobs.find(queue, id)?.record(now)?;
            let body = record.body.filter(|_| what == Detail::Full);
            Some(JobRecord { body, ..record })
        };
        Ok(Stamped { now, clock: now, value: ids.iter().map(&mut read).collect() })
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        let (jobs, now) = self.look();
        let skipped = match &query.after {
            Some(cursor) => {
                cursor.0.parse().map_err(|_| Error::invalid("list", "no cursor of this store"))?
            }
            None => 0,
        };
        let mut found: Vec<_> =
            jobs.of(&query.queue).filter(|meta| query.filter.matches(meta, None, now)).collect();
        if query.filter == ListFilter::Lapsed {
            found.sort_by_key(|meta| meta.lease.as_ref().map(|lease| lease.expires_at));
        }
        let end = skipped + query.limit;
        let next = (end < found.len()).then(|| Cursor(end.to_string()));
        Ok(Page {
            jobs: found.into_iter().skip(skipped).take(query.limit).cloned().collect(),
            next,
            now,
            clock: now,
        })
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        let (jobs, now) = self.look();
        let mut counts = Counts::empty(Moment::at(now));
        for state in State::ALL {
            counts.set(state, jobs.of(queue).filter(|meta| meta.state == state).count() as u64);
        }
        counts.scheduled = jobs.of(queue).filter(|meta| meta.is_scheduled(now)).count() as u64;
        counts.oldest_due = jobs.of(queue).filter(|meta| meta.is_due(now)).map(|meta| meta.run_at).min();
        Ok(counts)
    }

    async fn prune(&self, request: PruneRequest) -> Result<u64> {
        let (mut jobs, now) = self.look();
        let doomed = |meta: &JobMeta| match request.what {
            Prune::Expired => false,
            Prune::FinishedBefore(age) => meta.finished_at.is_some_and(|at| at + age <= now),
            Prune::Everything => true,
        };
        let mut pruned = 0;
        jobs.list.retain(|twin| {
            let meta = &twin.job.meta;
            let goes = pruned < request.limit && meta.queue == request.queue && doomed(meta);
            pruned += usize::from(goes);
            !goes
        });
        Ok(pruned as u64)
    }

    async fn set_paused(&self, queue: &QueueName, paused: bool) -> Result<()> {
        let (mut jobs, _) = self.look();
        if paused {
            jobs.paused.insert(queue.clone());
        } else {
            jobs.paused.remove(queue);
        }
        Ok(())
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::ReferenceHarness;
    use crate::{CaseReport, Selection, collect};

    /// The model knows nothing of the lifecycle, and the reference asks it for everything.
    #[test]
    fn the_reference_is_as_the_model_and_the_lifecycle_say() {
        let selection = Selection::default().only(["matrix::", "model::"]);
        let reports = collect(ReferenceHarness, &selection).expect("it opens");
        let failed: Vec<&CaseReport> = reports.iter().filter(|report| report.has_failed()).collect();
        assert!(failed.is_empty(), "{failed:#?}");
        assert!(reports.len() > 40, "these groups are there");
    }
}
