//! The fields that a job has only after its first claim, or once it is terminal.

use bytes::Bytes;
use queue_core::{
    Attempt, EndSignal, Failure, Gate, JobBody, LeaseInfo, LeaseToken, Payload, Timestamp,
    lifecycle::{LastSettle, TrackedJob},
};

/// What a job has only once it was claimed or is over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// The token of the present lease.
    pub token: Option<LeaseToken>,
    /// How the last lease was settled.
    pub last_settle: Option<LastSettle>,
    /// Who holds it.
    pub lease: Option<LeaseInfo>,
    /// When it was last claimed.
    pub claimed_at: Option<Timestamp>,
    /// What its handler last reported.
    pub progress: Option<Box<Bytes>>,
    /// The last failure, without details.
    pub last_error: Option<Failure>,
    /// When that was charged.
    pub failed_at: Option<Timestamp>,
    /// When it became terminal.
    pub finished_at: Option<Timestamp>,
    /// From here on it counts as absent.
    pub purge_at: Option<Timestamp>,
    /// Its result.
    pub result: Option<Payload>,
    /// Details of its last failure.
    pub error_details: Option<Bytes>,
    /// What most jobs never have, so that they pay one pointer for all of it.
    pub rare: Option<Box<Rare>>,
}

/// What most jobs never have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rare {
    /// The attempts that were charged to it.
    pub attempts: Vec<Attempt>,
    /// Its gate.
    pub gate: Option<Gate>,
    /// What it sends at its end, or has sent.
    pub end_signals: Vec<EndSignal>,
}

impl Course {
    /// The attempts that were charged to it.
    pub fn attempts(&self) -> &[Attempt] {
        self.rare.as_ref().map_or(&[], |rare| &rare.attempts)
    }

    /// Its gate.
    pub fn gate(&self) -> Option<&Gate> {
        self.rare.as_ref()?.gate.as_ref()
    }

    /// What it sends at its end, or has sent.
    pub fn end_signals(&self) -> &[EndSignal] {
        self.rare.as_ref().map_or(&[], |rare| &rare.end_signals)
    }

    pub(super) fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}

/// Of a job that was never claimed.
pub(super) static NO_COURSE: Course = Course {
    token: None,
    last_settle: None,
    lease: None,
    claimed_at: None,
    progress: None,
    last_error: None,
    failed_at: None,
    finished_at: None,
    purge_at: None,
    result: None,
    error_details: None,
    rare: None,
};

pub(super) fn has_course(job: &TrackedJob) -> bool {
    let meta = &job.meta;
    job.token.is_some()
        || job.last_settle.is_some()
        || meta.claimed_at.is_some()
        || meta.progress.is_some()
        || meta.last_error.is_some()
        || meta.finished_at.is_some()
        || meta.purge_at.is_some()
        || meta.gate.is_some()
}

pub(super) fn course_of(job: &TrackedJob, body: &JobBody) -> Option<Box<Course>> {
    let has_body = body.result.is_some() || body.error_details.is_some() || !body.end_signals.is_empty();
    if !has_course(job) && !has_body {
        return None;
    }
    let meta = &job.meta;
    let gate = meta.gate.as_deref().copied();
    let rare = Rare { attempts: Vec::new(), gate, end_signals: body.end_signals.clone() };
    Some(Box::new(Course {
        token: job.token,
        last_settle: job.last_settle,
        lease: meta.lease.clone(),
        claimed_at: meta.claimed_at,
        progress: meta.progress.clone(),
        last_error: meta.last_error.clone(),
        failed_at: meta.failed_at,
        finished_at: meta.finished_at,
        purge_at: meta.purge_at,
        result: body.result.clone(),
        error_details: body.error_details.clone(),
        rare: (rare != Rare::default()).then(|| Box::new(rare)),
    }))
}
