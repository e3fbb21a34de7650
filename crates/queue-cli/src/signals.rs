//! The signals SIGINT and SIGTERM, awaited as requests to stop.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The requests of a person or a supervisor to stop: SIGINT and SIGTERM.
#[derive(Debug)]
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignals {
    /// From here on these signals end nothing by themselves.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// The next request. Dropping the future loses none.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
