//! The signals that ask the program to stop, and the one that asks it to read files again.
//!
//! A signal that was ignored when the program started stays so for SIGHUP and SIGQUIT: `nohup` and
//! shells without job control mean it.

use std::{fs, future::pending, io, time::Duration};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::Instant,
};

/// A signal that comes so soon after the first is the same request: GNU `timeout` sends each to its
/// child and then to the group of the child.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// The requests to stop from a person, a supervisor or a terminal that closes: SIGINT, SIGTERM,
/// SIGHUP and SIGQUIT.
#[derive(Debug)]
pub(crate) struct StopSignals {
    interrupt: Signal,
    terminate: Signal,
    quit: Option<Signal>,
    hang_up: Option<Signal>,
    /// When the first request came.
    first: Option<Instant>,
}

impl StopSignals {
    /// Listens; from here on these signals no longer end the process by themselves.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self { hang_up: unless_ignored(SignalKind::hangup())?, ..Self::beside_reload()? })
    }

    /// Listens to all of them but SIGHUP, which is a [`ReloadSignal`] here.
    pub(crate) fn beside_reload() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            quit: unless_ignored(SignalKind::quit())?,
            hang_up: None,
            first: None,
        })
    }

    /// Waits for the next request; signals within a second of the first are part of it. Dropping
    /// the future loses none.
    pub(crate) async fn next(&mut self) {
        loop {
            self.signal().await;
            if is_request(&mut self.first, Instant::now()) {
                return;
            }
        }
    }

    async fn signal(&mut self) {
        let Self { interrupt, terminate, quit, hang_up, .. } = self;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = received(quit) => {}
            () = received(hang_up) => {}
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

/// Whether a signal that comes now is a request of its own.
fn is_request(first: &mut Option<Instant>, now: Instant) -> bool {
    first.replace(first.unwrap_or(now)).is_none_or(|first| now.duration_since(first) >= SAME_REQUEST)
}

async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => pending().await,
    }
}

fn unless_ignored(kind: SignalKind) -> io::Result<Option<Signal>> {
    // Elsewhere than on Linux there is no such file, and the signal counts as not ignored.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if is_ignored(&status, kind) { Ok(None) } else { signal(kind).map(Some) }
}

/// Whether the process ignores the signal, by the mask in its status.
fn is_ignored(status: &str, kind: SignalKind) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    (mask >> (kind.as_raw_value() - 1)) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::{SAME_REQUEST, is_ignored, is_request};
    use std::time::Duration;
    use tokio::{signal::unix::SignalKind, time::Instant};

    #[test]
    fn a_signal_right_after_the_first_is_the_same_request() {
        let (mut first, now) = (None, Instant::now());
        assert!(is_request(&mut first, now));
        for soon in [Duration::ZERO, SAME_REQUEST / 2, Duration::from_millis(999)] {
            assert!(!is_request(&mut first, now + soon), "{soon:?}");
        }
        assert!(is_request(&mut first, now + SAME_REQUEST));
        assert!(is_request(&mut first, now + SAME_REQUEST + Duration::from_millis(1)));
    }

    #[test]
    fn the_mask_of_a_process_says_what_it_ignores() {
        let nohup = "Name:\tqueue\nSigIgn:\t0000000000000001\nSigCgt:\t0000000000000004\n";
        assert!(is_ignored(nohup, SignalKind::hangup()));
        assert!(!is_ignored(nohup, SignalKind::quit()));
        assert!(!is_ignored("", SignalKind::hangup()));
    }
}
