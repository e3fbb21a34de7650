//! The signals that ask a process to end.

/// Resolves when a signal asks the process to end, for
/// [`Worker::run_until`](crate::Worker::run_until). The signals are Ctrl-C, on Unix also SIGTERM,
/// which supervisors and containers send, and on Windows also the close of the console and the
/// shutdown of the machine.
///
/// From the call on these signals no longer end the process by themselves, for the rest of its life
/// and whether the future is polled or not. A signal that comes before the first poll is not lost.
/// Each future resolves with the first signal after it was made.
///
/// # Panics
/// Outside a tokio runtime, or in a runtime without I/O enabled, which signals come through.
#[must_use = "from here on these signals do nothing but resolve this future"]
pub fn shutdown_signal() -> impl Future<Output = ()> + Send + use<> {
    let mut requests =
        ShutdownRequests::listen().expect("the operating system refuses no handler of these signals");
    async move { requests.next().await }
}

#[cfg(unix)]
struct ShutdownRequests {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl ShutdownRequests {
    fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(windows)]
struct ShutdownRequests {
    interrupt: tokio::signal::windows::CtrlC,
    close: tokio::signal::windows::CtrlClose,
    shutdown: tokio::signal::windows::CtrlShutdown,
}

#[cfg(windows)]
impl ShutdownRequests {
    fn listen() -> std::io::Result<Self> {
        use tokio::signal::windows::{ctrl_c, ctrl_close, ctrl_shutdown};
        Ok(Self { interrupt: ctrl_c()?, close: ctrl_close()?, shutdown: ctrl_shutdown()? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.close.recv() => {}
            _ = self.shutdown.recv() => {}
        }
    }
}
