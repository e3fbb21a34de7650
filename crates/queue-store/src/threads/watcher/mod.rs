//! A thread of a store's handle that sleeps until it is touched.

mod look;
mod signal;

pub use look::Look;
pub use signal::{Signal, Wake};

use queue_core::{Error, ErrorKind, Result};
use std::{sync::Arc, thread::JoinHandle};
use tokio::sync::oneshot;

/// A thread that looks for what other processes wrote, or does what is due by the clock. It ends
/// with this: dropping it stops the signal and waits for the thread.
///
/// ```
/// use queue_store::watcher::{Wake, Watcher};
/// use std::{sync::{Arc, atomic::{AtomicU32, Ordering}}, time::Duration};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> queue_core::Result<()> {
/// let looks = Arc::new(AtomicU32::new(0));
/// let seen = looks.clone();
/// let watcher = Watcher::start("subscribe", "watcher", move |signal, started| {
///     // Here a notification of the operating system would touch it.
///     signal.touch();
///     if started.send(Ok(())).is_ok() {
///         while signal.wait_for_touch(Duration::from_millis(1)) != Wake::Stopped {
///             seen.fetch_add(1, Ordering::SeqCst);
///         }
///     }
/// })
/// .await?;
/// drop(watcher);
/// assert_eq!(Arc::strong_count(&looks), 1, "the thread is gone, and what it held");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Watcher {
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Starts a thread of this name, which says when it watches: every later write of others is
    /// noticed. `operation` is for error messages.
    ///
    /// # Errors
    /// What `main` says, and `Unavailable` if there is no thread to be had. Dropping the future
    /// stops the thread.
    pub async fn start(
        operation: &'static str,
        name: &str,
        main: impl FnOnce(Arc<Signal>, oneshot::Sender<Result<()>>) + Send + 'static,
    ) -> Result<Self> {
        let signal = Arc::new(Signal::default());
        let (started, answer) = oneshot::channel();
        let own = signal.clone();
        let watcher = Self::spawn(operation, name, signal, move || main(own, started))?;
        answer.await.unwrap_or_else(|_| Err(Error::unanswered(operation)))?;
        Ok(watcher)
    }

    /// Starts a thread that ends when this signal is stopped.
    ///
    /// # Errors
    /// `Unavailable` if there is no thread to be had.
    pub fn spawn(
        operation: &'static str,
        name: &str,
        signal: Arc<Signal>,
        main: impl FnOnce() + Send + 'static,
    ) -> Result<Self> {
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(main).map_err(|error| {
            Error::new(ErrorKind::Unavailable, operation, "no thread can be started").with_source(error)
        })?;
        Ok(Self { signal, thread: Some(thread) })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.signal.stop();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing left to do either.
            drop(thread.join());
        }
    }
}
