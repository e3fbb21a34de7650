//! Wake-ups by other processes: the operating system reports writes to the log, polling is the backstop, and a look at
//! the commit counter says whether they were ours.

use crate::{connect::connect_reader, error::Fault, sql, writer::Shared};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use queue_core::{Error, ErrorKind, Result};
use rusqlite::Connection;
use std::{
    ffi::OsString,
    path::Path,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    thread::JoinHandle,
    time::Duration,
};
use tokio::sync::oneshot;

/// Looks are at least this far apart, so that a busy log costs a bounded part of a core.
const LOOK_SPACING: Duration = Duration::from_micros(250);

/// A thread that tells the hub when somebody else wrote. It ends with its handle.
#[derive(Debug)]
pub(crate) struct Watcher {
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread waits for.
#[derive(Debug, Default)]
struct Signal {
    state: Mutex<SignalState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct SignalState {
    is_stopped: bool,
    is_touched: bool,
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wake {
    Stopped,
    Touched,
    TimedOut,
}

impl Watcher {
    /// Starts the thread and waits until it knows the present state, so that every later write of others is noticed.
    pub(crate) async fn start(shared: Arc<Shared>) -> Result<Self> {
        let signal = Arc::new(Signal::default());
        let (started, answer) = oneshot::channel();
        let own = signal.clone();
        let thread = std::thread::Builder::new().name("queue-sqlite-watcher".to_owned());
        let thread = thread.spawn(move || run(&shared, &own, started)).map_err(|error| {
            Error::new(ErrorKind::Unavailable, "subscribe", "no thread can be started").with_source(error)
        })?;
        let watcher = Self { signal, thread: Some(thread) };
        answer.await.unwrap_or_else(|_| Err(Error::unanswered("subscribe")))?;
        Ok(watcher)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.signal.set(|state| state.is_stopped = true);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Signal {
    fn set(&self, change: impl FnOnce(&mut SignalState)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    /// Waits for a touch, at most this long, and takes it.
    fn wait_for_touch(&self, timeout: Duration) -> Wake {
        let mut state = self.wait(timeout, |state| !state.is_stopped && !state.is_touched);
        match (state.is_stopped, std::mem::take(&mut state.is_touched)) {
            (true, _) => Wake::Stopped,
            (false, true) => Wake::Touched,
            (false, false) => Wake::TimedOut,
        }
    }

    /// Waits this long, whatever is touched meanwhile.
    fn wait_out(&self, timeout: Duration) -> Wake {
        if self.wait(timeout, |state| !state.is_stopped).is_stopped { Wake::Stopped } else { Wake::TimedOut }
    }

    fn wait(&self, timeout: Duration, is_idle: impl Fn(&SignalState) -> bool) -> MutexGuard<'_, SignalState> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(state, timeout, |state| is_idle(state));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

fn run(shared: &Shared, signal: &Arc<Signal>, started: oneshot::Sender<Result<()>>) {
    let fault = |error| Fault::new(&shared.options.path, error).of("subscribe");
    let touches = watch_log(&shared.options.path, signal);
    let begun = connect_reader(&shared.options).and_then(|connection| {
        let seen = foreign_commits(&connection, shared)?;
        Ok((connection, seen))
    });
    match begun {
        Ok((connection, seen)) => {
            if started.send(Ok(())).is_ok() {
                look_on(shared, signal, &connection, seen);
            }
        }
        Err(error) => drop(started.send(Err(fault(error)))),
    }
    drop(touches);
}

/// Looks soon after each touch, then at doubling intervals up to the poll interval: a log is written before the commit
/// in it can be seen, and how long the flush between the two takes is for the disk to say.
fn look_on(shared: &Shared, signal: &Signal, connection: &Connection, mut seen: i64) {
    let mut pause = shared.options.poll_interval;
    loop {
        pause = match signal.wait_for_touch(pause) {
            Wake::Stopped => return,
            // The spacing below is wait enough.
            Wake::Touched => Duration::ZERO,
            Wake::TimedOut => shared.options.poll_interval.min(LOOK_SPACING.max(pause * 2)),
        };
        if shared.hub.has_subscribers() {
            // A failed look is one hint less; the next one follows soon.
            let foreign = foreign_commits(connection, shared).unwrap_or(seen);
            if foreign > seen {
                seen = foreign;
                shared.hub.missed();
            }
        }
        if signal.wait_out(LOOK_SPACING) == Wake::Stopped {
            return;
        }
    }
}

/// How many commits were not ours. Reading the file first makes it too low rather than too high while we commit, and
/// the next look puts it right.
fn foreign_commits(connection: &Connection, shared: &Shared) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached(sql::LOAD_STORE)?;
    let all: i64 = statement.query_row([], |row| row.get(2))?;
    Ok(all - shared.own_commits.load(Ordering::SeqCst))
}

/// Asks the operating system for writes to the log. Where it cannot, polling remains.
fn watch_log(path: &Path, signal: &Arc<Signal>) -> Option<RecommendedWatcher> {
    // SQLite puts the log beside the file itself, not beside a link to it.
    let path = path.canonicalize().ok()?;
    let mut log: OsString = path.file_name()?.to_owned();
    log.push("-wal");
    let signal = signal.clone();
    let touched = move |event: notify::Result<Event>| {
        let is_log = |event: &Event| event.paths.iter().any(|path| path.file_name() == Some(&log));
        if event.is_ok_and(|event| (event.kind.is_modify() || event.kind.is_create()) && is_log(&event)) {
            signal.set(|state| state.is_touched = true);
        }
    };
    let mut watcher = notify::recommended_watcher(touched).ok()?;
    watcher.watch(path.parent()?, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}
