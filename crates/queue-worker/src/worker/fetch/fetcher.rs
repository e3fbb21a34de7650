use super::{
    ask::{Answered, Ask},
    call::{self, Call, Ended, Left},
    dealer::Dealer,
    ending::{Ending, has_none_due, is_done},
    flight::{KEPT_MAX, SLOW},
    lane::{Lane, poll_hints},
};
use crate::worker::{
    dispatcher::Dispatcher, line::Length, options::Until, prefetch::Prefetch, rate::Reservation,
    shared::Shared,
};
use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use queue_core::asking::{AfterClaim, jittered};
use std::{
    collections::VecDeque,
    future::{pending, poll_fn},
    sync::Arc,
    task::{Context, Waker},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// A claim is worth its round trip once this share of all slots is free, or the line of ready jobs is half gone.
const CLAIMS_PER_ROUND: usize = 4;

/// How often a run that ends with the last job looks whether another worker has finished it.
const OTHERS_POLL: Duration = Duration::from_millis(100);

/// Claims when there is room for a fair number of jobs, or when handlers are about to run out of them, and otherwise sleeps
/// until exactly the next due job of any queue.
///
/// Free slots are dealt to the queues by weight. A queue has one call in flight at a time, so slots that become free
/// meanwhile are asked for together, and each answer is passed on as it comes: no queue waits for another. What a queue
/// does not have goes to the others in the same breath, and the queue is not asked again before there may be something, so
/// an empty one costs nothing.
///
/// Nothing is awaited but in one place, where the fetcher sleeps until anything happens. At a stop, what claims in flight
/// still bring goes to the dispatcher, which gives it back.
pub(in crate::worker) struct Fetcher {
    shared: Arc<Shared>,
    dispatcher: Arc<Dispatcher>,
    lanes: Vec<Lane>,
    dealer: Dealer,
    calls: FuturesUnordered<Call>,
    /// For what claims whose answers were lost still lease.
    watches: FuturesUnordered<BoxFuture<'static, ()>>,
    /// A queue is worth asking, and there is no room, or its own outcomes have to be stored first.
    wants_room: bool,
    /// Nothing is held any more, so the end may have come.
    may_be_done: bool,
    ending: Option<Ending>,
}

impl Fetcher {
    pub(in crate::worker) fn new(shared: Arc<Shared>, dispatcher: Arc<Dispatcher>) -> Self {
        let poll_interval = shared.options.poll_interval;
        let lanes = shared.queues.iter().map(|queue| Lane::new(queue.clone(), poll_interval)).collect();
        let dealer = Dealer::new(shared.queues.iter().map(|queue| queue.weight));
        Self {
            shared,
            dispatcher,
            lanes,
            dealer,
            calls: FuturesUnordered::new(),
            watches: FuturesUnordered::new(),
            wants_room: false,
            may_be_done: false,
            ending: None,
        }
    }

    pub(in crate::worker) async fn run(mut self) {
        while !self.shared.signals.stop.is_cancelled() {
            self.ask();
            self.sleep().await;
        }
        // Nobody would poll their subscriptions.
        self.lanes.iter_mut().for_each(Lane::close_hints);
        loop {
            tokio::select! {
                Some(ended) = self.calls.next() => self.note(vec![ended]),
                Some(()) = self.watches.next() => {}
                else => return,
            }
        }
    }

    /// Claims what there is room for, and stops a run that is at its end.
    fn ask(&mut self) {
        loop {
            let now = self.look();
            self.begin_ending(now);
            self.claim(now);
            if !self.calls.is_empty() {
                return;
            }
            match self.ending.take() {
                None => return,
                Some(ending) if ending.is_over() => return self.shared.signals.stop.cancel(),
                Some(_not_yet) => {}
            }
        }
    }

    /// Notes which queues are worth asking by now.
    fn look(&mut self) -> Instant {
        let _any = poll_hints(&mut self.lanes, &self.shared, &mut Context::from_waker(Waker::noop()));
        let now = Instant::now();
        for (place, lane) in self.lanes.iter_mut().enumerate() {
            lane.look_at_clock(now);
            lane.is_away = self.shared.is_away(place);
        }
        now
    }

    /// A run that ends by itself asks all its queues when it holds nothing, to see whether it is done.
    fn begin_ending(&mut self, now: Instant) {
        let may_begin = self.shared.options.until != Until::Stopped
            && self.ending.is_none()
            && self.calls.is_empty()
            && self.shared.held_count() == 0;
        if may_begin && (self.may_be_done || self.is_any_open(now)) {
            self.may_be_done = false;
            self.lanes.iter_mut().for_each(Lane::wake);
            self.ending = Some(Ending::new(self.lanes.len()));
        }
    }

    /// Deals out the slots that are free. A queue that may not start anything is asked for nothing, if only its answer can
    /// show that the worker is done.
    fn claim(&mut self, now: Instant) {
        let room = if self.is_any_open(now) { self.room(now) } else { 0 };
        let demands: Vec<_> = self.lanes.iter().map(|lane| lane.demand(now)).collect();
        let dealt = self.dealer.deal(room, &demands);
        let batch_max = self.shared.storage.capabilities().limits.batch_max;
        for (lane, wanted) in dealt.into_iter().enumerate() {
            let Lane { queue, portion, .. } = &self.lanes[lane];
            let starts = queue.rate.as_ref().map(|rate| rate.reserve(wanted, now));
            let limit = starts.as_ref().map_or(wanted, Reservation::starts).min(batch_max);
            if limit > 0 || self.only_looks_at(lane) {
                let (bytes_max, now) = (portion.bytes(), self.lanes[lane].store_time(now));
                let ask = Ask { lane, queue: queue.clone(), limit, starts, bytes_max, now };
                self.lanes[lane].listen(&self.shared);
                self.begin(lane, limit, call::claim(ask, &self.shared));
            }
        }
        self.wants_room = self.is_any_open(now) || self.lanes.iter().any(|lane| lane.is_away);
    }

    fn only_looks_at(&self, lane: usize) -> bool {
        let Lane { flight, .. } = &self.lanes[lane];
        let is_idle = !flight.is_under_way() && !self.lanes[lane].rests();
        is_idle && self.ending.as_ref().is_some_and(|ending| !ending.has_heard_of(lane))
    }

    fn begin(&mut self, lane: usize, slots: usize, call: Call) {
        self.lanes[lane].flight.begin(slots, Instant::now());
        self.calls.push(call);
    }

    fn is_any_open(&self, now: Instant) -> bool {
        self.lanes.iter().any(|lane| lane.room(now) > 0)
    }

    /// For how many jobs there is room; none as long as a claim is better put off.
    fn room(&self, now: Instant) -> usize {
        let line = self.dispatcher.length();
        let slots = self.shared.options.concurrency.saturating_add(line.most);
        let kept: usize = self.lanes.iter().map(|lane| lane.flight.kept(now, self.kept_max(line))).sum();
        let room = slots.saturating_sub(self.shared.slots_taken()).saturating_sub(kept);
        let is_fair = room >= slots.div_ceil(CLAIMS_PER_ROUND);
        if room == 0 || is_fair || !self.dispatcher.tell_when_at(line.most / 2) { room } else { 0 }
    }

    /// What waits in the line is given back only where the worker chooses by itself what to hold, and jobs are long.
    fn kept_max(&self, line: Length) -> Duration {
        let gives_back = self.shared.options.prefetch == Prefetch::ByHandlerTime && line.most == 0;
        if gives_back { KEPT_MAX } else { SLOW }
    }

    /// Until a call ends, a hint, room, the next due job or the next token of any queue, or the stop.
    async fn sleep(&mut self) {
        let until = self.wakes_at(Instant::now());
        let timer = async {
            match until {
                Some(until) => sleep_until(until).await,
                None => pending().await,
            }
        };
        let (lanes, shared) = (&mut self.lanes, &*self.shared);
        tokio::select! {
            biased;
            () = shared.signals.stop.cancelled() => {}
            Some(ended) = self.calls.next() => self.note_all(ended),
            Some(()) = self.watches.next() => {}
            () = poll_fn(|context| poll_hints(lanes, shared, context)) => {}
            () = shared.room_freed.notified(), if self.wants_room => {}
            () = shared.emptied.notified(), if shared.options.until != Until::Stopped => self.may_be_done = true,
            () = shared.rate_freed.notified() => {}
            () = timer => {}
        }
    }

    fn wakes_at(&self, now: Instant) -> Option<Instant> {
        let kept_max = self.kept_max(self.dispatcher.length());
        let lent = self.lanes.iter().filter_map(|lane| lane.flight.lends_at(now, kept_max));
        let lent = lent.filter(|_| self.wants_room);
        self.lanes.iter().filter_map(|lane| lane.rests_until(now)).chain(lent).min()
    }

    /// Notes what has ended by now, all together, so that jobs that came at the same time start mixed.
    fn note_all(&mut self, first: Ended) {
        let mut all = vec![first];
        while let Some(Some(ended)) = self.calls.next().now_or_never() {
            all.push(ended);
        }
        self.note(all);
    }

    fn note(&mut self, mut ended: Vec<Ended>) {
        self.pass_on(&mut ended);
        for ended in ended {
            match ended {
                Ended::Claim(answered) => self.note_claim(answered),
                Ended::Find { lost, is_over: false } => self.watches.push(call::watch(lost, &self.shared)),
                Ended::Find { is_over: true, .. } => {}
                Ended::Rescue(lane) => self.lanes[lane].flight.ended(),
                Ended::Look { lane, left } => self.note_left(lane, left),
            }
        }
    }

    fn note_left(&mut self, lane: usize, left: Left) {
        self.lanes[lane].flight.ended();
        match left {
            Left::Waiting => {}
            // No hint tells when they are done.
            Left::HeldByOthers => self.lanes[lane].shorten_rest(jittered(OTHERS_POLL, &*self.shared.rng)),
            Left::SchedulesAtMost => {
                if let Some(ending) = &mut self.ending {
                    ending.note(lane, false, Some(true));
                }
            }
        }
    }

    fn pass_on(&mut self, ended: &mut [Ended]) {
        let mut jobs_of: Vec<_> = self.lanes.iter().map(|_| VecDeque::new()).collect();
        for ended in ended {
            if let Ended::Claim(answered) = ended {
                jobs_of[answered.lane] = std::mem::take(&mut answered.jobs);
            }
        }
        let got: Vec<usize> = jobs_of.iter().map(VecDeque::len).collect();
        let order = self.dealer.charge(&got);
        let jobs: Vec<_> = order.into_iter().filter_map(|lane| jobs_of[lane].pop_front()).collect();
        if !jobs.is_empty() {
            self.dispatcher.add(jobs);
        }
    }

    fn note_claim(&mut self, answered: Answered) {
        let Answered { lane, limit, got, answer, lost, .. } = answered;
        let is_done = answer.as_ref().ok().map(|answer| is_done(&self.shared, answer));
        if let Some(ending) = &mut self.ending {
            ending.note(lane, got > 0, is_done);
        }
        let Lane { flight, .. } = &mut self.lanes[lane];
        match answer {
            Ok(answer) => {
                flight.answered(Instant::now());
                if self.lanes[lane].note_answer(&self.shared, &answer, got, limit) == AfterClaim::Rescue {
                    self.begin(lane, 0, call::rescue(lane, &self.shared));
                } else if self.may_wait_for_others()
                    && (self.lanes[lane].rests() || has_none_due(&answer, limit))
                {
                    self.begin(lane, 0, call::look(lane, &self.shared));
                }
            }
            Err(error) => {
                flight.ended();
                self.lanes[lane].note_error(&self.shared, error);
            }
        }
        if let Some(lost) = lost {
            self.lanes[lane].portion.halve(limit);
            self.calls.push(call::find(lost, &self.shared));
        }
    }

    /// Whether what keeps this run from its end may be in the hands of other workers.
    fn may_wait_for_others(&self) -> bool {
        self.shared.options.until == Until::Empty && self.shared.held_count() == 0
    }
}
