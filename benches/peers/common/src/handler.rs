//! What handlers report, and the workers that run them.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{LazyLock, Mutex};

use tokio::sync::Notify;
use tokio::time::Instant;

/// Jobs whose number is above this share a bit with others; no measurement makes so many.
const NUMBERS_MAX: u64 = 1 << 25;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);
static SEEN: LazyLock<Vec<AtomicU64>> =
    LazyLock::new(|| (0..NUMBERS_MAX / 64).map(|_| AtomicU64::new(0)).collect());
static COUNT: AtomicU64 = AtomicU64::new(0);
static REPEATED: AtomicU64 = AtomicU64::new(0);
static LAST_NANOS: AtomicU64 = AtomicU64::new(0);
static CALLED: Notify = Notify::const_new();
static ENDED: Mutex<Option<String>> = Mutex::new(None);

/// The handler of every peer calls this first, and does nothing else.
pub fn handled(n: u64) {
    LAST_NANOS.store(nanos(), SeqCst);
    let bit = 1 << (n % 64);
    let word = &SEEN[(n % NUMBERS_MAX / 64) as usize];
    if word.fetch_or(bit, SeqCst) & bit != 0 {
        REPEATED.fetch_add(1, SeqCst);
    }
    COUNT.fetch_add(1, SeqCst);
    CALLED.notify_one();
}

/// Runs a worker until the process ends. The report says so if a worker ends before.
#[expect(clippy::disallowed_methods, reason = "the end of the process ends the worker")]
pub fn run_worker<T: Debug>(worker: impl Future<Output = T> + Send + 'static) {
    tokio::spawn(async move {
        let ended = format!("{:?}", worker.await);
        *ENDED.lock().expect("nobody panics with it") = Some(ended);
    });
}

/// Makes ready what the first call of a handler would otherwise pay for.
pub(crate) fn prepare() {
    LazyLock::force(&START);
    LazyLock::force(&SEEN);
}

/// Nanoseconds on the clock of [`last_start`].
pub(crate) fn nanos() -> u64 {
    START.elapsed().as_nanos() as u64
}

/// How many times a handler was called.
pub(crate) fn count() -> u64 {
    COUNT.load(SeqCst)
}

/// How many of these were for a job that had been handled before.
pub(crate) fn repeated() -> u64 {
    REPEATED.load(SeqCst)
}

/// When the newest call began.
pub(crate) fn last_start() -> u64 {
    LAST_NANOS.load(SeqCst)
}

/// Waits for a call after so many.
pub(crate) async fn wait_beyond(calls: u64) {
    while count() <= calls {
        CALLED.notified().await;
    }
}

/// What a worker said that has ended.
pub(crate) fn worker_ended() -> Option<String> {
    ENDED.lock().expect("nobody panics with it").clone()
}
