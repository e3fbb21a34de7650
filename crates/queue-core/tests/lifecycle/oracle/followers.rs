//! The jobs that are enqueued in the step of an event.

use super::is_reserved;
use crate::world::BOUNDARY;
use queue_core::{
    ContentType, JobId, JobMeta, NewJob, Payload, Reason, State,
    lifecycle::{Cause, Event, Policy, TrackedJob},
};

/// The followers that the sender named, unless the event is a failure that the job survives; after
/// them the follow-up, if the job becomes Failed. The job's state is read from the record that the
/// event leads to.
pub(crate) fn followers(seen: &JobMeta, event: &Event, policy: &Policy) -> Vec<NewJob> {
    let end = ending(seen, event, policy);
    let named = match event {
        Event::Fail { then, .. } if end.is_some() => then.as_slice(),
        Event::Complete { then, .. }
        | Event::Release { then, .. }
        | Event::Interrupt { then, .. }
        | Event::Suspend { then, .. }
        | Event::Snooze { then, .. } => then.as_slice(),
        _ => &[],
    };
    let failed = end.filter(|end| end.state == State::Failed);
    named.iter().cloned().chain(failed.and_then(|end| follow_up(&end))).collect()
}

/// The record at its end, if a failure or a lapse ends it. Retention does not matter here, so the
/// record is kept: a record that is removed at once has ended in the same way.
fn ending(seen: &JobMeta, event: &Event, policy: &Policy) -> Option<JobMeta> {
    let is_ending = match event {
        Event::Fail { cause, .. } => !(*cause == Cause::UnknownKind && is_reserved(seen)),
        Event::Lapse => true,
        _ => false,
    };
    if !is_ending {
        return None;
    }
    let mut after = TrackedJob::new(JobMeta { awaited: true, ..seen.clone() });
    super::effects::effect(&mut after, event, policy, BOUNDARY);
    after.meta.state.is_terminal().then_some(after.meta)
}

/// The document is composed by hand: no text of these tests contains a quote.
fn follow_up(end: &JobMeta) -> Option<NewJob> {
    let kind = end.terms.on_failure.clone()?;
    let error = end.last_error.as_ref().expect("a job fails of something");
    let reason = match end.reason {
        Some(Reason::Exhausted) => "exhausted",
        Some(Reason::Stalled) => "stalled",
        Some(Reason::Terminal) => "terminal",
        Some(Reason::UnknownKind) => "unknown_kind",
        Some(Reason::Undecodable) => "undecodable",
        other => panic!("no job is failed for {other:?}"),
    };
    let (seq, epoch, failures, stalls) = (end.seq, end.epoch, end.failures, end.stalls);
    let document = format!(
        "{{\"id\":\"{}\",\"seq\":{seq},\"epoch\":{epoch},\"kind\":\"{}\",\"reason\":\"{reason}\",\
         \"error_name\":\"{}\",\"error_message\":\"{}\",\"failures\":{failures},\"stalls\":{stalls}}}",
        end.id,
        end.kind.as_str(),
        error.name(),
        error.message(),
    );
    let id = JobId::new(format!("on-failure@{seq}.{epoch}")).expect("a valid id");
    Some(NewJob::new(id, kind, Payload::new(document, ContentType::from_static("application/json"))))
}
