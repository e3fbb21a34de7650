//! Every event, in every variant that some rule distinguishes, and deeds that are no event.

use crate::bench::prelude::*;
use bytes::Bytes;
use queue_core::{
    ContentType, EndSignal, Failure, JobId, LeaseToken, NewJob, OnFailed, OnWaiting, Retention,
    RetentionPolicy, Span, Timestamp,
    lifecycle::{Amendment, Cause, Event, OnProcessing},
};

/// What is done to a job at the end of a scene.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed {
    /// An event of the holder, under a token.
    Hold(fn(LeaseToken, &JobId) -> Event),
    /// An event without a lease, decided on the record as it was read.
    Change(fn() -> Event),
    /// The same, with a follower.
    ChangeThen(fn() -> Event),
    /// An enqueue of its id.
    Enqueue(Over),
    /// The end of another job, which signals it to this one.
    Signal(Signal),
    /// An enqueue of another job, which raises this one.
    Raise,
    /// Nothing: only time passes before the claim that follows.
    Nothing,
}

/// The signal that comes to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// Of a cancelled job.
    Plain,
    /// The same, and urgent.
    Urgent,
}

/// The records that an enqueue of a taken id may replace.
#[derive(Clone, Copy, Debug)]
pub(super) enum Over {
    /// None.
    Block,
    /// A Failed record.
    Failed,
    /// A waiting job.
    Waiting,
    /// A waiting job, to be due within a second of the first.
    WaitingWithin,
}

pub(super) const DEEDS: &[Deed] = &[
    Deed::Hold(|token, _| complete(token)),
    Deed::Hold(|token, _| completed(token, Retention::Forever)),
    Deed::Hold(|token, _| completed(token, Retention::Remove)),
    Deed::Hold(|token, id| complete_then(token, vec![job(&follower(id))])),
    Deed::Hold(|token, _| fail(token)),
    Deed::Hold(|token, _| failed(token, Some(Span::ZERO), None)),
    Deed::Hold(|token, _| failed(token, None, Some(Retention::Remove))),
    Deed::Hold(|token, _| fail_because(token, Cause::Terminal)),
    Deed::Hold(|token, _| fail_because(token, Cause::UnknownKind)),
    Deed::Hold(|token, _| fail_because(token, Cause::Undecodable)),
    Deed::Hold(|token, id| fail_then(token, Cause::Retryable, vec![job(&follower(id))])),
    Deed::Hold(|token, id| fail_for_good_then(token, vec![job(&follower(id))])),
    Deed::Hold(|token, _| release(token)),
    Deed::Hold(|token, id| release_then(token, vec![job(&follower(id))])),
    Deed::Hold(|token, _| interrupt(token)),
    Deed::Hold(|token, _| expire_held(token)),
    Deed::Hold(|token, id| interrupt_with_all(token, vec![job(&follower(id))])),
    Deed::Hold(|token, _| snooze(token)),
    Deed::Hold(|token, id| snooze_with_all(token, vec![job(&follower(id))])),
    Deed::Hold(|token, _| extend(token, LEASE)),
    Deed::Hold(|token, _| extend_with_progress(token)),
    Deed::Change(|| Event::Lapse),
    Deed::Change(|| Event::Cancel { processing: OnProcessing::Request }),
    Deed::Change(|| Event::Cancel { processing: OnProcessing::Leave }),
    Deed::Change(|| Event::Await),
    Deed::Change(|| Event::SetRetention(Retention::Keep(STALL))),
    Deed::Change(|| Event::SetRetention(Retention::Keep(Span::ZERO))),
    Deed::Change(|| Event::SetRetention(Retention::Forever)),
    Deed::Change(|| Event::SetRetention(Retention::Remove)),
    Deed::Change(|| Event::Redrive { content_type: None }),
    Deed::Change(redrive_as_another_type),
    Deed::Change(|| EXPIRE),
    Deed::Change(|| Event::Promote),
    Deed::Change(|| Event::Reschedule { delay: STALL }),
    Deed::Change(amend_everything),
    Deed::Change(|| Event::Amend(Amendment::of_priority(-1))),
    Deed::Change(|| Event::Delete),
    Deed::ChangeThen(|| Event::Lapse),
    Deed::ChangeThen(|| Event::Cancel { processing: OnProcessing::Request }),
    Deed::ChangeThen(|| Event::Await),
    Deed::ChangeThen(|| Event::SetRetention(Retention::Forever)),
    Deed::ChangeThen(|| Event::Redrive { content_type: None }),
    Deed::ChangeThen(|| Event::Promote),
    Deed::ChangeThen(|| PARK),
    Deed::ChangeThen(amend_everything),
    Deed::ChangeThen(|| Event::Delete),
    Deed::Enqueue(Over::Block),
    Deed::Enqueue(Over::Failed),
    Deed::Enqueue(Over::Waiting),
    Deed::Enqueue(Over::WaitingWithin),
    Deed::Nothing,
];

/// The deeds of scenes of gates, beside [`DEEDS`].
pub(super) const GATE_DEEDS: &[Deed] = &[
    Deed::Hold(|token, _| suspend(token)),
    Deed::Hold(|token, id| suspend_then(token, vec![child(id)])),
    Deed::Hold(|token, id| snooze_with_all(token, vec![child(id)])),
    Deed::Hold(|token, id| complete_then(token, vec![child(id)])),
    Deed::Change(|| Event::Seal),
    Deed::ChangeThen(|| Event::Seal),
    Deed::Signal(Signal::Plain),
    Deed::Signal(Signal::Urgent),
    Deed::Raise,
];

impl Over {
    /// Sets the replace options on a job. A job that may replace a waiting one cannot expire, and
    /// has neither gate nor signals.
    pub(super) fn said_by(self, new: NewJob) -> NewJob {
        let waiting = |mut new: NewJob, max_wait| {
            (new.expires_in, new.gate, new.end_signals) = (None, None, Vec::new());
            new.with_on_waiting(OnWaiting::Replace { max_wait })
        };
        match self {
            Self::Block => new,
            Self::Failed => new.with_on_failed(OnFailed::Replace),
            Self::Waiting => waiting(new, None),
            Self::WaitingWithin => waiting(new.with_delay(RETRY), Some(RETRY)),
        }
    }
}

/// A snooze that leaves a note.
pub(super) fn snooze_with_progress(token: LeaseToken) -> Event {
    snooze_with_all(token, Vec::new())
}

fn snooze_with_all(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Snooze { token, delay: RETRY, progress: Some(Bytes::from_static(b"so far")), then }
}

fn interrupt_with_all(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Interrupt { token, progress: Some(Bytes::from_static(b"so far")), then }
}

/// A suspend for what the gate lacks, a second at most.
pub(super) fn suspend(token: LeaseToken) -> Event {
    suspend_then(token, Vec::new())
}

fn suspend_then(token: LeaseToken, then: Vec<NewJob>) -> Event {
    Event::Suspend {
        token,
        needs: None,
        seals: true,
        heeds_urgent: true,
        timeout: Some(RETRY),
        progress: Some(Bytes::from_static(b"waits")),
        then,
    }
}

/// A follower that raises the job that it follows.
fn child(parent: &JobId) -> NewJob {
    let signal = EndSignal { raises: true, ..EndSignal::to(parent.clone()) };
    job(&follower(parent)).with_end_signals([signal])
}

/// A move to the farthest time.
pub(super) const PARK: Event = Event::Reschedule { delay: Span::MAX };

/// A heartbeat that reports progress.
pub(super) fn extend_with_progress(token: LeaseToken) -> Event {
    Event::Extend { token, by: LEASE, progress: Some(Bytes::from_static(b"half")) }
}

/// The event ignores the time: `decide` compares it, and no store does.
pub(super) const EXPIRE: Event = Event::Expire { now: AT_LAST, token: None };
const AT_LAST: Timestamp = Timestamp::from_millis(i64::MAX);

/// The same by a holder.
pub(super) fn expire_held(token: LeaseToken) -> Event {
    Event::Expire { now: AT_LAST, token: Some(token) }
}

/// A holder gives the job back half-way.
pub(super) fn interrupt(token: LeaseToken) -> Event {
    Event::interrupt(token)
}

/// A redrive that corrects the content type of the payload.
pub(super) fn redrive_as_another_type() -> Event {
    Event::Redrive { content_type: Some(ContentType::from_static("application/json")) }
}

/// A failure with details.
pub(super) fn fail_with_details(token: LeaseToken) -> Event {
    failed(token, None, None)
}

/// An amendment of every part.
fn amend_everything() -> Event {
    let short = Retention::Keep(LEASE);
    Event::Amend(Amendment {
        payload: Some(text_payload("amended")),
        priority: Some(1),
        delay: Some(STALL),
        retention: Some(RetentionPolicy { completed: short, failed: Retention::Forever }),
    })
}

/// The id of a job's follower.
pub(super) fn follower(id: &JobId) -> String {
    format!("{id}-then")
}

fn completed(token: LeaseToken, keep: Retention) -> Event {
    Event::Complete { token, result: text_payload(RESULT), retention: Some(keep), then: Vec::new() }
}

fn failed(token: LeaseToken, delay: Option<Span>, retention: Option<Retention>) -> Event {
    let failure = Failure::new("Io", "disk").with_details(Bytes::from_static(b"{\"errno\":5}"));
    Event::Fail { token, failure, cause: Cause::Retryable, delay, retention, then: Vec::new() }
}
