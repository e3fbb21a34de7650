//! The loop that claims: it deals free slots to the queues, and sleeps until there is something to
//! claim.

use super::{
    claim_call::ClaimCall,
    dealer::Dealer,
    final_check::FinalCheck,
    flight::{KEPT_MAX, SLOW},
    queue_call::{self, QueueCall},
    queue_claims::{QueueClaims, poll_hints},
};
use crate::worker::{
    attempt::Dispatcher,
    rate::Reservation,
    run::WorkerRun,
    setup::{EndCondition, Prefetch},
};
use futures_util::{StreamExt, future::BoxFuture, stream::FuturesUnordered};
use std::{
    future::{pending, poll_fn},
    sync::Arc,
    task::{Context, Waker},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// A claim is worth its round trip once this share of all slots is free, or half of the ready jobs
/// are used.
const CLAIMS_PER_ROUND: usize = 4;

/// Claims when there is room for a fair number of jobs, or when handlers are about to run out of
/// them, and otherwise sleeps until exactly the next due job of any queue.
///
/// Free slots are dealt to the queues by weight. A queue has one call in flight at a time, so slots
/// that become free meanwhile are asked for together. Each answer is passed on as it comes: no
/// queue waits for another. Slots that a queue has no jobs for go to the others at once, and the
/// queue is not asked again before there may be something, so an empty queue costs nothing.
///
/// The fetcher awaits in one place alone, `sleep`, where it waits for anything to happen. Jobs that
/// claims in flight bring after a stop go to the dispatcher, which gives them back.
pub(in crate::worker) struct Fetcher {
    pub(super) run: Arc<WorkerRun>,
    pub(super) dispatcher: Arc<Dispatcher>,
    /// In the order of [`WorkerRun::queues`].
    pub(super) queues: Vec<QueueClaims>,
    pub(super) dealer: Dealer,
    pub(super) calls: FuturesUnordered<QueueCall>,
    /// Searches for jobs that claims whose answers were lost may still lease.
    pub(super) searches: FuturesUnordered<BoxFuture<'static, ()>>,
    /// A queue is worth asking and there is no room, or the outcomes of a queue have to be stored
    /// first.
    wants_room: bool,
    /// Nothing is held any more, so the end may have come.
    may_be_done: bool,
    pub(super) final_check: Option<FinalCheck>,
}

impl Fetcher {
    pub(in crate::worker) fn new(run: Arc<WorkerRun>, dispatcher: Arc<Dispatcher>) -> Self {
        let poll_interval = run.options.poll_interval;
        let queues = run.queues.iter().map(|queue| QueueClaims::new(queue.clone(), poll_interval)).collect();
        let dealer = Dealer::new(run.queues.iter().map(|queue| queue.weight));
        Self {
            run,
            dispatcher,
            queues,
            dealer,
            calls: FuturesUnordered::new(),
            searches: FuturesUnordered::new(),
            wants_room: false,
            may_be_done: false,
            final_check: None,
        }
    }

    /// Claims until the stop, and then waits for the calls that are still in flight.
    pub(in crate::worker) async fn fetch(mut self) {
        while !self.run.shutdown.stop.is_cancelled() {
            self.ask();
            self.sleep().await;
        }
        // The subscriptions are not polled from here on.
        self.queues.iter_mut().for_each(QueueClaims::close_hints);
        loop {
            tokio::select! {
                Some(answer) = self.calls.next() => self.note(vec![answer]),
                Some(()) = self.searches.next() => {}
                else => return,
            }
        }
    }

    /// Claims what there is room for, and stops a run that is at its end.
    fn ask(&mut self) {
        loop {
            let now = self.update_queues();
            self.begin_final_check(now);
            self.claim(now);
            if !self.calls.is_empty() {
                return;
            }
            match self.final_check.take() {
                None => return,
                Some(check) if check.is_done() => return self.run.shutdown.stop.cancel(),
                Some(_not_done) => {}
            }
        }
    }

    /// Brings what is known of the queues up to date: hints, the clock, and whether the store takes
    /// their outcomes.
    fn update_queues(&mut self) -> Instant {
        let _any = poll_hints(&mut self.queues, &self.run, &mut Context::from_waker(Waker::noop()));
        let now = Instant::now();
        let free_handlers = self.run.options.concurrency.saturating_sub(self.run.held.slots_taken());
        for (queue_index, queue) in self.queues.iter_mut().enumerate() {
            queue.free_handlers = free_handlers;
            queue.look_at_clock(now);
            queue.is_away = self.run.pause.is_on() || self.run.held.is_away(queue_index);
        }
        now
    }

    /// A run that ends by itself asks all its queues once it holds nothing, to see whether it is
    /// done.
    fn begin_final_check(&mut self, now: Instant) {
        let may_begin = self.run.options.until != EndCondition::Stopped
            && self.final_check.is_none()
            && self.calls.is_empty()
            && self.run.held.count() == 0;
        if may_begin && (self.may_be_done || self.is_any_open(now)) {
            self.may_be_done = false;
            self.queues.iter_mut().for_each(QueueClaims::wake);
            self.final_check = Some(FinalCheck::new(self.queues.len()));
        }
    }

    /// Deals out the slots that are free, and sends the claims for them. A queue that may not start
    /// anything is asked for no jobs where its answer alone can show that the worker is done.
    fn claim(&mut self, now: Instant) {
        let slots = if self.is_any_open(now) { self.offer_slots(now) } else { 0 };
        let demands: Vec<_> = self.queues.iter().map(|queue| queue.demand(now)).collect();
        let dealt = self.dealer.deal(slots, &demands);
        let batch_max = self.run.storage.capabilities().limits.batch_max;
        for (queue_index, wanted) in dealt.into_iter().enumerate() {
            let QueueClaims { queue, portion, .. } = &self.queues[queue_index];
            // The reservation precedes the claim, or two claims could use the same tokens of the
            // limit.
            let starts = queue.rate.as_ref().map(|rate| rate.reserve(wanted, now));
            let limit = starts.as_ref().map_or(wanted, Reservation::starts).min(batch_max);
            if limit > 0 || self.only_looks_at(queue_index) {
                let bytes_max = portion.bytes();
                let store_time = self.queues[queue_index].store_time(now);
                let limited_max = self.queues[queue_index].free_handlers;
                let queue = queue.clone();
                let call =
                    ClaimCall { queue_index, queue, limit, starts, limited_max, bytes_max, store_time };
                self.queues[queue_index].listen(&self.run);
                self.begin(queue_index, limit, queue_call::claim(call, &self.run));
            }
        }
        let waits = |queue: &QueueClaims| queue.is_away || queue.waits_for_handler();
        self.wants_room = self.is_any_open(now) || self.queues.iter().any(waits);
    }

    fn only_looks_at(&self, queue_index: usize) -> bool {
        let queue = &self.queues[queue_index];
        let is_idle = !queue.flight.is_under_way() && !queue.rests();
        is_idle && self.final_check.as_ref().is_some_and(|check| !check.has_heard_of(queue_index))
    }

    pub(super) fn begin(&mut self, queue_index: usize, slots: usize, call: QueueCall) {
        self.queues[queue_index].flight.begin(slots, Instant::now());
        self.calls.push(call);
    }

    fn is_any_open(&self, now: Instant) -> bool {
        self.queues.iter().any(|queue| queue.room(now) > 0)
    }

    /// Answers the free slots that are to be dealt out now. A claim for few jobs is put off while
    /// handlers have enough of them ready: then there are none, and the dispatcher signals room
    /// once half of the ready jobs are used.
    fn offer_slots(&self, now: Instant) -> usize {
        let ready_max = self.dispatcher.ready_max();
        let free = self.free_slots(now, ready_max);
        let is_fair = free >= self.slots(ready_max).div_ceil(CLAIMS_PER_ROUND);
        let is_put_off = free > 0 && !is_fair && self.dispatcher.signal_when_down_to(ready_max / 2);
        if is_put_off { 0 } else { free }
    }

    /// Slots that neither a held job takes nor a claim in flight is to fill.
    fn free_slots(&self, now: Instant, ready_max: usize) -> usize {
        let kept_max = self.kept_max(ready_max);
        let kept: usize = self.queues.iter().map(|queue| queue.flight.kept(now, kept_max)).sum();
        self.slots(ready_max).saturating_sub(self.run.held.slots_taken()).saturating_sub(kept)
    }

    fn slots(&self, ready_max: usize) -> usize {
        self.run.options.concurrency.saturating_add(ready_max)
    }

    /// How long slots are kept for a claim in flight. Ready jobs are given back only where the
    /// worker chooses by itself how many to hold, and jobs are long.
    fn kept_max(&self, ready_max: usize) -> Duration {
        let gives_back = self.run.options.prefetch == Prefetch::ByHandlerTime && ready_max == 0;
        if gives_back { KEPT_MAX } else { SLOW }
    }

    /// Resolves when a call ends, at a hint, at room, at the next due job or the next token of any
    /// queue, or at the stop.
    async fn sleep(&mut self) {
        let until = self.wakes_at(Instant::now());
        let timer = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => pending().await,
            }
        };
        let ends_by_itself = self.run.options.until != EndCondition::Stopped;
        let queues = &mut self.queues;
        let run = &*self.run;
        tokio::select! {
            biased;
            () = run.shutdown.stop.cancelled() => {}
            Some(answer) = self.calls.next() => self.note_all(answer),
            Some(()) = self.searches.next() => {}
            () = poll_fn(|context| poll_hints(queues, run, context)) => {}
            () = run.held.room_freed(), if self.wants_room => {}
            () = run.held.emptied(), if ends_by_itself => self.may_be_done = true,
            () = run.rate_freed.notified() => {}
            () = run.pause.ended() => {}
            () = timer => {}
        }
    }

    fn wakes_at(&self, now: Instant) -> Option<Instant> {
        let kept_max = self.kept_max(self.dispatcher.ready_max());
        let lends_at = self.queues.iter().filter_map(|queue| queue.flight.lends_at(now, kept_max));
        let lends_at = lends_at.filter(|_| self.wants_room);
        self.queues.iter().filter_map(|queue| queue.rests_until(now)).chain(lends_at).min()
    }
}
