//! A thread of a store's handle that sleeps until it is touched.

#[cfg(feature = "notify")]
mod directory_watch;
mod lazy_watcher;
mod look;
mod signal;

#[cfg(feature = "notify")]
pub use directory_watch::DirectoryWatch;
pub use lazy_watcher::LazyWatcher;
pub use look::Look;
pub use signal::{Signal, Wake};

use queue_core::{Error, ErrorKind, Result};
use std::{sync::Arc, thread::JoinHandle};

/// A thread that looks for what other processes wrote, or does what is due by the clock. It ends
/// with this: dropping it stops the signal and waits for the thread.
#[derive(Debug)]
pub struct Watcher {
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Starts a thread that ends when this signal is stopped.
    ///
    /// # Errors
    /// `Unavailable` if the system starts no thread.
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
