//! Assertions on the jobs of a test queue.

use super::{
    TestStore,
    failure_text::{AssertionFailure, failure},
};
use crate::{CodecContext, CodecError, Decode, Queue, Role};
use queue_core::{Detail, JobBody, JobId, JobMeta, Kind, ListQuery, State, StorageExt};
use std::{fmt, panic::Location, time::Duration};

/// The most jobs on one page of a listing.
const PAGE: usize = 1000;

/// A job that was enqueued, as a test sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TestJob<P> {
    /// Its metadata.
    pub meta: JobMeta,
    /// The payload that the handler will get.
    pub payload: P,
}

/// A selection of the jobs of a [`TestQueue`](super::TestQueue). Nothing is read until one of the
/// last methods asserts or returns the jobs.
///
/// An assertion that does not hold prints what was expected, what there is, and its own place.
///
/// ```
/// use queue::{JobKind, JobOptions, testing::TestQueue};
/// use std::time::Duration;
///
/// const NEWS: JobKind<String> = JobKind::new("news");
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> queue::Result<()> {
/// let day = Duration::from_secs(86_400);
/// let emails: TestQueue<String> = TestQueue::new();
/// emails.of(NEWS).enqueue_with("a", "tips".to_owned(), JobOptions::new().delay(day)).await?;
///
/// let tips = emails.enqueued().kind(NEWS).payload("tips".to_owned()).due_in(day).assert_one().await;
/// assert_eq!(tips.meta.id.as_str(), "a");
/// emails.enqueued().due_now().assert_none().await;
/// # Ok(()) }
/// ```
#[must_use = "nothing is looked at before one of `all` and `assert_..` is awaited"]
pub struct EnqueuedJobs<'q, P, R> {
    queue: Queue<P, R>,
    store: &'q TestStore,
    expected: Vec<String>,
    /// The conditions on the metadata, and then on the payloads.
    metas: Vec<Expectation<'q, JobMeta>>,
    payloads: Vec<Expectation<'q, P>>,
    states: fn(State) -> bool,
}

/// A condition on a part of a job.
type Expectation<'q, T> = Box<dyn Fn(&T) -> bool + Send + Sync + 'q>;

impl<'q, P, R> EnqueuedJobs<'q, P, R> {
    pub(super) fn select_from(queue: Queue<P, R>, store: &'q TestStore) -> Self {
        Self {
            queue,
            store,
            expected: Vec::new(),
            metas: Vec::new(),
            payloads: Vec::new(),
            states: State::is_waiting,
        }
    }

    /// Also selects jobs that run or are finished, as long as they are kept: for
    /// [`TestQueue::inline`](super::TestQueue::inline), and after a run.
    pub fn in_any_state(mut self) -> Self {
        self.states = |_| true;
        self.expected.push("in any state".to_owned());
        self
    }

    /// Selects the job with this id.
    ///
    /// # Panics
    /// If the id is not valid.
    pub fn id(self, id: &str) -> Self {
        let wanted = JobId::new(id).expect("the id is valid");
        self.by_meta(format!("id {id:?}"), move |job| job.id == wanted)
    }

    /// Selects jobs of this kind; `default` is the kind of jobs that are enqueued without one.
    ///
    /// # Panics
    /// If the kind is not valid.
    pub fn kind(self, kind: impl AsRef<str>) -> Self {
        let wanted = Kind::new(kind).expect("the kind is valid");
        self.by_meta(format!("kind {wanted:?}"), move |job| job.kind == wanted)
    }

    /// Selects jobs of this priority.
    pub fn priority(self, priority: i16) -> Self {
        self.by_meta(format!("priority {priority}"), move |job| job.priority == priority)
    }

    /// Selects jobs that are due now.
    pub fn due_now(self) -> Self {
        let now = self.store.now();
        self.by_meta("due now".to_owned(), move |job| job.run_at <= now)
    }

    /// Selects jobs that are due in exactly this time, to the millisecond, since store time stands
    /// still.
    pub fn due_in(self, wait: Duration) -> Self {
        let now = self.store.now();
        self.by_meta(format!("due in {wait:?}"), move |job| {
            job.run_at.since(now).as_millis() == wait.as_millis()
        })
    }

    /// Selects jobs that have failed or stalled exactly this often.
    pub fn attempts_made(self, attempts: u32) -> Self {
        self.by_meta(format!("{attempts} attempts made"), move |job| job.attempts_made() == attempts)
    }

    /// Selects jobs with this payload. Jobs whose payload is not a `P` are not selected.
    pub fn payload(mut self, payload: P) -> Self
    where
        P: PartialEq + fmt::Debug + Send + Sync + 'q,
    {
        self.expected.push(format!("payload {payload:?}"));
        self.payloads.push(Box::new(move |found| *found == payload));
        self
    }

    /// Selects jobs whose payload is a `P` and fulfils a condition.
    pub fn payload_where(mut self, is_expected: impl Fn(&P) -> bool + Send + Sync + 'q) -> Self {
        self.expected.push("a payload as the test says".to_owned());
        self.payloads.push(Box::new(is_expected));
        self
    }

    fn by_meta(
        mut self,
        expected: String,
        is_expected: impl Fn(&JobMeta) -> bool + Send + Sync + 'q,
    ) -> Self {
        self.expected.push(expected);
        self.metas.push(Box::new(is_expected));
        self
    }

    /// All selected jobs, oldest first.
    ///
    /// # Panics
    /// If nothing is expected of the payloads, and one cannot be decoded as `P`. On a queue of
    /// several kinds select by [`TestQueue::enqueued_of`](super::TestQueue::enqueued_of).
    #[track_caller]
    pub fn all(&self) -> impl Future<Output = Vec<TestJob<P>>>
    where
        P: Decode,
    {
        self.selected(Location::caller())
    }

    async fn selected(&self, asked_at: &'static Location<'static>) -> Vec<TestJob<P>>
    where
        P: Decode,
    {
        let mut jobs = Vec::new();
        for meta in self.metas().await {
            match self.payload_of(&meta).await {
                Ok(payload) if self.payloads.iter().all(|is_expected| is_expected(&payload)) => {
                    jobs.push(TestJob { meta, payload });
                }
                Err(error) if self.payloads.is_empty() => panic!(
                    "the payload of {:?}, of kind {:?}, is of another type: {error}; `enqueued_of(KIND)` selects \
                     the jobs of one kind\nasserted at {asked_at}",
                    meta.id, meta.kind
                ),
                Ok(_) | Err(_) => {}
            }
        }
        jobs
    }

    /// Asserts that exactly one job is selected, and returns it.
    ///
    /// # Panics
    /// If there is none or more than one, with a message that lists the jobs; and like
    /// [`all`](Self::all).
    #[track_caller]
    pub fn assert_one(self) -> impl Future<Output = TestJob<P>>
    where
        P: Decode,
    {
        let jobs = self.assert_count(1);
        async move { jobs.await.pop().expect("there is one") }
    }

    /// Asserts that this many jobs are selected, and returns them, oldest first.
    ///
    /// # Panics
    /// If there are more or fewer, with a message that lists the jobs; and like [`all`](Self::all).
    #[track_caller]
    pub fn assert_count(self, count: usize) -> impl Future<Output = Vec<TestJob<P>>>
    where
        P: Decode,
    {
        let asserted_at = Location::caller();
        async move {
            let jobs = self.selected(asserted_at).await;
            if jobs.len() != count {
                self.fail(&count.to_string(), jobs.len(), asserted_at).await;
            }
            jobs
        }
    }

    /// Asserts that no job is selected.
    ///
    /// # Panics
    /// If there is one, with a message that lists the jobs.
    #[track_caller]
    pub fn assert_none(self) -> impl Future<Output = ()>
    where
        P: Decode,
    {
        let asserted_at = Location::caller();
        async move {
            let found = if self.payloads.is_empty() {
                self.metas().await.len()
            } else {
                self.selected(asserted_at).await.len()
            };
            if found > 0 {
                self.fail("0", found, asserted_at).await;
            }
        }
    }

    pub(super) async fn at_least_one(self, asserted_at: &'static Location<'static>) -> TestJob<P>
    where
        P: Decode,
    {
        let mut jobs = self.selected(asserted_at).await;
        if jobs.is_empty() {
            self.fail("at least 1", 0, asserted_at).await;
        }
        jobs.swap_remove(0)
    }

    /// The jobs whose metadata fulfils the conditions, oldest first.
    pub(super) async fn metas(&self) -> Vec<JobMeta> {
        let is_expected = |job: &JobMeta| self.metas.iter().all(|is_expected| is_expected(job));
        self.in_question().await.into_iter().filter(is_expected).collect()
    }

    async fn in_question(&self) -> Vec<JobMeta> {
        let mut query = ListQuery::all(self.queue.name().clone(), PAGE);
        let mut jobs = Vec::new();
        loop {
            let page = self.queue.storage().list(query.clone()).await.expect("memory lists");
            // The library's own jobs, such as schedules, are left out.
            let asked = |job: &JobMeta| (self.states)(job.state) && !job.kind.is_reserved();
            jobs.extend(page.jobs.into_iter().filter(asked));
            match page.next {
                Some(next) => query.after = Some(next),
                None => return jobs,
            }
        }
    }

    async fn payload_of(&self, meta: &JobMeta) -> Result<P, CodecError>
    where
        P: Decode,
    {
        self.queue.shared.decode(&self.body(&meta.id).await.payload, &CodecContext::of(meta, Role::Payload))
    }

    async fn body(&self, id: &JobId) -> JobBody {
        let read = self.queue.storage().get_one(self.queue.name(), id, Detail::Full);
        let record = read.await.expect("memory reads");
        record.and_then(|record| record.body).expect("a listed job is there")
    }

    async fn fail(&self, count: &str, found: usize, asserted_at: &Location<'_>) -> ! {
        let mut there_is = Vec::new();
        for meta in self.in_question().await {
            let payload = self.body(&meta.id).await.payload;
            there_is.push((meta, payload));
        }
        let (queue, now) = (self.queue.name(), self.store.now());
        let looked =
            AssertionFailure { queue, now, expected: &self.expected, count, found, there_is: &there_is };
        panic!("{}\nasserted at {asserted_at}", failure(&looked));
    }
}

impl<P, R> fmt::Debug for EnqueuedJobs<'_, P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnqueuedJobs").field("expected", &self.expected).finish_non_exhaustive()
    }
}
