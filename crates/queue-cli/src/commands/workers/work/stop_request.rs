//! Signals that ask a worker to stop.

use crate::{
    output::{self, Format},
    session::Session,
    signals::StopSignals,
};
use std::pin::pin;

/// How often a signal has asked the worker to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StopRequest {
    Never,
    Once,
    Twice,
}

/// Runs a worker to its end, and passes signals on to it.
pub(super) async fn on_signals<R>(
    running: impl Future<Output = R>,
    ask: impl Fn(StopRequest),
    session: &Session,
    signals: &mut StopSignals,
) -> (R, StopRequest) {
    let mut running = pin!(running);
    let mut stopped = StopRequest::Never;
    loop {
        tokio::select! {
            report = &mut running => return (report, stopped),
            () = signals.next() => {
                stopped = on_signal(stopped, session);
                ask(stopped);
            }
        }
    }
}

fn on_signal(stopped: StopRequest, session: &Session) -> StopRequest {
    let (now, words) = match stopped {
        StopRequest::Never => {
            (StopRequest::Once, "stopping: waiting for running commands; another signal kills them")
        }
        StopRequest::Once | StopRequest::Twice => {
            (StopRequest::Twice, "stopping now: their jobs go back to the queue")
        }
    };
    if session.out.format() == Format::Human {
        output::note(words);
    }
    now
}
