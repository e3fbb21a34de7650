//! The signals SIGINT and SIGTERM, awaited as requests to stop, and SIGHUP, as one to read files
//! again.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The requests to stop from a person or a supervisor: SIGINT and SIGTERM.
#[derive(Debug)]
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// Listens; from here on these signals no longer end the process by themselves.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for the next request. Dropping the future loses none.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// The request to read files again: SIGHUP.
#[derive(Debug)]
pub(crate) struct ReloadSignal(Signal);

impl ReloadSignal {
    /// Listens; from here on the signal no longer ends the process.
    pub(crate) fn listen() -> io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    /// Waits for the next request. Dropping the future loses none.
    pub(crate) async fn next(&mut self) {
        self.0.recv().await;
    }
}
