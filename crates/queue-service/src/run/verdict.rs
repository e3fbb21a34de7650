//! What an answer to a settle means.

use crate::wire::ItemAnswer;
use queue_worker::WorkerReport;

/// How a job ended for this worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SettleEnd {
    Completed,
    Failing,
    Failed,
    Released,
    Cancelled,
    Lost,
    Abandoned,
}

/// What an answer to a settle means.
pub(super) enum Verdict {
    End(SettleEnd),
    Again,
    Refused,
}

impl SettleEnd {
    /// The number of the report that counts it.
    pub(super) const fn counter(self, report: &mut WorkerReport) -> &mut u64 {
        match self {
            Self::Completed => &mut report.completed,
            Self::Failing => &mut report.failing,
            Self::Failed => &mut report.failed,
            Self::Released => &mut report.released,
            Self::Cancelled => &mut report.cancelled,
            Self::Lost => &mut report.leases_lost,
            Self::Abandoned => &mut report.abandoned,
        }
    }
}

impl Verdict {
    pub(super) fn of(item: &ItemAnswer) -> Self {
        Self::End(match (item.outcome.as_str(), item.state.as_deref()) {
            ("done", Some("completed")) => SettleEnd::Completed,
            ("done", Some("failing")) => SettleEnd::Failing,
            ("done", Some("failed")) => SettleEnd::Failed,
            ("done", Some("cancelled")) => SettleEnd::Cancelled,
            ("done", _) => SettleEnd::Released,
            ("lease_lost" | "missing", _) => SettleEnd::Lost,
            ("conflict", _) => return Self::Again,
            _ if item.problem.as_ref().is_some_and(|problem| problem.kind.is_temporary()) => {
                return Self::Again;
            }
            _ => return Self::Refused,
        })
    }
}
