//! A limit over all processes, and how a permit is obtained.

use super::{
    Permit, PermitsBuilder,
    builder::{QUEUE_PREFIX, check_starts},
    permit::{PermitLease, serve},
};
use crate::{
    hint_subscription::HintSubscription,
    single::{SingleClaims, checked_lease, note_nothing, policy, rest},
    spawn::spawn,
    worker::fresh_id,
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

/// A number of starts in any period, counted over all processes that have the same store and give
/// the same name.
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
    /// How many jobs this handle knows to exist.
    stocked: AtomicU32,
    pub(super) period: Span,
    pub(super) lease: Span,
    poll_interval: Duration,
    id: WorkerId,
    rng: Arc<dyn Rng>,
    /// Held by the one caller that asks the store. Others wait for it in their order.
    turn: Semaphore,
}

impl Permits {
    /// Starts to describe a limit: at most `starts` in any `period`. The name is 1 to 247 bytes
    /// without control characters. The permits lie in the queue `permits:` + name. A worker on that
    /// queue would use them up without knowing.
    ///
    /// All processes that give the same name should give the same numbers; see
    /// [`resize`](Self::resize).
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

    /// Waits until a start is allowed, and keeps it for as long as the [`Permit`] lives, at most
    /// for a lease. Callers that wait on one handle get permits in their order. A call that the
    /// store refuses for now is tried again.
    ///
    /// # Errors
    /// Errors that do not pass by themselves, such as that of a store that is closed.
    ///
    /// A dropped future holds nothing: a task of its own finishes a claim that is in flight and
    /// gives it back.
    ///
    /// # Panics
    /// Outside a tokio runtime with time enabled.
    pub async fn acquire(&self) -> Result<Permit> {
        let (reply, answer) = oneshot::channel();
        let leave = CancellationToken::new();
        let _leaves_when_dropped = leave.clone().drop_guard();
        drop(spawn(serve(self.limiter.clone(), leave, reply)));
        answer
            .await
            .map_err(|_| Error::new(ErrorKind::Internal, "acquire", "the store panicked").unknown())?
    }

    /// Allows this many starts from now on, by this handle and its clones. A greater number counts
    /// at once. A smaller number counts once the permits that are too many are claimed, each of
    /// which is then retired. Until all processes have the new number, the greatest one counts.
    ///
    /// # Errors
    /// `Invalid` for none or more than 100,000, and the errors of
    /// [`Storage::enqueue`](queue_core::Storage::enqueue): then permits may be missing until the
    /// next call of [`acquire`](Self::acquire) makes them.
    pub async fn resize(&self, starts: u32) -> Result<()> {
        check_starts(starts)?;
        self.limiter.starts.store(starts, Ordering::SeqCst);
        self.limiter.stock().await
    }
}

impl Limiter {
    /// Checks the settings. The builder's [`build`](PermitsBuilder::build) says what is refused.
    pub(super) fn new(builder: PermitsBuilder) -> Result<Self> {
        // The prefix must not hide that the name itself is empty.
        QueueName::new(builder.name.as_str())?;
        let queue = QueueName::new(format!("{QUEUE_PREFIX}{}", builder.name))?;
        let period = Span::positive("period", builder.period)?;
        let lease = checked_lease("build permits", builder.lease)?;
        let poll_interval = Span::positive("poll interval", builder.poll_interval)?.as_duration();
        check_starts(builder.starts)?;
        let id = builder.id.unwrap_or_else(|| fresh_id(&*builder.rng));
        Ok(Self {
            storage: builder.storage,
            queue,
            starts: AtomicU32::new(builder.starts),
            stocked: AtomicU32::new(0),
            period,
            lease,
            poll_interval,
            id,
            rng: builder.rng,
            turn: Semaphore::new(1),
        })
    }

    /// Claims until it holds a permit; `None` once the caller leaves.
    pub(super) async fn obtain(self: Arc<Self>, leave: &CancellationToken) -> Result<Option<PermitLease>> {
        let Some(turn) = leave.run_until_cancelled(self.turn.acquire()).await else { return Ok(None) };
        let _turn = turn.expect("it is never closed");
        let mut hints = HintSubscription::default();
        let mut claims = self.claims();
        let mut next_ask = NextAsk::for_claims(self.poll_interval);
        while !leave.is_cancelled() {
            hints.forget();
            // An error that matters comes back with the claim.
            let _none_yet = hints.subscribe(&self.storage, &self.queue);
            match hints.beside(self.attempt(&mut claims, &mut next_ask)).await {
                Ok(Some((job, lapses_at))) => {
                    return Ok(Some(PermitLease::new(self.clone(), job, lapses_at)));
                }
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

    /// Makes one claim, and answers a permit and when its lease lapses; `None` if there is none
    /// now, or the claim is to be repeated. When that is worth while is noted.
    async fn attempt(
        &self,
        claims: &mut SingleClaims<'_>,
        next_ask: &mut NextAsk,
    ) -> Result<Option<(ClaimedJob, Instant)>> {
        self.stock().await?;
        let (mut claimed, lapses_at) = claims.claim().await?;
        let Some(job) = claimed.jobs.pop() else {
            if claimed.next_due.is_none() && !claimed.pause.is_on() {
                // Another program removed them all.
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

    /// Makes the permits that are missing. Permits that others made are left as they are.
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

    /// Removes a permit that is one too many. It is due, so its last start is a period ago, and a
    /// permit that is made in its place later owes nothing to it.
    async fn retire(&self, job: &ClaimedJob) -> Result<()> {
        let token = job.token;
        let retention = Some(Retention::Remove);
        let result = Payload::new("", ContentType::from_static("application/octet-stream"));
        let event = Event::Complete { token, result, retention, then: Vec::new() };
        self.storage.settle(&job.record.meta, event, &policy()).await.map(drop)
    }
}

/// The job of a permit. It never fails for good, however many holders die.
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
