//! A watching thread that starts when it is first needed.

use super::{Signal, Watcher};
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use parking_lot::Mutex;
use queue_core::{Error, Result};
use std::sync::Arc;
use tokio::sync::oneshot;

/// A thread that watches for what other processes write, from the first subscription on. Its start
/// is the work of the thread itself, and depends on no caller: one whose future is dropped, or kept
/// and not polled, or whose runtime stands still, holds up no other.
///
/// ```
/// use queue_store::watcher::{LazyWatcher, Wake};
/// use std::{sync::{Arc, atomic::{AtomicU32, Ordering}}, time::Duration};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> queue_core::Result<()> {
/// let looks = Arc::new(AtomicU32::new(0));
/// let seen = looks.clone();
/// let watcher = LazyWatcher::default();
/// watcher.start("subscribe", "watcher", move |signal, started| {
///     // Here a notification of the operating system would touch it.
///     signal.touch();
///     if started.send(Ok(())).is_ok() {
///         while signal.wait_for_touch(Duration::from_millis(1)) != Wake::Stopped {
///             seen.fetch_add(1, Ordering::SeqCst);
///         }
///     }
/// })
/// .await?;
/// watcher.stop();
/// assert_eq!(Arc::strong_count(&looks), 1, "the thread is gone, and what it held");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct LazyWatcher(Mutex<WatcherState>);

#[derive(Debug, Default)]
enum WatcherState {
    #[default]
    Idle,
    Started(StartedWatcher),
    Stopped,
}

/// The thread, and whether it watches by now.
#[derive(Debug)]
struct StartedWatcher {
    watcher: Watcher,
    answer: StartAnswer,
}

type StartAnswer = Shared<BoxFuture<'static, Result<()>>>;

impl LazyWatcher {
    /// Starts a thread of this name unless there is one, and waits until it says that it watches:
    /// every later write of others is noticed. `operation` is for error messages. Dropping the
    /// future leaves the thread.
    ///
    /// # Errors
    /// The errors of `main`, after which the next call starts another, `Unavailable` if the system
    /// starts no thread, and `Closed` after [`stop`](Self::stop).
    pub async fn start(
        &self,
        operation: &'static str,
        name: &str,
        main: impl FnOnce(Arc<Signal>, oneshot::Sender<Result<()>>) + Send + 'static,
    ) -> Result<()> {
        let answer = self.begin(operation, name, main)?;
        let outcome = answer.clone().await;
        if outcome.is_err() {
            self.forget(&answer);
        }
        outcome
    }

    /// Stops the thread and waits for its end. None starts later.
    pub fn stop(&self) {
        let former = std::mem::replace(&mut *self.0.lock(), WatcherState::Stopped);
        drop(former);
    }

    fn begin(
        &self,
        operation: &'static str,
        name: &str,
        main: impl FnOnce(Arc<Signal>, oneshot::Sender<Result<()>>) + Send + 'static,
    ) -> Result<StartAnswer> {
        let mut state = self.0.lock();
        match &*state {
            WatcherState::Idle => {}
            WatcherState::Started(started) => return Ok(started.answer.clone()),
            WatcherState::Stopped => return Err(Error::closed(operation)),
        }
        let signal = Arc::new(Signal::default());
        let (started, answer) = oneshot::channel();
        let own = signal.clone();
        let watcher = Watcher::spawn(operation, name, signal, move || main(own, started))?;
        let answer = async move { answer.await.unwrap_or_else(|_| Err(Error::unanswered(operation))) };
        let answer = answer.boxed().shared();
        *state = WatcherState::Started(StartedWatcher { watcher, answer: answer.clone() });
        Ok(answer)
    }

    /// Lets go of a thread that could not watch, unless another took its place.
    fn forget(&self, failed: &StartAnswer) {
        let mut state = self.0.lock();
        let former = match std::mem::take(&mut *state) {
            WatcherState::Started(started) if started.answer.ptr_eq(failed) => Some(started.watcher),
            other => {
                *state = other;
                None
            }
        };
        drop(state);
        // It waits for the thread, which is at its end.
        drop(former);
    }
}
