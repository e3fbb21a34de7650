//! The views, and the way from one to another.

use clap::ValueEnum;
use queue::{
    JobId, WorkerId,
    queue_core::{Cursor, QueueName},
    view::JobFilter,
};
use std::time::Duration;

/// The most pages that one can go back through.
const PAGES_MAX: usize = 1_000;

/// A view, with all that decides what it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Overview,
    Queue(QueueName),
    Jobs {
        queue: QueueName,
        filter: JobFilter,
        /// Where the page begins, and those before it.
        pages: Vec<Cursor>,
    },
    Job {
        queue: QueueName,
        id: JobId,
        /// Whether its payload is shown.
        is_open: bool,
    },
    Errors(QueueName),
    Schedules(QueueName),
    Workers,
    Worker(WorkerId),
    Operations {
        pages: Vec<Cursor>,
    },
}

/// The views that are always one key away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Tab {
    Overview,
    Queue,
    Jobs,
    Errors,
    Schedules,
    Workers,
    Operations,
}

impl Tab {
    pub(super) const ALL: [Self; 7] = [
        Self::Overview,
        Self::Queue,
        Self::Jobs,
        Self::Errors,
        Self::Schedules,
        Self::Workers,
        Self::Operations,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Queue => "Queue",
            Self::Jobs => "Jobs",
            Self::Errors => "Errors",
            Self::Schedules => "Schedules",
            Self::Workers => "Workers",
            Self::Operations => "Operations",
        }
    }

    /// The view, of this queue if it is about one.
    pub(super) fn place(self, queue: &QueueName) -> Place {
        match self {
            Self::Overview => Place::Overview,
            Self::Queue => Place::Queue(queue.clone()),
            Self::Jobs => Place::jobs(queue.clone(), JobFilter::default()),
            Self::Errors => Place::Errors(queue.clone()),
            Self::Schedules => Place::Schedules(queue.clone()),
            Self::Workers => Place::Workers,
            Self::Operations => Place::Operations { pages: Vec::new() },
        }
    }

    /// The tab so many places to the right, from the last one on to the first.
    pub(super) fn turned(self, by: usize) -> Self {
        let place = Self::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        Self::ALL[(place + by) % Self::ALL.len()]
    }
}

impl Place {
    /// The first page of the jobs of a queue.
    pub(super) const fn jobs(queue: QueueName, filter: JobFilter) -> Self {
        Self::Jobs { queue, filter, pages: Vec::new() }
    }

    /// The tab to which it belongs.
    pub(super) const fn tab(&self) -> Tab {
        match self {
            Self::Overview => Tab::Overview,
            Self::Queue(_) => Tab::Queue,
            Self::Jobs { .. } | Self::Job { .. } => Tab::Jobs,
            Self::Errors(_) => Tab::Errors,
            Self::Schedules(_) => Tab::Schedules,
            Self::Workers | Self::Worker(_) => Tab::Workers,
            Self::Operations { .. } => Tab::Operations,
        }
    }

    /// The queue that it is about.
    pub(super) const fn queue(&self) -> Option<&QueueName> {
        match self {
            Self::Queue(queue)
            | Self::Jobs { queue, .. }
            | Self::Job { queue, .. }
            | Self::Errors(queue)
            | Self::Schedules(queue) => Some(queue),
            Self::Overview | Self::Workers | Self::Worker(_) | Self::Operations { .. } => None,
        }
    }

    /// What it shows, in words.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Overview => "all queues".to_owned(),
            Self::Queue(queue) => format!("queue {queue}"),
            Self::Jobs { queue, pages, .. } => match pages.len() {
                0 => format!("jobs of {queue}"),
                page => format!("jobs of {queue}, page {}", page + 1),
            },
            Self::Job { queue, id, .. } => format!("job {id} of {queue}"),
            Self::Errors(queue) => format!("errors of {queue}"),
            Self::Schedules(queue) => format!("schedules of {queue}"),
            Self::Workers => "workers".to_owned(),
            Self::Worker(id) => format!("worker {id}"),
            Self::Operations { pages } => match pages.len() {
                0 => "operations".to_owned(),
                page => format!("operations, page {}", page + 1),
            },
        }
    }

    /// The least time between two readings of it, which is longer where more is read.
    pub(super) const fn rest(&self) -> Duration {
        match self {
            Self::Errors(_) | Self::Schedules(_) | Self::Operations { .. } => Duration::from_secs(5),
            // What one opened to read stays as it is.
            Self::Job { is_open: true, .. } => Duration::from_mins(1),
            _ => Duration::from_secs(1),
        }
    }

    /// The same view from this cursor on.
    pub(super) fn next_page(&self, next: &Cursor) -> Option<Self> {
        let mut place = self.clone();
        let (Self::Jobs { pages, .. } | Self::Operations { pages }) = &mut place else { return None };
        if pages.len() < PAGES_MAX {
            pages.push(next.clone());
        }
        Some(place)
    }

    /// The same view one page before.
    pub(super) fn previous_page(&self) -> Option<Self> {
        let mut place = self.clone();
        let (Self::Jobs { pages, .. } | Self::Operations { pages }) = &mut place else { return None };
        pages.pop()?;
        Some(place)
    }
}
