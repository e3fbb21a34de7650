//! The checks of gates and end signals.

use crate::{END_SIGNALS_MAX, EndSignal, Error, NewJob, OnWaiting, Result, Span};

/// A job behind a gate waits for the gate alone.
pub(super) fn check_gate(operation: &'static str, job: &NewJob) -> Result<()> {
    let why = match job.gate {
        Some(_) if job.delay > Span::ZERO => {
            "has a delay; the time-out of the gate is when it is due at last"
        }
        Some(_) if job.expires_in.is_some() => "can expire; let a time-out open its gate",
        Some(_) if job.on_waiting != OnWaiting::Block => {
            "may replace a waiting one, which has counted signals"
        }
        _ => return Ok(()),
    };
    Err(Error::invalid(operation, format!("the job {:?} has a gate and {why}", job.id)))
}

pub(super) fn check_end_signals(operation: &'static str, job: &NewJob) -> Result<()> {
    let signals = &job.end_signals;
    let refused = |why: String| Err(Error::invalid(operation, format!("the job {:?} {why}", job.id)));
    if signals.len() > END_SIGNALS_MAX {
        return refused(format!("has {} end signals; a job has at most {END_SIGNALS_MAX}", signals.len()));
    }
    if !signals.is_empty() && job.on_waiting != OnWaiting::Block {
        return refused(
            "has end signals and may replace a waiting one, which is one of two to end".to_owned(),
        );
    }
    if signals.iter().any(|signal| signal.to == job.id) {
        return refused("signals its end to itself".to_owned());
    }
    let again = |(at, signal): (usize, &EndSignal)| signals[..at].iter().any(|one| one.to == signal.to);
    match signals.iter().enumerate().find(|it| again(*it)) {
        Some((_, signal)) => refused(format!("has two end signals to {:?}; one job gets one", signal.to)),
        None => Ok(()),
    }
}
