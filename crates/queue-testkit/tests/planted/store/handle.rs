use super::{state::State, together::Line};
use crate::defect::Defect;
use queue_core::{Clock, Error, ErrorKind, Hub, Result, Span, StoreTime, Timestamp};
use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

/// As many as a server would have.
const CONNECTIONS_MAX: usize = 100;

/// What the handles of one place share.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
    hubs: Mutex<Vec<Weak<Hub>>>,
    /// Set by closing any handle, with a defect.
    closed: AtomicBool,
    /// Counted with a defect alone.
    connections: AtomicUsize,
}

/// An open store with a defect, or none.
#[derive(Debug)]
pub(crate) struct PlantedStore {
    shared: Arc<Shared>,
    pub(super) hub: Arc<Hub>,
    time: Mutex<StoreTime>,
    closed: AtomicBool,
    pub(super) line: Line,
}

impl Shared {
    pub(crate) fn new(defect: Option<Defect>, clock: Arc<dyn Clock>) -> Self {
        Self {
            state: Mutex::new(State::new(defect)),
            clock,
            hubs: Mutex::default(),
            closed: AtomicBool::default(),
            connections: AtomicUsize::default(),
        }
    }

    /// A handle; the first after all others were closed finds what was durable.
    pub(crate) fn open(self: &Arc<Self>) -> PlantedStore {
        let hub = Arc::new(Hub::default());
        let mut hubs = lock(&self.hubs);
        hubs.retain(|hub| hub.strong_count() > 0);
        if hubs.is_empty() {
            lock(&self.state).reopen();
        }
        hubs.push(Arc::downgrade(&hub));
        self.closed.store(false, SeqCst);
        let time = Mutex::new(StoreTime::new(self.clock.ticks()));
        PlantedStore {
            shared: self.clone(),
            hub,
            time,
            closed: AtomicBool::new(false),
            line: Line::default(),
        }
    }

    /// Ends a step: what it changed is hinted at before another one can change it again.
    fn publish(&self, mut state: MutexGuard<'_, State>) {
        let notices = state.notices.take();
        if state.has(Defect::NoHints) {
            return;
        }
        let wakes_all = state.has(Defect::EverybodyWoken) && !notices.is_empty();
        let _still_locked = if state.has(Defect::HintsOutsideLock) {
            drop(state);
            // What a busy machine does sooner or later.
            std::thread::yield_now();
            None
        } else {
            Some(state)
        };
        for hub in lock(&self.hubs).iter().filter_map(Weak::upgrade) {
            notices.publish(&hub);
            if wakes_all {
                hub.missed();
            }
        }
    }
}

impl PlantedStore {
    /// One atomic step; what it changed is hinted at.
    pub(super) fn with<T>(&self, operation: &'static str, run: impl FnOnce(&mut State) -> T) -> Result<T> {
        if self.closed.load(SeqCst) || self.shared.closed.load(SeqCst) {
            return Err(Error::closed(operation));
        }
        let mut state = lock(&self.shared.state);
        self.tick(&mut state);
        let answer = run(&mut state);
        self.shared.publish(state);
        Ok(answer)
    }

    fn tick(&self, state: &mut State) {
        let (clock, ticks, mut time) = (&self.shared.clock, self.shared.clock.ticks(), lock(&self.time));
        let floor =
            if state.has(Defect::FloorTooFast) { fast_floor(*time, ticks) } else { time.floor(ticks) };
        let now = state.tick(clock.now(), floor);
        time.note(now, ticks);
    }

    pub(super) fn has(&self, defect: Defect) -> bool {
        lock(&self.shared.state).has(defect)
    }

    /// For a stream, with a defect: it is never given back.
    pub(super) fn take_connection(&self) -> Result<()> {
        if !self.has(Defect::StreamsRunOut) || self.shared.connections.fetch_add(1, SeqCst) < CONNECTIONS_MAX
        {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Unavailable, "subscribe", "there are too many connections"))
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

/// A panic of a case leaves no step half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
