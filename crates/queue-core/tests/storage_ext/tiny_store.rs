//! The smallest store that the extension methods need: one queue in a map, a clock that the test
//! moves, and a hook that changes a record just before a transition arrives.

use async_trait::async_trait;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, ClaimedJob, Clock, ContentType, Counts, Detail, Durability,
    Enqueued, Headers, JobBody, JobId, JobMeta, JobRecord, Kind, LeaseToken, ListQuery, ManualClock, Moment,
    NewJob, Page, Pause, Payload, PruneRequest, QueueName, QueuesPage, QueuesQuery, Reach, Result, Seq, Span,
    Stamped, Storage, Timestamp, Walk, WorkerId,
    lifecycle::{TrackedJob, Transition, Verdict, apply, lease},
};
use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// The tests look just before and at its end.
pub(crate) const LEASE: Span = Span::from_secs(30);

/// Changes a record behind the caller's back.
pub(crate) type Meddle = fn(&mut TrackedJob);

#[derive(Debug, Default)]
pub(crate) struct TinyStore {
    pub(crate) clock: ManualClock,
    jobs: Mutex<BTreeMap<JobId, TrackedJob>>,
    /// The change, and the number of calls before which it is made.
    meddler: Mutex<Option<(Meddle, usize)>>,
    pub(crate) applies: AtomicUsize,
    pub(crate) claims: AtomicUsize,
    pub(crate) paused: AtomicBool,
}

pub(crate) fn queue() -> QueueName {
    QueueName::from_static("q")
}

pub(crate) fn id(text: &'static str) -> JobId {
    JobId::from_static(text)
}

pub(crate) fn request(limit: usize, token: u8) -> ClaimRequest {
    let (worker, token) = (WorkerId::from_static("w"), LeaseToken::from_bytes([token; 16]));
    let bytes_max = ClaimRequest::BYTES_MAX;
    let limited_max = usize::MAX;
    ClaimRequest {
        queue: queue(),
        worker,
        limit,
        lease: LEASE,
        token,
        bytes_max,
        not_after: None,
        limited_max,
    }
}

fn payload() -> Payload {
    Payload::new("x", ContentType::from_static("text/plain"))
}

impl TinyStore {
    /// A store with these jobs waiting.
    pub(crate) fn with(ids: &[&'static str]) -> Self {
        let store = Self::default();
        for (seq, name) in (1..).zip(ids) {
            let new = NewJob::new(id(name), Kind::unnamed(), payload());
            let meta = JobMeta::begin(queue(), &new, Seq::new(seq), store.clock.now());
            store.jobs().insert(new.id, TrackedJob::new(meta));
        }
        store
    }

    /// Changes the records concerned before each of the next calls of `apply`.
    pub(crate) fn meddle(&self, calls: usize, meddle: Meddle) {
        *self.meddler.lock().expect("no test panics with it") = Some((meddle, calls));
    }

    pub(crate) fn meta(&self, name: &'static str) -> JobMeta {
        self.jobs()[&id(name)].meta.clone()
    }

    pub(crate) fn lapse(&self) {
        self.clock.advance(LEASE.as_duration());
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<JobId, TrackedJob>> {
        self.jobs.lock().expect("no test panics with it")
    }

    fn next_meddle(&self) -> Option<Meddle> {
        let mut meddler = self.meddler.lock().expect("no test panics with it");
        let (meddle, calls) = meddler.as_mut().filter(|(_, calls)| *calls > 0)?;
        *calls -= 1;
        Some(*meddle)
    }

    fn apply_one(&self, transition: &Transition, meddle: Option<Meddle>) -> Applied {
        let mut jobs = self.jobs();
        let Some(job) = jobs.get_mut(&transition.id) else { return Applied::Missing };
        if let Some(meddle) = meddle {
            meddle(job);
        }
        let verdict = apply(job, transition, self.clock.now());
        let meta = job.meta.clone();
        match verdict {
            Verdict::Written { .. } | Verdict::Replayed => Applied::Done(meta),
            Verdict::Removed => {
                jobs.remove(&transition.id);
                Applied::Done(meta)
            }
            Verdict::LeaseLost => Applied::LeaseLost(meta),
            Verdict::Stale => Applied::Stale(meta),
            Verdict::Missing => Applied::Missing,
        }
    }

    fn next_due(&self) -> Option<Timestamp> {
        let moments = |job: &TrackedJob| match &job.meta.lease {
            Some(lease) => Some(lease.expires_at),
            None => job.meta.state.is_waiting().then_some(job.meta.run_at),
        };
        self.jobs().values().filter_map(moments).min()
    }
}

#[async_trait]
impl Storage for TinyStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities::new("tiny", Durability::None, Reach::Process)
    }

    async fn apply(&self, batch: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        self.applies.fetch_add(1, Ordering::SeqCst);
        let meddle = self.next_meddle();
        let value = batch.iter().map(|transition| self.apply_one(transition, meddle)).collect();
        Ok(Stamped::at(Moment::at(self.clock.now()), value))
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Claimed> {
        self.claims.fetch_add(1, Ordering::SeqCst);
        let (now, paused) = (self.clock.now(), self.paused.load(Ordering::SeqCst));
        let limit = if paused { 0 } else { request.limit };
        let mut claimed = Vec::new();
        for job in self.jobs().values_mut().filter(|job| job.meta.is_due(now)).take(limit) {
            lease(job, &request, now);
            let body = JobBody {
                payload: payload(),
                headers: Headers::NONE,
                result: None,
                error_details: None,
                end_signals: Vec::new(),
            };
            let record = JobRecord { meta: job.meta.clone(), body: Some(body) };
            claimed.push(ClaimedJob { record, token: request.token });
        }
        let pause = if paused { Pause::UntilResumed } else { Pause::Off };
        Ok(Claimed { jobs: claimed, pause, ..Claimed::none(self.next_due(), Moment::at(now)) })
    }

    async fn get(&self, _: &QueueName, ids: &[JobId], _: Detail) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let (now, jobs) = (self.clock.now(), self.jobs());
        let read = |id| jobs.get(id).map(|job| JobRecord { meta: job.meta.clone(), body: None });
        Ok(Stamped { now, clock: now, value: ids.iter().map(read).collect() })
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        assert_eq!(query.walk, Walk::Lapsed, "nothing else is listed here");
        query.page_of(self.jobs().values().cloned(), "tiny", Moment::at(self.clock.now()))
    }

    async fn enqueue(&self, _: &QueueName, _: Vec<Vec<NewJob>>) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        unreachable!("tests start with the jobs they need")
    }

    async fn counts(&self, _: &QueueName) -> Result<Counts> {
        unreachable!("no test counts")
    }

    async fn queues(&self, _: QueuesQuery) -> Result<QueuesPage> {
        unreachable!("no test lists queues")
    }

    async fn prune(&self, _: PruneRequest) -> Result<u64> {
        unreachable!("no test prunes")
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}
