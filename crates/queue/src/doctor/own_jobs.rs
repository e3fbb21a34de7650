//! Checks of the library's own jobs: schedules and operations.

use super::{facts::StoreFacts, words::warning_of};
use crate::{
    UnreadableJob,
    operations::{OPERATION_KIND, OPERATIONS_QUEUE},
};
use queue_core::{
    Direction, Finding, JobId, Kind, ListFilter, ListQuery, QueueName, Result, State, Storage, StorageExt,
    Walk,
};
use queue_view::words::age;
use std::time::Duration;

/// The most schedules of a queue, and the most operations, that are read.
const READ_MAX: usize = 100;
/// A schedule goes before all other jobs, so a worker with a free slot wakes it within its poll
/// interval, a second by default.
#[cfg(feature = "schedules")]
const LATE_MAX: Duration = Duration::from_secs(60);
pub(super) const UNFINISHED: [State; 3] = [State::Queued, State::Failing, State::Processing];

/// The schedules of a queue, or the operations, as they were looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnJobs {
    /// Those that this program cannot read.
    unreadable: Vec<UnreadableJob>,
    /// The schedules of which a tick was due long ago, and how long.
    late: Vec<(String, Duration)>,
    /// The schedules that lie too far ahead of the clock, and how far.
    pub(super) ahead: Vec<(String, Duration)>,
}

impl OwnJobs {
    pub(super) async fn read(storage: &dyn Storage, queue: &QueueName) -> Result<Self> {
        if queue.as_str() == OPERATIONS_QUEUE {
            return Self::read_operations(storage, queue).await;
        }
        Self::read_schedules(storage, queue).await
    }

    async fn read_operations(storage: &dyn Storage, queue: &QueueName) -> Result<Self> {
        let kind = Some(Kind::from_static(OPERATION_KIND));
        let filter = ListFilter { kind, ..ListFilter::in_states(UNFINISHED) };
        let walk = Walk::All(Direction::NewestFirst);
        let query = ListQuery::new(queue.clone(), walk, READ_MAX).matching(filter);
        let ids: Vec<JobId> = storage.list(query).await?.jobs.into_iter().map(|job| job.id).collect();
        let records = storage.get_whole(queue, &ids).await?.value;
        let unreadable = crate::operations::sorted(records.into_iter().flatten())?.unreadable;
        Ok(Self { unreadable, ..Self::default() })
    }

    #[cfg(feature = "schedules")]
    async fn read_schedules(storage: &dyn Storage, queue: &QueueName) -> Result<Self> {
        let query = queue_schedule::schedules_in(queue.clone(), UNFINISHED, READ_MAX);
        let ids: Vec<JobId> = storage.list(query).await?.jobs.into_iter().map(|job| job.id).collect();
        if ids.is_empty() {
            return Ok(Self::default());
        }
        let page = crate::schedules::sorted(storage.get_whole(queue, &ids).await?)?;
        let late = page.schedules.iter().filter_map(|status| {
            let by = status.late_by().filter(|by| *by > LATE_MAX)?;
            Some((status.name().to_owned(), by))
        });
        let ahead = page.schedules.iter();
        let ahead = ahead.filter_map(|status| Some((status.name().to_owned(), status.ahead()?)));
        Ok(Self { late: late.collect(), ahead: ahead.collect(), unreadable: page.unreadable })
    }

    #[cfg(not(feature = "schedules"))]
    #[expect(clippy::unused_async, reason = "with the feature `schedules` it asks the store")]
    async fn read_schedules(_: &dyn Storage, _: &QueueName) -> Result<Self> {
        Ok(Self::default())
    }

    /// How many cannot be read, the first of them and why.
    fn unreadable(&self) -> Option<String> {
        let first = self.unreadable.first()?;
        let (count, name, why) = (self.unreadable.len(), first.name(), first.error().message());
        Some(format!("has {count} that cannot be read here: {name:?} ({why})"))
    }
}

pub(super) fn all(facts: &StoreFacts) -> Vec<Finding> {
    vec![schedules_unreadable(facts), operations_unreadable(facts), schedules_late(facts)]
}

fn schedules_unreadable(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        let is_of_schedules = queue.name.as_str() != OPERATIONS_QUEUE;
        queue.own_jobs.unreadable().filter(|_| is_of_schedules)
    });
    warning_of(
        "schedules-unreadable",
        found,
        "every schedule can be read here",
        "workers on machines like this one leave them to others, and if there is no other, their ticks do not come: upgrade the \
         library here, or install the machine's time zones (`tzdata`); or put the schedule again in a form that all know",
    )
}

fn operations_unreadable(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        let is_of_operations = queue.name.as_str() == OPERATIONS_QUEUE;
        queue.own_jobs.unreadable().filter(|_| is_of_operations)
    });
    warning_of(
        "operations-unreadable",
        found,
        "every operation can be read here",
        "a newer version of the library started them, and runs them: upgrade the library here, or cancel them",
    )
}

fn schedules_late(facts: &StoreFacts) -> Finding {
    let found = facts.of_each_queue(|queue| {
        let longest = queue.own_jobs.late.iter().max_by_key(|(_, by)| *by).filter(|_| !queue.is_paused);
        let (name, by) = longest?;
        let count = queue.own_jobs.late.len();
        Some(format!("has {count} whose ticks have been due for up to {} ({name:?})", age(*by)))
    });
    warning_of(
        "schedules-late",
        found,
        "every schedule has dealt with its ticks",
        "see that a worker of the queue has a free slot, and that it can read the schedule: its log and its events say if it cannot, \
         and `schedules-unreadable` says so on its machine",
    )
}
