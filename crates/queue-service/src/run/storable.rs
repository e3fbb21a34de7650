//! What is settled in place of an outcome that cannot be stored.

use queue_core::{
    Failure, LeaseToken,
    lifecycle::{Cause, Event},
};

/// The outcome in a form that can be stored: a job that goes back loses its progress, a failure its
/// details and what follows it, and any other outcome becomes a final failure. `None` if it has
/// this form already.
pub(super) fn storable(event: &Event, why: &str) -> Option<Event> {
    if let Some(without_progress) = without_progress(event) {
        return Some(without_progress);
    }
    let fail = |failure: Failure, cause: Cause| Event::Fail {
        token: LeaseToken::from_bytes([0; 16]),
        failure,
        cause,
        delay: None,
        retention: None,
        then: Vec::new(),
    };
    match event {
        Event::Fail { failure, cause, then, .. } => (failure.details().is_some() || !then.is_empty())
            .then(|| fail(failure.clone().without_details(), *cause)),
        _ => Some(fail(Failure::new("Unstorable", why), Cause::Terminal)),
    }
}

fn without_progress(event: &Event) -> Option<Event> {
    let mut event = event.clone();
    let (Event::Snooze { progress, .. } | Event::Interrupt { progress, .. }) = &mut event else {
        return None;
    };
    progress.take().map(|_| event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_goes_back_with_too_much_progress_goes_back_without() {
        let token = LeaseToken::from_bytes([0; 16]);
        let event = Event::Interrupt { token, progress: Some("much".into()), then: Vec::new() };
        let without = storable(&event, "at most 1 byte").unwrap();
        assert!(matches!(without, Event::Interrupt { progress: None, .. }), "{without:?}");
        let last = storable(&without, "no more").unwrap();
        assert!(matches!(last, Event::Fail { cause: Cause::Terminal, .. }), "{last:?}");
        assert!(storable(&last, "no more").is_none());
    }
}
