//! The axes of the table.

use crate::world::{BOUNDARY, EARLIER, MINE, THEIRS, lease_until, new_job};
use queue_core::{
    Budget, ContentType, Failure, Gate, JobMeta, Kind, Payload, Retention, RetentionPolicy, RetryPolicy, Seq,
    Signalling, Span, State, Tally, Timestamp,
    lifecycle::{
        Amendment, Cause, Event, Flags, LastSettle, OnProcessing, Policy, Settle, TrackedJob, Unhandled,
    },
};
use std::time::Duration;

/// One millisecond before the boundary, at it, and one after.
pub(crate) const CLOCKS: [Timestamp; 3] = [
    Timestamp::from_millis(BOUNDARY.as_millis() - 1),
    BOUNDARY,
    Timestamp::from_millis(BOUNDARY.as_millis() + 1),
];

/// Both flags in every combination.
pub(crate) const FLAGS: [Flags; 4] = [
    Flags { cancel_requested: false, awaited: false },
    Flags { cancel_requested: true, awaited: false },
    Flags { cancel_requested: false, awaited: true },
    Flags { cancel_requested: true, awaited: true },
];

/// The job's own retentions; both outcomes differ, and one is shorter than what a waiter is
/// granted.
pub(crate) const RETENTIONS: [RetentionPolicy; 3] = [
    RetentionPolicy {
        completed: Retention::Keep(Span::from_secs(10)),
        failed: Retention::Keep(Span::from_secs(20)),
    },
    RetentionPolicy { completed: Retention::Remove, failed: Retention::Forever },
    RetentionPolicy { completed: Retention::Forever, failed: Retention::Remove },
];

/// The expiries of a job that has not started: none, one at the boundary, or a lifted one. They
/// vary together with the retentions, on which they do not depend.
pub(crate) const EXPIRIES: [(Option<Span>, bool); 3] =
    [(None, false), (Some(UNTIL_BOUNDARY), false), (Some(UNTIL_BOUNDARY), true)];

const UNTIL_BOUNDARY: Span = Span::from_millis(BOUNDARY.as_millis() - EARLIER.as_millis());
const OVERRIDES: [Option<Retention>; 4] =
    [None, Some(Retention::Remove), Some(Retention::Keep(Span::from_secs(90))), Some(Retention::Forever)];
const CAUSES: [Cause; 4] = [Cause::Retryable, Cause::Terminal, Cause::UnknownKind, Cause::Undecodable];
const DELAYS: [Option<Span>; 2] = [None, Some(Span::from_secs(33))];

/// How much of its budgets a job has used.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spent {
    /// Nothing of three attempts and five stalls.
    Nothing,
    /// Some of each, and more stalls than it may have attempts.
    Some,
    /// All attempts but one, and the stall that is forgiven.
    AttemptsButOne,
    /// All stalls but one.
    StallsButOne,
    /// A lot, of budgets without a limit.
    MuchOfUnlimited,
}

impl Spent {
    pub(crate) const ALL: [Self; 5] =
        [Self::Nothing, Self::Some, Self::AttemptsButOne, Self::StallsButOne, Self::MuchOfUnlimited];

    pub(crate) fn set(self, job: &mut JobMeta) {
        (job.failures, job.stalls) = match self {
            Self::Nothing => (0, 0),
            Self::Some => (1, 3),
            Self::AttemptsButOne => (2, 1),
            Self::StallsButOne => (0, 4),
            Self::MuchOfUnlimited => (70, 90),
        };
        (job.terms.max_attempts, job.terms.max_stalls) = match self {
            Self::MuchOfUnlimited => (Budget::Unlimited, Budget::Unlimited),
            _ => (Budget::from_raw(3), Budget::from_raw(5)),
        };
    }
}

/// What happened to the record between the decision and its application.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Between {
    Nothing,
    CancelRequested,
    Awaited,
    CancelRequestedAndAwaited,
    /// The holder reported progress: the revision changed, the flags did not.
    Heartbeat,
    /// The id began another life.
    OtherLife,
    /// The lease ended, and another worker claimed the job.
    Reclaimed,
    /// The lease lapsed and was ended.
    Rescued,
    /// The same settle arrived before.
    SettledSo,
    /// The holder settled in another way before.
    SettledOtherwise,
    /// Another worker settled in the same way.
    SettledByAnother,
}

impl Between {
    pub(crate) const ALL: [Self; 11] = [
        Self::Nothing,
        Self::CancelRequested,
        Self::Awaited,
        Self::CancelRequestedAndAwaited,
        Self::Heartbeat,
        Self::OtherLife,
        Self::Reclaimed,
        Self::Rescued,
        Self::SettledSo,
        Self::SettledOtherwise,
        Self::SettledByAnother,
    ];

    /// Makes it happen. `settle` is the settle of the event under test.
    pub(crate) fn happen(self, job: &mut TrackedJob, settle: Settle) {
        if !matches!(self, Self::Nothing) {
            job.meta.revision += 1;
        }
        let otherwise = if settle == Settle::Release { Settle::Snooze } else { Settle::Release };
        match self {
            Self::Nothing => {}
            Self::CancelRequested => job.meta.cancel_requested = true,
            Self::Awaited => job.meta.awaited = true,
            Self::CancelRequestedAndAwaited => {
                (job.meta.cancel_requested, job.meta.awaited) = (true, true);
            }
            Self::Heartbeat => job.meta.progress = Some(Box::new("more".into())),
            Self::OtherLife => job.meta.seq = Seq::new(job.meta.seq.get() + 1),
            Self::Reclaimed => {
                end(job, State::Failing);
                lease_until(job, THEIRS, CLOCKS[2] + Span::from_secs(30));
            }
            Self::Rescued => end(job, State::Failing),
            Self::SettledSo => settled(job, LastSettle { token: MINE, settle }),
            Self::SettledOtherwise => settled(job, LastSettle { token: MINE, settle: otherwise }),
            Self::SettledByAnother => settled(job, LastSettle { token: THEIRS, settle }),
        }
    }
}

fn end(job: &mut TrackedJob, state: State) {
    (job.token, job.meta.lease, job.last_settle) = (None, None, None);
    (job.meta.state, job.meta.purge_at) = (state, None);
}

fn settled(job: &mut TrackedJob, last: LastSettle) {
    end(job, State::Completed);
    job.last_settle = Some(last);
    (job.meta.finished_at, job.meta.purge_at) = (Some(EARLIER), Some(BOUNDARY));
}

/// The kind of the job, and whether it has a follow-up: neither special kind nor follow-up, one of
/// them, or both. They vary together with the retentions, as the expiries do.
pub(crate) fn kinds() -> [(Kind, Option<Kind>); 3] {
    let [mail, own, mourn] = ["mail", "queue.schedule", "mourn"].map(Kind::from_static);
    [(mail.clone(), None), (mail, Some(mourn.clone())), (own, Some(mourn))]
}

/// Policies whose waits show the number they were computed for. Each cause meets a policy that
/// retries it and one that does not, and the last policy never names a wait.
pub(crate) fn policies() -> [Policy; 3] {
    let retry = RetryPolicy::custom(|n| Some(Duration::from_secs(1000 + u64::from(n))));
    let stall = RetryPolicy::custom(|n| Some(Duration::from_secs(2000 + u64::from(n))));
    let (fail, again) = (Unhandled::Fail, Unhandled::Retry);
    [
        policy(retry.clone(), stall.clone()).unknown_kind(fail).undecodable(again),
        policy(retry, stall).unknown_kind(again).undecodable(fail),
        policy(RetryPolicy::None, RetryPolicy::None).unknown_kind(again).undecodable(again),
    ]
}

fn policy(retry: RetryPolicy, stall: RetryPolicy) -> Policy {
    Policy::default().retry(retry).stall(stall)
}

/// Gates and end signals: neither, a closed gate with signals that are owed, and a complete one of
/// an earlier claim with signals that are sent. They vary together with the retentions too.
pub(crate) fn gates(job: &JobMeta) -> [(Option<Box<Gate>>, Signalling); 3] {
    let tally = Tally { completed: 2, failed: 1, cancelled: 0 };
    let open = Gate { needs: 7, signals: 3, tally, heeds_urgent: true, ..Gate::default() };
    let closed = Gate { closed_at: Some(job.epoch), ..open };
    let complete = Gate { needs: 3, is_sealed: true, closed_at: Some(job.epoch - 1), ..open };
    let owed = if job.state.is_terminal() { Signalling::Sent } else { Signalling::Owed(2) };
    [(None, Signalling::None), (Some(Box::new(closed)), owed), (Some(Box::new(complete)), Signalling::Sent)]
}

/// Every event in every variant.
pub(crate) fn events() -> Vec<Event> {
    let token = MINE;
    let mut events = vec![
        Event::release(token),
        Event::Release { token, then: vec![new_job("next"), new_job("later")] },
        Event::PutBack { token, delay: Span::from_secs(22) },
        Event::interrupt(token),
        Event::Interrupt { token, progress: Some("so far".into()), then: vec![new_job("next")] },
        Event::Expire { now: CLOCKS[0], token: Some(token) },
        Event::Expire { now: CLOCKS[0], token: None },
        Event::Expire { now: CLOCKS[1], token: Some(token) },
        Event::Expire { now: CLOCKS[1], token: None },
        Event::snooze(token, Span::from_secs(44)),
        Event::Snooze {
            token,
            delay: Span::from_secs(44),
            progress: Some("so far".into()),
            then: vec![new_job("next")],
        },
        Event::Suspend {
            token,
            needs: None,
            seals: false,
            heeds_urgent: false,
            timeout: None,
            progress: None,
            then: Vec::new(),
        },
        Event::Suspend {
            token,
            needs: Some(9),
            seals: true,
            heeds_urgent: true,
            timeout: Some(Span::from_secs(88)),
            progress: Some("so far".into()),
            then: vec![new_job("next")],
        },
        Event::Extend { token, by: Span::from_secs(55), progress: None },
        Event::Extend { token, by: Span::from_secs(55), progress: Some("done soon".into()) },
        Event::Lapse,
        Event::Cancel { processing: OnProcessing::Leave },
        Event::Cancel { processing: OnProcessing::Request },
        Event::Await,
        Event::SetRetention(Retention::Remove),
        Event::SetRetention(Retention::Keep(Span::from_secs(66))),
        Event::SetRetention(Retention::Forever),
        Event::Redrive { content_type: None },
        Event::Redrive { content_type: Some(ContentType::from_static("application/json")) },
        Event::Promote,
        Event::Reschedule { delay: Span::ZERO },
        Event::Reschedule { delay: Span::from_secs(77) },
        Event::Reschedule { delay: Span::MAX },
        Event::Amend(Amendment::default()),
        Event::Amend(Amendment::of_priority(0)),
        Event::Amend(Amendment::of_priority(-3)),
        Event::Amend(Amendment { delay: Some(Span::from_secs(77)), ..Amendment::default() }),
        Event::Amend(amend_everything()),
        Event::Seal,
        Event::Delete,
    ];
    events.extend(OVERRIDES.map(complete));
    for cause in CAUSES {
        for delay in DELAYS {
            events.extend(OVERRIDES.map(|retention| fail(cause, delay, retention)));
        }
    }
    events
}

fn amend_everything() -> Amendment {
    Amendment {
        payload: Some(Payload::new("amended", ContentType::from_static("text/plain"))),
        priority: Some(i16::MAX),
        delay: Some(Span::ZERO),
        retention: Some(RetentionPolicy { completed: Retention::Forever, failed: Retention::Remove }),
    }
}

fn complete(retention: Option<Retention>) -> Event {
    let result = Payload::new("out", ContentType::from_static("text/plain"));
    Event::Complete { token: MINE, result, retention, then: vec![new_job("next")] }
}

fn fail(cause: Cause, delay: Option<Span>, retention: Option<Retention>) -> Event {
    let failure = Failure::new("New", "the failure at hand").with_details("details".into());
    Event::Fail { token: MINE, failure, cause, delay, retention, then: vec![new_job("next")] }
}
