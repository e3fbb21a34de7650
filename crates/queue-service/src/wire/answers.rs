//! What the service answers.

use super::ClaimedJson;
use crate::ProblemKind;
use serde::Deserialize;
use std::time::Duration;
use tokio::time::Instant;

#[derive(Debug, Deserialize)]
pub(crate) struct ClaimAnswer {
    pub(crate) jobs: Vec<ClaimedJson>,
    pub(crate) next_due_in_ms: Option<u64>,
    pub(crate) paused: bool,
    pub(crate) drain: bool,
    /// How long the request had waited when the leases began.
    #[serde(default)]
    pub(crate) waited_ms: u64,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ItemsAnswer {
    pub(crate) items: Vec<ItemAnswer>,
    #[serde(default)]
    pub(crate) drain: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ItemAnswer {
    pub(crate) outcome: String,
    pub(crate) state: Option<String>,
    #[serde(default)]
    pub(crate) cancel_requested: bool,
    pub(crate) lease_ms: Option<u64>,
    pub(crate) problem: Option<RefusedItem>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RefusedItem {
    pub(crate) kind: ProblemKind,
    pub(crate) detail: String,
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct AnnounceAnswer {
    pub(crate) drain: bool,
}

impl ClaimAnswer {
    /// When the leases began, by this process's own clock. A claim that was sent then cannot have
    /// waited for longer than until now.
    pub(crate) fn granted_at(&self, sent_at: Instant) -> Instant {
        let waited = Duration::from_millis(self.waited_ms);
        sent_at + waited.min(sent_at.elapsed())
    }
}

impl ItemAnswer {
    /// Why the service refused the item, for people.
    pub(crate) fn refusal(&self) -> &str {
        self.problem.as_ref().map_or("the service does not say why", |problem| &problem.detail)
    }

    /// Whether the server lacks the key of the one that handed the job out. Another server may have
    /// it.
    pub(crate) fn is_of_another_key(&self) -> bool {
        self.problem.as_ref().is_some_and(|problem| problem.reason.as_deref() == Some("other_key"))
    }
}
