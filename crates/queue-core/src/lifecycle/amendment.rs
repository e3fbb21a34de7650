//! What a caller changes of a waiting job.

use crate::{
    JobMeta, JobTerms, Payload, RetentionPolicy, SharedTerms, Span,
    lifecycle::{Amend, Patch, Rejected, RunAt},
};

/// New values for a waiting job, which keeps its id, its life and what was charged to it. What is
/// not given stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amendment {
    /// Replaces the input of the handler; headers stay.
    pub payload: Option<Payload>,
    /// Replaces the priority; the job moves to its new position among the due ones.
    pub priority: Option<i16>,
    /// The job is due this long after the change. Its old due time does not count. A job that would
    /// expire before that still does.
    pub delay: Option<Span>,
    /// Replaces how long the record is kept once the job is terminal.
    pub retention: Option<RetentionPolicy>,
}

impl Amendment {
    /// An amendment of the priority alone.
    pub fn of_priority(priority: i16) -> Self {
        Self { priority: Some(priority), ..Self::default() }
    }

    /// Whether the job, as far as its metadata shows, has all these values already.
    fn is_met_by(&self, job: &JobMeta) -> bool {
        self.payload.is_none()
            && self.delay.is_none()
            && self.priority.is_none_or(|priority| priority == job.priority)
            && self.retention.is_none_or(|retention| retention == job.terms.retention)
    }
}

/// A job is amended only while it waits: a holder works on what its claim brought.
pub(super) fn amend(job: &JobMeta, amendment: Amendment) -> Result<Patch, Rejected> {
    if !job.state.is_waiting() {
        return Err(Rejected::NotAllowed(job.state));
    }
    if amendment.is_met_by(job) {
        return Err(Rejected::Already(job.state));
    }
    let Amendment { payload, priority, delay, retention } = amendment;
    let run_at = delay.map_or(RunAt::Keep, RunAt::After);
    let terms = retention.map(|retention| SharedTerms::from(JobTerms { retention, ..(*job.terms).clone() }));
    Ok(Patch::Amend(Amend { payload, priority, run_at, terms }))
}
