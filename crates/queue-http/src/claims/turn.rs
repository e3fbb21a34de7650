//! One claim of a worker, from its arrival to its answer. It runs in a task of its own, so that a
//! worker that goes away leaves no job leased.

use super::{
    Ask, Handover,
    flights::Flight,
    give_back::give_back,
    line::{Line, Watch},
    one_claim::one_claim,
};
use crate::service::App;
use parking_lot::Mutex;
use queue_core::{Claimed, Detail, Duty, Error, ErrorKind, Moment, Result};
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep_until},
};

type Answer = oneshot::Sender<Result<Handover>>;

/// Claims jobs, and waits for some if there are none. Dropping the future, or the answer, leaves no
/// job leased.
pub(crate) async fn claim(app: &Arc<App>, ask: Ask, wait: Duration) -> Result<Handover> {
    let Some(flight) = app.claims.flights.begin(ask.token) else {
        let message =
            "a claim with this claim_id is under way, or was repeated; draw a new one for each claim";
        return Err(Error::new(ErrorKind::Conflict, "claim", message));
    };
    let (answer, answered) = oneshot::channel();
    let came = Instant::now();
    let turn = Turn { app: app.clone(), ask, flight, came, asked: Mutex::new(came), until: came + wait };
    app.tasks.spawn(turn.run(answer));
    answered.await.unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::Internal, "claim", "the store panicked in a claim").unknown())
    })
}

struct Turn {
    app: Arc<App>,
    ask: Ask,
    flight: Flight,
    came: Instant,
    /// When the store was asked last.
    asked: Mutex<Instant>,
    /// Until when the worker waits for a job.
    until: Instant,
}

/// Why a wait ended without a claim.
struct Over;

impl Turn {
    async fn run(self, mut answer: Answer) {
        let claimed = match self.claimed(&mut answer).await {
            Ok(claimed) => claimed,
            Err(error) => return drop(answer.send(Err(error))),
        };
        let jobs = claimed.jobs.clone();
        let waited = self.asked.lock().saturating_duration_since(self.came);
        let (taken, is_taken) = oneshot::channel();
        // An answer whose caller has left comes back here, and is dropped with its sender.
        drop(answer.send(Ok(Handover { claimed, taken, waited })));
        if !jobs.is_empty() && is_taken.await.is_err() {
            give_back(&self.app, &jobs).await;
        }
    }

    async fn claimed(&self, answer: &mut Answer) -> Result<Claimed> {
        let lines = &self.app.claims.lines;
        let waits = self.until > Instant::now();
        // Where a claim waits already, no job is due, and asking would overtake it.
        if !waits || !lines.has(&self.ask.queue) {
            let claimed = self.one_claim().await?;
            if !claimed.jobs.is_empty() || !waits {
                return Ok(claimed);
            }
        }
        let place = lines.join(&self.ask.queue);
        // One future for the whole wait, so that its place is not lost.
        let mut first = pin!(place.line.is_first());
        loop {
            tokio::select! {
                biased;
                over = self.over(answer) => return self.nothing(&place.line, over).await,
                () = place.line.may_ask() => {
                    let claimed = self.ask_once(&place.line).await?;
                    if !claimed.jobs.is_empty() {
                        return Ok(claimed);
                    }
                }
                _first = &mut first => return self.as_first(&place.line, answer).await,
            }
        }
    }

    /// Watches for jobs on behalf of the line, until there are some for this worker.
    async fn as_first(&self, line: &Line, answer: &mut Answer) -> Result<Claimed> {
        let mut watch = match line.take_watch() {
            Some(watch) => watch,
            None => Watch::begin(&self.app, &self.ask.queue).await,
        };
        loop {
            let over = tokio::select! {
                biased;
                over = self.over(answer) => Some(over),
                () = watch.rest(&self.app, &self.ask.queue) => None,
            };
            if let Some(over) = over {
                line.leave_watch(watch);
                return self.nothing(line, over).await;
            }
            let claimed = self.ask_once(line).await;
            let noted = claimed.as_ref().map(|claimed| (claimed, claimed.jobs.len()));
            watch.note(&self.app, noted, self.ask.limit);
            match claimed {
                Ok(claimed) if claimed.jobs.is_empty() => {}
                ended => {
                    line.leave_watch(watch);
                    return ended;
                }
            }
        }
    }

    async fn one_claim(&self) -> Result<Claimed> {
        *self.asked.lock() = Instant::now();
        one_claim(&self.app, &self.ask).await
    }

    async fn ask_once(&self, line: &Line) -> Result<Claimed> {
        let claimed = self.one_claim().await?;
        line.note(&claimed);
        line.melt(claimed.jobs.len(), self.ask.limit, &claimed);
        Ok(claimed)
    }

    /// Waits until the wait is over, for any reason.
    async fn over(&self, answer: &mut Answer) -> Over {
        tokio::select! {
            () = answer.closed() => {}
            () = self.flight.stopped() => {}
            () = self.app.tasks.closing() => {}
            () = self.app.duty_changed(&self.ask.worker, Duty::Work) => {}
            () = sleep_until(self.until) => {}
        }
        Over
    }

    /// The answer of a wait without jobs.
    async fn nothing(&self, line: &Line, _: Over) -> Result<Claimed> {
        if let Some(nothing) = line.nothing() {
            return Ok(nothing);
        }
        // A read of no job returns the time of the store.
        let read = self.app.storage.get(&self.ask.queue, &[], Detail::Meta).await?;
        Ok(Claimed::none(None, Moment { now: read.now, clock: read.clock }))
    }
}
