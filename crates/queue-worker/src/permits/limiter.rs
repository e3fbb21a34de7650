use super::{
    Permit, PermitsBuilder,
    builder::{QUEUE_PREFIX, check_starts},
    permit::{Held, serve},
};
use crate::{
    single::{SingleClaims, checked_lease, note_nothing, policy, rest},
    spawn::spawn,
    worker::{fresh_id, hints::Hints},
};
use queue_core::{
    Budget, ClaimedJob, ContentType, Enqueued, Error, ErrorKind, JobId, Kind, NewJob, OnFailed, Payload,
    QueueName, Result, Retention, Rng, Span, Storage, StorageExt, WorkerId, asking::NextAsk,
    lifecycle::Event,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Semaphore, oneshot},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

/// So many starts in any period, counted over all processes that have the same store and say the same name.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// use queue_worker::Permits;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), queue_core::Error> {
/// let store = Arc::new(queue_memory::MemoryStorage::new());
/// let permits = Permits::builder(store, "smtp", 100, Duration::from_secs(60)).build()?;
///
/// let permit = permits.acquire().await?; // waits until a start is allowed
/// permit.start().await?; // from here on it counts, for a minute
/// println!("sending");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Permits {
    limiter: Arc<Limiter>,
}

/// What the clones of a handle and its permits share.
#[derive(Debug)]
pub(super) struct Limiter {
    pub(super) storage: Arc<dyn Storage>,
    queue: QueueName,
    starts: AtomicU32,
    /// How many jobs there are, as far as this handle made sure.
    stocked: AtomicU32,
    pub(super) period: Span,
    pub(super) lease: Span,
    poll_interval: Duration,
    id: WorkerId,
    rng: Arc<dyn Rng>,
    /// One of those who wait asks the store at a time, in their order.
    turn: Semaphore,
}

impl Permits {
    /// Starts to describe a limit: at most `starts` in any `period`. The name is 1 to 247 bytes without control characters. The
    /// permits lie in the queue `permits:` + name; a worker on that queue would use them up without knowing.
    ///
    /// All who say the same name should say the same numbers; see [`resize`](Self::resize).
    pub fn builder(storage: Arc<dyn Storage>, name: &str, starts: u32, period: Duration) -> PermitsBuilder {
        PermitsBuilder::new(storage, name, starts, period)
    }

    pub(super) fn of(limiter: Limiter) -> Self {
        Self { limiter: Arc::new(limiter) }
    }

    /// The queue in which the permits lie. Pausing it holds back all starts.
    pub fn queue(&self) -> &QueueName {
        &self.limiter.queue
    }

    /// Waits until a start is allowed, and keeps it for as long as the [`Permit`] lives, at most for a lease. Those who wait on
    /// one handle get permits in their order. What the store refuses for a while is tried again.
    ///
    /// # Errors
    /// What will not pass by itself, such as a store that is closed.
    ///
    /// A dropped future holds nothing: a claim that is under way is finished by a task of its own and given back.
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn acquire(&self) -> Result<Permit> {
        let (tell, told) = oneshot::channel();
        let leave = CancellationToken::new();
        let _leaves_when_dropped = leave.clone().drop_guard();
        drop(spawn(serve(self.limiter.clone(), leave, tell)));
        told.await.map_err(|_| Error::new(ErrorKind::Internal, "acquire", "the store panicked").unknown())?
    }

    /// Allows so many starts from now on, by this handle and its clones. More are possible at once; fewer once the permits that
    /// are too many come to be claimed, each of which is then retired. Until all processes were told, the greater number counts.
    ///
    /// # Errors
    /// `Invalid` for none or more than 100,000, and those of [`Storage::enqueue`](queue_core::Storage::enqueue): then permits may be
    /// missing until the next call of [`acquire`](Self::acquire) makes them.
    pub async fn resize(&self, starts: u32) -> Result<()> {
        check_starts(starts)?;
        self.limiter.starts.store(starts, Ordering::SeqCst);
        self.limiter.stock().await
    }
}

impl Limiter {
    /// Checks what the builder was told; its [`build`](PermitsBuilder::build) says what is refused.
    pub(super) fn new(told: PermitsBuilder) -> Result<Self> {
        // The prefix must not hide that the name itself is empty.
        QueueName::new(told.name.as_str())?;
        let queue = QueueName::new(format!("{QUEUE_PREFIX}{}", told.name))?;
        let period = Span::positive("period", told.period)?;
        let lease = checked_lease("build permits", told.lease)?;
        let poll_interval = Span::positive("poll interval", told.poll_interval)?.as_duration();
        check_starts(told.starts)?;
        let id = told.id.unwrap_or_else(|| fresh_id(&*told.rng));
        let (starts, stocked) = (AtomicU32::new(told.starts), AtomicU32::new(0));
        let (storage, rng, turn) = (told.storage, told.rng, Semaphore::new(1));
        Ok(Self { storage, queue, starts, stocked, period, lease, poll_interval, id, rng, turn })
    }

    /// Claims until it holds a permit; `None` once nobody wants it any more.
    pub(super) async fn obtain(self: Arc<Self>, leave: &CancellationToken) -> Result<Option<Held>> {
        let Some(turn) = leave.run_until_cancelled(self.turn.acquire()).await else { return Ok(None) };
        let _turn = turn.expect("it is never closed");
        let (mut hints, mut claims) = (Hints::default(), self.claims());
        let mut next_ask = NextAsk::for_claims(self.poll_interval);
        while !leave.is_cancelled() {
            hints.forget();
            // An error that matters comes back with the claim.
            let _none_yet = hints.subscribe(&self.storage, &self.queue);
            match hints.beside(self.attempt(&mut claims, &mut next_ask)).await {
                Ok(Some((job, lapses_at))) => return Ok(Some(Held::new(self.clone(), job, lapses_at))),
                Ok(None) => {}
                Err(error) if error.is_transient() => {
                    next_ask.failed(Instant::now().into_std(), &*self.rng);
                    tracing::warn!(queue = %self.queue, %error, "a permit could not be asked for; it is tried again");
                }
                Err(error) => return Err(error),
            }
            rest(&mut next_ask, &mut hints, &*self.rng, leave).await;
        }
        drop(hints);
        claims.give_back().await;
        Ok(None)
    }

    fn claims(&self) -> SingleClaims<'_> {
        let Self { storage, queue, lease, id, rng, .. } = self;
        SingleClaims { storage, queue, lease: *lease, id, rng: &**rng, lost: Vec::new() }
    }

    /// A permit, and when its lease lapses; `None` if there is none, or it is to be tried again: when is noted.
    async fn attempt(
        &self,
        claims: &mut SingleClaims<'_>,
        next_ask: &mut NextAsk,
    ) -> Result<Option<(ClaimedJob, Instant)>> {
        self.stock().await?;
        let (mut claimed, lapses_at) = claims.claim().await?;
        let Some(job) = claimed.jobs.pop() else {
            if claimed.next_due.is_none() && !claimed.paused {
                // Somebody removed them all.
                self.stocked.store(0, Ordering::SeqCst);
            }
            note_nothing(next_ask, &claimed, &*self.rng);
            return Ok(None);
        };
        next_ask.wake();
        if number_of(&job).is_none_or(|number| number >= self.starts.load(Ordering::SeqCst)) {
            self.retire(&job).await?;
            return Ok(None);
        }
        // An answer may come so late that the permit is another's before it was seen.
        Ok(Some((job, lapses_at)).filter(|_| Instant::now() < lapses_at))
    }

    /// Makes the permits that are missing. One that was made by others is left as it is.
    async fn stock(&self) -> Result<()> {
        let starts = self.starts.load(Ordering::SeqCst);
        let stocked = self.stocked.load(Ordering::SeqCst);
        let batch_max = self.storage.capabilities().limits.batch_max;
        let missing: Vec<u32> = (stocked..starts).collect();
        for batch in missing.chunks(batch_max.max(1)) {
            let jobs = batch.iter().map(|number| vec![permit_job(*number)]).collect();
            let _made_or_there: Vec<Vec<Enqueued>> = self.storage.enqueue(&self.queue, jobs).await?.value;
        }
        self.stocked.store(starts, Ordering::SeqCst);
        Ok(())
    }

    /// It is due, so whatever it started is a period ago, and the start of one that is made anew counts by itself.
    async fn retire(&self, job: &ClaimedJob) -> Result<()> {
        let (token, retention) = (job.token, Some(Retention::Remove));
        let result = Payload::new("", ContentType::from_static("application/octet-stream"));
        let event = Event::Complete { token, result, retention, then: Vec::new() };
        self.storage.settle(&job.record.meta, event, &policy()).await.map(drop)
    }
}

/// Never fails for good, however many holders die.
fn permit_job(number: u32) -> NewJob {
    let id = JobId::new(number.to_string()).expect("digits are a valid id");
    let payload = Payload::new("", ContentType::from_static("application/octet-stream"));
    NewJob::new(id, Kind::from_static("permit"), payload)
        .with_max_attempts(Budget::Unlimited)
        .with_max_stalls(Budget::Unlimited)
        .with_on_failed(OnFailed::Replace)
}

fn number_of(job: &ClaimedJob) -> Option<u32> {
    job.record.meta.id.as_str().parse().ok()
}
