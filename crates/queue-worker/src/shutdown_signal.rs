//! The signals that ask a process to end.

/// Resolves when a signal asks the process to end, for
/// [`Worker::run_until`](crate::Worker::run_until). The signals are Ctrl-C, on Unix also SIGTERM,
/// which supervisors and containers send, and on Windows also the close of the console and the
/// shutdown of the machine.
///
/// From the call on these signals no longer end the process by themselves, for the rest of its life
/// and whether the future is polled or not. A signal that comes before the first poll is not lost.
/// Each future resolves with the first signal after it was made. So a program that does other
/// things beside its worker has to end by itself when the worker has stopped, as below. A program
/// that runs a worker in a task and need not end it in good order uses
/// [`Worker::run`](crate::Worker::run), and a signal ends it as any other.
///
/// ```no_run
/// # async fn serve() {}
/// # async fn program(worker: queue_worker::Worker) {
/// tokio::select! {
///     report = worker.run_until(queue_worker::shutdown_signal()) => println!("{report:?}"),
///     () = serve() => {}
/// }
/// # }
/// ```
///
/// # Panics
/// Outside a tokio runtime, or in a runtime without I/O enabled, which signals come through.
#[must_use = "from here on these signals do nothing but resolve this future"]
pub fn shutdown_signal() -> impl Future<Output = ()> + Send + use<> {
    let mut requests =
        ShutdownRequests::listen().expect("the operating system refuses no handler of these signals");
    async move { requests.next().await }
}

/// Resolves at the second of the signals that [`shutdown_signal`] is for, for a program that is not
/// to wait for running handlers once it is asked to end again:
///
/// ```no_run
/// # async fn program(worker: queue_worker::Worker) {
/// use queue_worker::{second_shutdown_signal, shutdown_signal};
///
/// tokio::select! {
///     report = worker.run_until(shutdown_signal()) => println!("{report:?}"),
///     () = second_shutdown_signal() => std::process::exit(130),
/// }
/// # }
/// ```
///
/// The jobs that run then are left as by a worker that died: they run again once their leases have
/// lapsed, and a stall is charged. An exit is better than a return, since a runtime that is dropped
/// waits for [blocking handlers](crate::Router::handle_blocking).
///
/// # Panics
/// As [`shutdown_signal`].
#[must_use = "from here on these signals do nothing but resolve this future"]
pub fn second_shutdown_signal() -> impl Future<Output = ()> + Send + use<> {
    let mut requests =
        ShutdownRequests::listen().expect("the operating system refuses no handler of these signals");
    async move {
        requests.next().await;
        requests.next().await;
    }
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
