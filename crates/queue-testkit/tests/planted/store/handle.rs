//! Handles on shared data: opening, closing, time and hints, and their defects.

use super::{state::State, together::Line};
use crate::defect::Defect;
use parking_lot::{Mutex, MutexGuard};
use queue_core::{
    Applied, Clock, ClockBound, ClockLeap, CompletedJob, ContentType, Error, ErrorKind, Payload, Result,
    Span, State as JobState, StoreTime, Timestamp,
};
use queue_store::Hub;
use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::task::yield_now;

/// As many as a server has.
const CONNECTIONS_MAX: usize = 100;

/// What the handles of one place share.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
    bound: ClockBound,
    hubs: Mutex<Vec<Weak<Hub>>>,
    /// Set when any handle closes; for one defect.
    closed: AtomicBool,
    /// Counted for one defect alone.
    connections: AtomicUsize,
}

/// An open store with a defect, or none.
#[derive(Debug)]
pub(crate) struct PlantedStore {
    shared: Arc<Shared>,
    pub(super) hub: Arc<Hub>,
    time: Mutex<StoreTime>,
    bound: Mutex<ClockBound>,
    closed: AtomicBool,
    pub(super) line: Line,
    /// The turn of a call, which all runtimes share; for one defect.
    turn: tokio::sync::Mutex<()>,
}

impl Shared {
    pub(crate) fn new(defect: Option<Defect>, clock: Arc<dyn Clock>, bound: ClockBound) -> Self {
        Self {
            state: Mutex::new(State::new(defect)),
            clock,
            bound,
            hubs: Mutex::default(),
            closed: AtomicBool::default(),
            connections: AtomicUsize::default(),
        }
    }

    /// Opens a handle; the first one after all others were closed finds what was durable.
    pub(crate) fn open(self: &Arc<Self>) -> PlantedStore {
        let hub = Arc::new(Hub::default());
        let mut hubs = self.hubs.lock();
        hubs.retain(|hub| hub.strong_count() > 0);
        if hubs.is_empty() {
            self.state.lock().reopen();
        }
        hubs.push(Arc::downgrade(&hub));
        self.closed.store(false, SeqCst);
        let time = Mutex::new(StoreTime::new(self.clock.ticks()));
        PlantedStore {
            shared: self.clone(),
            hub,
            time,
            bound: Mutex::new(self.bound.fresh()),
            closed: AtomicBool::new(false),
            line: Line::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// Ends a step: publishes hints of what it changed before another step can change it again.
    fn publish(&self, mut state: MutexGuard<'_, State>) {
        let notices = state.notices.take();
        if state.has(Defect::NoHints) {
            return;
        }
        let wakes_all = state.has(Defect::EverybodyWoken) && !notices.is_empty();
        let _still_locked = if state.has(Defect::HintsOutsideLock) {
            drop(state);
            // A busy machine interrupts here sooner or later.
            std::thread::yield_now();
            None
        } else {
            Some(state)
        };
        for hub in self.hubs.lock().iter().filter_map(Weak::upgrade) {
            notices.publish(&hub);
            if wakes_all {
                hub.missed();
            }
        }
    }
}

impl PlantedStore {
    /// One atomic step; hints are published for what it changed.
    pub(super) fn with<T>(&self, operation: &'static str, run: impl FnOnce(&mut State) -> T) -> Result<T> {
        if self.closed.load(SeqCst) || self.shared.closed.load(SeqCst) {
            return Err(Error::closed(operation));
        }
        let mut state = self.shared.state.lock();
        self.tick(operation, &mut state)?;
        let answer = run(&mut state);
        self.shared.publish(state);
        Ok(answer)
    }

    /// For one defect alone.
    pub(super) fn hint_at_cut_results(&self, answers: &[Applied]) {
        for answer in answers {
            let Applied::Done(meta) = answer else { continue };
            if meta.state != JobState::Completed {
                continue;
            }
            let (id, result) = (meta.id.clone(), Payload::new("d", ContentType::from_static("text/plain")));
            let job = CompletedJob { id, seq: meta.seq, revision: meta.revision, result };
            self.hub.ended_with(&meta.queue, &job);
        }
    }

    fn tick(&self, operation: &'static str, state: &mut State) -> Result<()> {
        let (clock, ticks, mut time) = (&self.shared.clock, self.shared.clock.ticks(), self.time.lock());
        let floor =
            if state.has(Defect::FloorTooFast) { fast_floor(*time, ticks) } else { time.floor(ticks) };
        if state.has(Defect::LeapRemembered) {
            time.note(clock.now().max(floor), ticks);
        }
        let is_read = ["get", "list", "counts", "queues", "attempts", "read_series"].contains(&operation);
        if !(state.has(Defect::LeapNotDoubted) || state.has(Defect::LeapReadable) && is_read) {
            self.check_clock(state, clock.now(), ticks).map_err(|leap| leap.of(operation))?;
        }
        let now = state.tick(clock.now(), floor);
        time.note(now, ticks);
        Ok(())
    }

    fn check_clock(
        &self,
        state: &State,
        clock: Timestamp,
        ticks: Duration,
    ) -> std::result::Result<(), ClockLeap> {
        let (mut bound, mark) = (self.bound.lock(), state.mark());
        let before = *bound;
        let checked = bound.check(mark, clock, ticks);
        if checked.is_err() && state.has(Defect::LeapDoubtedForGood) {
            *bound = before;
        }
        checked
    }

    pub(super) fn has(&self, defect: Defect) -> bool {
        self.shared.state.lock().has(defect)
    }

    /// Takes a connection for a stream that, with one defect, never gives it back.
    pub(super) fn take_connection(&self) -> Result<()> {
        if !self.has(Defect::StreamsRunOut) || self.shared.connections.fetch_add(1, SeqCst) < CONNECTIONS_MAX
        {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unavailable, "subscribe", "there are too many connections"))
    }

    /// Waits for its turn, which with one defect a call keeps until it is polled again.
    pub(super) async fn take_turn(&self) {
        if self.has(Defect::OneTurnForAll) {
            let _turn = self.turn.lock().await;
            yield_now().await;
        }
    }

    pub(super) fn shut(&self) {
        self.closed.store(true, SeqCst);
        if !self.has(Defect::StreamsOutliveClose) {
            self.hub.close();
        }
        if self.has(Defect::ClosesAll) {
            self.shared.closed.store(true, SeqCst);
        }
    }
}

/// A floor that runs as fast as real time: no clock ever catches up with it.
fn fast_floor(time: StoreTime, ticks: Duration) -> Timestamp {
    let told = time.floor(Duration::ZERO);
    let measured = time.floor(ticks).since(told).mul_f64(64.0 / 63.0);
    told + Span::new("measured", measured).expect("a short run")
}
