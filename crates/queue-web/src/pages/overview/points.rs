//! What is worth a look, many queues of one concern in one sentence.

use crate::visit::Visit;
use queue_view::{HealthGroup, HealthPoint};

/// The most queues that one sentence names.
const NAMED_MAX: usize = 10;

/// One sentence about many queues, or one about each of a few.
pub(super) struct ConcernView {
    pub(super) class: &'static str,
    pub(super) sign: &'static str,
    /// Absent if each queue has its own sentence.
    pub(super) words: Option<String>,
    pub(super) points: Vec<PointView>,
    pub(super) left_out: usize,
    /// The table of all of these queues.
    pub(super) all: String,
}

pub(super) struct PointView {
    pub(super) queue: String,
    pub(super) href: String,
    pub(super) words: String,
}

pub(super) fn groups(visit: &Visit, points: &[HealthPoint]) -> Vec<ConcernView> {
    HealthGroup::of(points).iter().map(|group| view(visit, group)).collect()
}

fn view(visit: &Visit, group: &HealthGroup) -> ConcernView {
    let grade = group.grade();
    let point = |point: &HealthPoint| PointView {
        queue: point.queue.to_string(),
        href: visit.link("queue", &[("queue", point.queue.as_str())]),
        words: point.words.clone(),
    };
    ConcernView {
        class: grade.as_str(),
        sign: grade.sign(),
        words: group.words(),
        points: group.points.iter().take(NAMED_MAX).map(point).collect(),
        left_out: group.points.len().saturating_sub(NAMED_MAX),
        all: visit.link("", &[("concern", group.concern.as_str())]),
    }
}
