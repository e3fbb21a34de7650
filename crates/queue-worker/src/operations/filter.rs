//! Which jobs an operation is about.

use super::{Standing, wire};
use queue_core::{Direction, JobMeta, Kind, ListFilter, State, Tag, Timestamp, Walk, WorkerId};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Which jobs of a queue an operation is about: those that match every part that is given, and
/// stand in one of the ways that are named. A filter without a standing selects nothing. Jobs of
/// the library itself, such as schedules, are left out unless [`kind`](Self::kind) names theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationFilter {
    /// How the jobs stand, in any of these ways.
    pub standings: Vec<Standing>,
    /// Jobs of this kind.
    #[serde(default, with = "wire::kind", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Jobs with this tag.
    #[serde(default, with = "wire::tag", skip_serializing_if = "Option::is_none")]
    pub tag: Option<Tag>,
    /// Jobs that this worker holds.
    #[serde(default, with = "wire::worker", skip_serializing_if = "Option::is_none")]
    pub worker: Option<WorkerId>,
    /// Jobs whose id begins with this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_prefix: Option<String>,
    /// Jobs that [came into their state](JobMeta::entered_at) at this time or later.
    #[serde(default, rename = "since_ms", with = "wire::time", skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Jobs that [came into their state](JobMeta::entered_at) before this time.
    #[serde(default, rename = "until_ms", with = "wire::time", skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl OperationFilter {
    /// Jobs that stand in any of these ways.
    pub fn standing(standings: impl IntoIterator<Item = Standing>) -> Self {
        let mut standings: Vec<Standing> = standings.into_iter().collect();
        standings.sort_unstable();
        standings.dedup();
        Self { standings, ..Self::default() }
    }

    /// The index that leads to the fewest other jobs. Each of them has a position that a job
    /// leaves only when it comes into its state anew: an index by due time would meet a job again
    /// that was put off.
    pub(super) fn walk(&self) -> Walk {
        let oldest = Direction::OldestFirst;
        match (&self.tag, self.states().as_slice()) {
            (Some(tag), _) => Walk::Tagged(tag.clone(), oldest),
            (None, [state]) => Walk::State(*state, oldest),
            (None, _) => Walk::All(oldest),
        }
    }

    /// What a listing along that index leaves out. `begun` is when the operation was begun.
    pub(super) fn listing(&self, walk: &Walk, begun: Timestamp) -> ListFilter {
        let states = if matches!(walk, Walk::State(..)) { Vec::new() } else { self.states() };
        ListFilter {
            states,
            kind: self.kind.clone(),
            worker: self.worker.clone(),
            tag: None,
            id_prefix: self.id_prefix.clone(),
            entered: self.entered(walk, begun),
        }
    }

    /// Whether the filter, at this time, means the job.
    pub(super) fn matches(&self, job: &JobMeta, now: Timestamp) -> bool {
        let is_held_by = |worker: &WorkerId| job.lease.as_ref().is_some_and(|lease| lease.worker == *worker);
        let entered_at = job.entered_at();
        self.standings.contains(&Standing::of(job, now))
            && self.kind.as_ref().map_or_else(|| !job.kind.is_reserved(), |kind| job.kind == *kind)
            && self.tag.as_ref().is_none_or(|tag| job.tags.contains(tag))
            && self.worker.as_ref().is_none_or(is_held_by)
            && self.id_prefix.as_ref().is_none_or(|prefix| job.id.as_str().starts_with(prefix))
            && self.since.is_none_or(|since| entered_at >= since)
            && self.until.is_none_or(|until| entered_at < until)
    }

    fn states(&self) -> Vec<State> {
        let mut states: Vec<State> =
            self.standings.iter().flat_map(|standing| standing.states()).copied().collect();
        states.sort_unstable();
        states.dedup();
        states
    }

    /// In an index by time the walk ends where jobs came in after the beginning: some of these may
    /// be there because the operation itself has moved them.
    fn entered(&self, walk: &Walk, begun: Timestamp) -> Option<Range<Timestamp>> {
        let behind_begun = Timestamp::from_millis(begun.as_millis().saturating_add(1));
        let last = walk.is_by_time().then_some(behind_begun);
        let until = [self.until, last].into_iter().flatten().min();
        let far = Timestamp::from_millis;
        (self.since.is_some() || until.is_some())
            .then(|| self.since.unwrap_or(far(i64::MIN))..until.unwrap_or(far(i64::MAX)))
    }
}
