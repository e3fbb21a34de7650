//! How the schedules of a queue are found among its jobs.

use crate::SCHEDULE_KIND;
use queue_core::{Direction, Kind, ListFilter, ListQuery, QueueName, State, Tag, Tags, Walk};

/// The tags of the job that a schedule is. A schedule without them runs too, and no listing shows
/// it.
///
/// # Panics
/// Never: the tag is valid.
pub fn schedule_tags() -> Tags {
    Tags::new([tag()]).expect("one tag is allowed")
}

/// The first page of the schedules of a queue in these states, in the order of their enqueue. It
/// reads the index of [`schedule_tags`], so that other jobs cost it nothing, however many there
/// are.
///
/// # Panics
/// Never: the tag is valid.
pub fn schedules_in(queue: QueueName, states: impl IntoIterator<Item = State>, limit: usize) -> ListQuery {
    // An application may give its own jobs the same tag.
    let kind = Some(Kind::from_static(SCHEDULE_KIND));
    let filter = ListFilter { kind, ..ListFilter::in_states(states) };
    ListQuery::new(queue, Walk::Tagged(tag(), Direction::OldestFirst), limit).matching(filter)
}

fn tag() -> Tag {
    Tag::new(SCHEDULE_KIND).expect("a kind is a valid tag")
}
