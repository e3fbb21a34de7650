//! The signals SIGINT and SIGTERM, awaited as requests to stop, and SIGHUP, as one to read files
//! again, or to stop where the terminal is the program's own.

use std::{future::pending, io};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The requests to stop from a person or a supervisor: SIGINT and SIGTERM.
#[derive(Debug)]
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
    hang_up: Option<Signal>,
}

impl StopSignals {
    /// Listens; from here on these signals no longer end the process by themselves.
    pub(crate) fn listen() -> io::Result<Self> {
        let (interrupt, terminate) = (SignalKind::interrupt(), SignalKind::terminate());
        Ok(Self { interrupt: signal(interrupt)?, terminate: signal(terminate)?, hang_up: None })
    }

    /// Listens for SIGHUP too, for a program that has changed its terminal and must not end without
    /// giving it back.
    #[cfg(feature = "top")]
    pub(crate) fn with_hang_up(self) -> io::Result<Self> {
        Ok(Self { hang_up: Some(signal(SignalKind::hangup())?), ..self })
    }

    /// Waits for the next request. Dropping the future loses none.
    pub(crate) async fn next(&mut self) {
        let Self { interrupt, terminate, hang_up } = self;
        let hung_up = async {
            match hang_up {
                Some(signal) => signal.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hung_up => {}
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
