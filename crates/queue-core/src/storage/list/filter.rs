//! The filter of a listing.

use crate::{JobMeta, Kind, Partition, State, Tag, Timestamp, WorkerId};
use std::ops::Range;

/// Which jobs a listing shows of those that it steps through: jobs that match every part that is
/// given. The default shows all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListFilter {
    /// Jobs in any of these states; empty means all.
    pub states: Vec<State>,
    /// Jobs of this kind.
    pub kind: Option<Kind>,
    /// Jobs that this worker holds.
    pub worker: Option<WorkerId>,
    /// Jobs with this tag.
    pub tag: Option<Tag>,
    /// Jobs of this partition.
    pub partition: Option<Partition>,
    /// Jobs whose id begins with this text.
    pub id_prefix: Option<String>,
    /// Jobs that [came into their state](JobMeta::entered_at) in this range of time, whose end is
    /// exclusive. In an index that is [ordered by this time](crate::Walk::is_by_time) the listing
    /// steps through no other jobs.
    pub entered: Option<Range<Timestamp>>,
}

impl ListFilter {
    /// Jobs in any of these states.
    pub fn in_states(states: impl IntoIterator<Item = State>) -> Self {
        Self { states: states.into_iter().collect(), ..Self::default() }
    }

    /// Whether a job is shown.
    pub fn matches(&self, job: &JobMeta) -> bool {
        let is_held_by = |worker: &WorkerId| job.lease.as_ref().is_some_and(|lease| lease.worker == *worker);
        (self.states.is_empty() || self.states.contains(&job.state))
            && self.kind.as_ref().is_none_or(|kind| job.kind == *kind)
            && self.worker.as_ref().is_none_or(is_held_by)
            && self.tag.as_ref().is_none_or(|tag| job.tags.contains(tag))
            && self.partition.as_ref().is_none_or(|partition| job.partition.as_ref() == Some(partition))
            && self.id_prefix.as_ref().is_none_or(|prefix| job.id.as_str().starts_with(prefix))
            && self.entered.as_ref().is_none_or(|entered| entered.contains(&job.entered_at()))
    }
}
