//! The loop that ticks until it is stopped.

use super::{Pace, PacedLoopBuilder, PacedTick, Round, pacing::Pacing, round::RoundRest};
use crate::runtime::{
    BoxError, Member,
    panics::{caught, guarded},
};
use async_trait::async_trait;
use futures_util::{StreamExt, stream::FuturesUnordered};
use std::{fmt, pin::pin, sync::Arc, time::Duration};
use tokio::{
    task::yield_now,
    time::{Instant, sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;

/// Runs a tick until it is stopped. A tick that panics, fails or takes too long counts as idle, and
/// the loop goes on. The part that a round [leaves](PacedTick::start) goes on beside the next
/// round, so that with a [`Processor`](crate::runtime::Processor) no item waits for another.
///
/// ```
/// # use std::{convert::Infallible, sync::atomic::{AtomicU32, Ordering}, time::Duration};
/// use queue_worker::runtime::{Pace, PacedLoop, tick_fn};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), queue_core::Error> {
/// let left = AtomicU32::new(3);
/// let countdown = tick_fn(move |stop| {
///     let before = left.fetch_sub(1, Ordering::SeqCst);
///     if before == 1 { stop.cancel() }
///     async { Ok::<_, Infallible>(Pace::Busy) }
/// });
/// let countdown = PacedLoop::builder(countdown).interval(Duration::from_secs(60)).immediate_first_tick().build()?;
/// countdown.run(Default::default()).await;
/// # Ok(()) }
/// ```
pub struct PacedLoop<P: PacedTick> {
    tick: P,
    pacing: Pacing,
    tick_timeout: Duration,
    first_tick: FirstTick,
    callbacks: Callbacks<P::Error>,
}

/// Why a tick came to nothing, other than a panic.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TickFailure<E> {
    /// The tick said so.
    Failed(E),
    /// The tick took longer than this and was dropped.
    TimedOut(Duration),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FirstTick {
    Immediate,
    AfterInterval,
}

/// The program's own listeners.
pub(super) struct Callbacks<E> {
    pub(super) on_panic: Arc<dyn Fn(&str) + Send + Sync>,
    pub(super) on_error: Arc<OnError<E>>,
}

type OnError<E> = dyn Fn(&TickFailure<E>) + Send + Sync;

impl<P: PacedTick> PacedLoop<P> {
    /// Starts to build a loop around a tick.
    pub fn builder(tick: P) -> PacedLoopBuilder<P> {
        PacedLoopBuilder::new(tick)
    }

    pub(super) fn new(
        tick: P,
        pacing: Pacing,
        tick_timeout: Duration,
        first_tick: FirstTick,
        callbacks: Callbacks<P::Error>,
    ) -> Self {
        Self { tick, pacing, tick_timeout, first_tick, callbacks }
    }

    /// Ticks until `stop` fires. Rounds that run then see the same token and are waited for. May be
    /// called again.
    ///
    /// Dropping the future drops every round that is not over.
    pub fn run(&self, stop: CancellationToken) -> impl Future<Output = ()> + Send {
        // The signature names `Send`, since a caller that spawns the future cannot always infer it.
        self.run_until(stop)
    }

    async fn run_until(&self, stop: CancellationToken) {
        let mut pacing = self.pacing.clone();
        let mut wait = match self.first_tick {
            FirstTick::Immediate => Duration::ZERO,
            FirstTick::AfterInterval => pacing.first_wait(),
        };
        let mut rests = FuturesUnordered::new();
        while !beside(&mut rests, is_stopped_within(wait, &stop)).await {
            let (pace, rest) = beside(&mut rests, self.start_once(&stop)).await;
            rests.extend(rest);
            wait = pacing.wait_after(pace);
        }
        while rests.next().await.is_some() {}
    }

    /// Makes one round up to where the next may follow. Answers the rest of it too.
    async fn start_once<'a>(&'a self, stop: &'a CancellationToken) -> (Pace, Option<RoundRest<'a>>) {
        let ends_at = Instant::now().checked_add(self.tick_timeout);
        match self.bounded(ends_at, self.tick.start(stop)).await {
            Some(Ok(Round { pace, rest })) => {
                let bounded = |rest| async move { self.bounded(ends_at, rest).await.unwrap_or_default() };
                (pace, rest.map(|rest| -> RoundRest<'a> { Box::pin(bounded(rest)) }))
            }
            Some(Err(error)) => {
                self.report(&TickFailure::Failed(error));
                (Pace::Idle, None)
            }
            None => (Pace::Idle, None),
        }
    }

    /// Runs a part of a round; `None` after a panic or a time-out, which is reported.
    async fn bounded<T>(&self, ends_at: Option<Instant>, part: impl Future<Output = T>) -> Option<T> {
        let bounded = async {
            match ends_at {
                Some(ends_at) => timeout_at(ends_at, part).await.ok(),
                None => Some(part.await),
            }
        };
        match caught(bounded).await {
            Ok(Some(output)) => return Some(output),
            Ok(None) => self.report(&TickFailure::TimedOut(self.tick_timeout)),
            Err(message) => {
                tracing::error!(message, "a tick panicked; the loop goes on");
                let _told = guarded("on_panic", || (self.callbacks.on_panic)(&message));
            }
        }
        None
    }

    fn report(&self, failure: &TickFailure<P::Error>) {
        tracing::warn!(%failure, "a tick failed; the loop goes on");
        let _told = guarded("on_error", || (self.callbacks.on_error)(failure));
    }
}

/// Does something, and meanwhile goes on with the rest of earlier rounds.
async fn beside<T>(rests: &mut FuturesUnordered<RoundRest<'_>>, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        tokio::select! {
            biased;
            Some(()) = rests.next() => {}
            output = &mut work => return output,
        }
    }
}

/// Waits, and answers whether a stop came. Even without a wait other tasks get their turn.
async fn is_stopped_within(wait: Duration, stop: &CancellationToken) -> bool {
    if wait.is_zero() {
        yield_now().await;
        return stop.is_cancelled();
    }
    tokio::select! {
        biased;
        () = stop.cancelled() => true,
        () = sleep(wait) => false,
    }
}

#[async_trait]
impl<P: PacedTick> Member for PacedLoop<P> {
    async fn run(self: Box<Self>, stop: CancellationToken) -> Result<(), BoxError> {
        PacedLoop::run(&self, stop).await;
        Ok(())
    }
}

impl<E> Default for Callbacks<E> {
    fn default() -> Self {
        Self { on_panic: Arc::new(|_| ()), on_error: Arc::new(|_| ()) }
    }
}

impl<E: fmt::Display> fmt::Display for TickFailure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => error.fmt(f),
            Self::TimedOut(timeout) => write!(f, "the tick took longer than {timeout:?}"),
        }
    }
}

impl<P: PacedTick> fmt::Debug for PacedLoop<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pacing, tick_timeout, first_tick, .. } = self;
        f.debug_struct("PacedLoop")
            .field("pacing", pacing)
            .field("tick_timeout", tick_timeout)
            .field("first_tick", first_tick)
            .finish_non_exhaustive()
    }
}
