//! The subject that decides transitions of leased jobs.

use crate::{
    counted::{STEPS, Work, counted_section},
    job::{claim, engine_with},
};
use queue_core::{
    ContentType, Failure, Payload, Span,
    lifecycle::{Cause, Event, Policy, decide},
};
use std::hint::black_box;

/// Four events of a leased job: complete, fail, snooze, extend, in turn.
pub(crate) fn run(work: Work) -> anyhow::Result<()> {
    let leased = claim(&mut engine_with(STEPS)?, STEPS);
    let policy = Policy::default();
    // The mask of error texts is compiled for the first failure of a process.
    black_box(Failure::new("Refused", "the first"));
    let steps = work.steps().into_iter().map(|step| (&leased[step], step % 4)).collect();
    counted_section(steps, |(job, which)| {
        let token = job.token;
        let event = match which {
            0 => {
                let result = Payload::new("null", ContentType::from_static("application/json"));
                Event::Complete { token, result, retention: None, then: Vec::new() }
            }
            1 => {
                let failure = Failure::new("Refused", "the server said no");
                Event::Fail {
                    token,
                    failure,
                    cause: Cause::Retryable,
                    delay: None,
                    retention: None,
                    then: Vec::new(),
                }
            }
            2 => Event::snooze(token, Span::from_secs(1)),
            _ => Event::Extend { token, by: Span::from_secs(30), progress: None },
        };
        black_box(decide(&job.record.meta, event, &policy).is_ok());
    });
    Ok(())
}
