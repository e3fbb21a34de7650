use super::{
    ask::{Answered, Ask, answers},
    dealer::Dealer,
    lane::{After, Lane},
};
use crate::worker::{
    backoff::jittered, dispatcher::Dispatcher, maintenance, options::Until, rate::Reservation, shared::Shared,
};
use queue_core::{Claimed, QueueName, State};
use std::{
    future::{pending, poll_fn},
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::time::{Instant, sleep_until};

/// A claim is worth its round trip once this share of all slots is free, or the line of ready jobs is half gone.
const CLAIMS_PER_ROUND: usize = 4;

/// How often a run that ends with the last job looks whether another worker has finished it.
const OTHERS_POLL: Duration = Duration::from_millis(100);

/// Claims when there is room for a fair number of jobs, or when handlers are about to run out of them, and otherwise sleeps
/// until exactly the next due job of any queue. A queue has one claim in flight at a time, so slots that become free
/// meanwhile are asked for together.
///
/// Free slots are dealt to the queues by weight. What a queue does not have goes to the others in the same breath, and
/// the queue is not asked again before there may be something, so an empty one costs nothing.
///
/// It runs as a task of its own that is not aborted before the last step of a shutdown, since a dropped claim leaks
/// leases: a stop is looked at between claims, and what a late claim brings goes to the dispatcher, which gives it back.
pub(in crate::worker) struct Fetcher {
    shared: Arc<Shared>,
    dispatcher: Arc<Dispatcher>,
    lanes: Vec<Lane>,
    dealer: Dealer,
    /// Nothing is held any more, so the end may have come.
    may_be_done: bool,
}

/// What one fetch has seen of the end of the run.
struct Ending {
    /// Nothing was held when it began: what is settled later may have enqueued more.
    was_idle: bool,
    got_any: bool,
    /// Of each queue that was asked, whether nothing is left in it to wait for.
    done: Vec<Option<bool>>,
}

impl Fetcher {
    pub(in crate::worker) fn new(shared: Arc<Shared>, dispatcher: Arc<Dispatcher>) -> Self {
        let lanes = shared.queues.iter().cloned().map(Lane::new).collect();
        let dealer = Dealer::new(shared.queues.iter().map(|queue| queue.weight));
        Self { shared, dispatcher, lanes, dealer, may_be_done: false }
    }

    pub(in crate::worker) async fn run(mut self) {
        while self.something_to_ask().await {
            let Some(slots) = self.free_slots().await else { return };
            self.fetch(slots).await;
        }
    }

    /// Sleeps until a queue is worth asking; false at the stop.
    async fn something_to_ask(&mut self) -> bool {
        while !self.shared.signals.stop.is_cancelled() {
            let now = self.look();
            if self.may_be_done || self.lanes.iter().any(|lane| lane.room(now) > 0) {
                return true;
            }
            self.sleep(now).await;
        }
        false
    }

    /// Waits until a claim is worth its while, and answers how many jobs there is room for; `None` at the stop.
    async fn free_slots(&mut self) -> Option<usize> {
        while !self.shared.signals.stop.is_cancelled() {
            let room = self.room();
            if room > 0 {
                return Some(room);
            }
            tokio::select! {
                biased;
                () = self.shared.signals.stop.cancelled() => {}
                () = self.shared.room_freed.notified() => {}
            }
        }
        None
    }

    /// For how many jobs there is room; none as long as a claim is better put off.
    fn room(&self) -> usize {
        let line = self.dispatcher.length();
        let slots = self.shared.options.concurrency.saturating_add(line.most);
        let room = slots.saturating_sub(self.shared.held_count());
        let is_fair = room >= slots.div_ceil(CLAIMS_PER_ROUND);
        if room == 0 || is_fair || !self.dispatcher.tell_when_at(line.most / 2) { room } else { 0 }
    }

    /// Deals the slots out again and again, until they are used or no queue has anything for them.
    async fn fetch(&mut self, mut slots: usize) {
        let mut ending = self.begin();
        loop {
            let now = self.look();
            let rooms: Vec<usize> = self.lanes.iter().map(|lane| lane.room(now)).collect();
            let dealt = self.dealer.deal(slots, &rooms);
            let asks = self.asks(&dealt, now, &ending);
            if asks.is_empty() {
                break;
            }
            let mut answers = self.send(asks).await;
            self.pass_on(&dealt, &mut answers);
            for answered in answers {
                self.note(answered, &mut slots, &mut ending).await;
            }
            if slots == 0 || self.shared.signals.stop.is_cancelled() {
                break;
            }
        }
        if ending.is_over() {
            self.shared.signals.stop.cancel();
        }
    }

    /// A worker that ends by itself asks all its queues when it holds nothing, to see whether it is done.
    fn begin(&mut self) -> Ending {
        let was_idle = self.shared.options.until != Until::Stopped && self.shared.held_count() == 0;
        if was_idle {
            self.lanes.iter_mut().for_each(Lane::wake);
        }
        self.may_be_done = false;
        Ending { was_idle, got_any: false, done: vec![None; self.lanes.len()] }
    }

    /// A claim for each queue that was dealt slots. A queue that may not start anything is asked for nothing, if only its
    /// answer can show that the worker is done.
    fn asks(&self, dealt: &[usize], now: Instant, ending: &Ending) -> Vec<Ask> {
        let batch_max = self.shared.storage.capabilities().limits.batch_max;
        let mut wanted = vec![0; self.lanes.len()];
        for &lane in dealt {
            wanted[lane] += 1;
        }
        let mut asks = Vec::new();
        for (lane, Lane { queue, .. }) in self.lanes.iter().enumerate() {
            let starts = queue.rate.as_ref().map(|rate| rate.reserve(wanted[lane], now));
            let limit = starts.as_ref().map_or(wanted[lane], Reservation::starts).min(batch_max);
            let only_looks = ending.was_idle && ending.done[lane].is_none() && !self.lanes[lane].rests();
            if limit > 0 || only_looks {
                asks.push(Ask { lane, queue: queue.clone(), limit, starts });
            }
        }
        asks
    }

    async fn send(&mut self, asks: Vec<Ask>) -> Vec<Answered> {
        for ask in &asks {
            self.lanes[ask.lane].listen(&self.shared).await;
        }
        answers(asks, &self.shared, &self.dispatcher).await
    }

    /// In the order in which the slots were dealt, so that the queues start mixed.
    fn pass_on(&mut self, dealt: &[usize], answers: &mut [Answered]) {
        let got: usize = answers.iter().map(|answered| answered.jobs.len()).sum();
        let mut jobs = Vec::with_capacity(got);
        for &lane in dealt {
            if jobs.len() == got {
                break;
            }
            let of_lane = answers.iter_mut().find(|answered| answered.lane == lane);
            if let Some(job) = of_lane.and_then(|answered| answered.jobs.pop_front()) {
                self.dealer.charge(lane);
                jobs.push(job);
            }
        }
        if !jobs.is_empty() {
            self.dispatcher.add(jobs);
        }
    }

    async fn note(&mut self, answered: Answered, slots: &mut usize, ending: &mut Ending) {
        let Answered { lane, limit, got, answer, .. } = answered;
        *slots = slots.saturating_sub(got);
        ending.got_any |= got > 0;
        match answer {
            Ok(answer) => {
                ending.done[lane] = Some(self.is_done(&answer));
                if self.lanes[lane].note_answer(&self.shared, &answer, got, limit) == After::Rescue {
                    maintenance::rescue(&self.shared, &self.lanes[lane].queue.name).await;
                }
                let lane = &mut self.lanes[lane];
                if lane.rests() && waits_for_others(&self.shared, &lane.queue.name).await {
                    lane.shorten_rest(jittered(OTHERS_POLL, &*self.shared.rng));
                }
            }
            Err(error) => self.lanes[lane].note_error(&self.shared, error),
        }
    }

    /// Whether a queue has nothing that this worker is to wait for. What it put back itself for a while is not left.
    fn is_done(&self, answer: &Claimed) -> bool {
        let due_in = answer.next_due.map(|at| at.since(answer.now));
        match self.shared.options.until {
            Until::Stopped => false,
            Until::Idle => {
                let returning = self.shared.kinds.returning_for(Instant::now());
                answer.paused || due_in.is_none_or(|due_in| due_in > returning)
            }
            Until::Empty => due_in.is_none(),
        }
    }

    /// Notes which queues are worth asking by now.
    fn look(&mut self) -> Instant {
        let _any = poll_hints(&mut self.lanes, &self.shared, &mut Context::from_waker(Waker::noop()));
        let now = Instant::now();
        self.lanes.iter_mut().for_each(|lane| lane.look_at_clock(now));
        now
    }

    /// Until a hint, the next due job or the next token of any queue, or the stop.
    async fn sleep(&mut self, now: Instant) {
        let until = self.lanes.iter().filter_map(|lane| lane.rests_until(now)).min();
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
            () = poll_fn(|context| poll_hints(lanes, shared, context)) => {}
            () = shared.emptied.notified(), if shared.options.until != Until::Stopped => self.may_be_done = true,
            () = shared.rate_freed.notified() => {}
            () = timer => {}
        }
    }
}

impl Ending {
    fn is_over(&self) -> bool {
        self.was_idle && !self.got_any && self.done.iter().all(|done| *done == Some(true))
    }
}

/// Whether what keeps this run from its end may be in the hands of other workers. No hint tells when they are done.
async fn waits_for_others(shared: &Shared, queue: &QueueName) -> bool {
    if shared.options.until != Until::Empty || shared.held_count() > 0 {
        return false;
    }
    let counts = shared.storage.counts(queue).await;
    counts.is_ok_and(|counts| counts.of(State::Processing) > 0)
}

/// Polls all of them, so that each can wake the task.
fn poll_hints(lanes: &mut [Lane], shared: &Shared, context: &mut Context<'_>) -> Poll<()> {
    let mut any = Poll::Pending;
    for lane in lanes {
        if lane.poll_hints(shared, context).is_ready() {
            any = Poll::Ready(());
        }
    }
    any
}
