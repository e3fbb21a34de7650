//! The schedules of a queue, as an answer lists them.

use queue::schedules::{ScheduleStatus, SchedulesPage};
use queue_view::{ScheduleView, UnreadableScheduleView};
use serde::Serialize;
use utoipa::ToSchema;

/// The schedules of a queue.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SchedulesAnswer)]
pub(crate) struct SchedulesOut {
    schedules: Vec<ScheduleView>,
    /// Those that this service cannot read, and another program may: a newer version wrote them, or
    /// their time zone is not known here. They can be paused and removed.
    unreadable: Vec<UnreadableScheduleView>,
}

impl SchedulesOut {
    pub(super) fn of(page: &SchedulesPage) -> Self {
        Self {
            schedules: page.schedules.iter().map(ScheduleStatus::view).collect(),
            unreadable: page.unreadable.iter().map(UnreadableScheduleView::from).collect(),
        }
    }
}
