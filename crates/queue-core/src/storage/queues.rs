//! The listing of the queues of a store.

use crate::{Counts, Pause, PausedKind, QueueName};

/// A suffix that sorts behind a name and before every other name that begins with it, since names
/// have no control characters.
const JUST_BEHIND: char = '\u{1}';

/// A request for the queues of a store, in the order of the bytes of their names.
///
/// ```
/// use queue_core::{QueueName, QueuesQuery};
///
/// let (a, b) = (QueueName::from_static("a"), QueueName::from_static("a b"));
/// assert!(QueuesQuery::from(&a, 10).start() == a.as_str());
/// assert!(QueuesQuery::after(&a, 10).start() > a.as_str());
/// assert!(QueuesQuery::after(&a, 10).start() < b.as_str());
/// assert_eq!(QueuesQuery::all(1_000_000).limit(), QueuesQuery::LIMIT_MAX);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuesQuery {
    start: String,
    limit: usize,
}

/// One page of the queues of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuesPage {
    /// The queues found, in order.
    pub queues: Vec<QueueStatus>,
    /// The query for the next page; `None` at the end. The page behind a full one may be empty.
    pub next: Option<QueuesQuery>,
}

/// The name of a queue, its pauses and its counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueStatus {
    /// The name of the queue.
    pub name: QueueName,
    /// For how long its claims are stopped; [`Off`](Pause::Off) once that is over.
    pub pause: Pause,
    /// The kinds whose jobs are not claimed, in the order of their names.
    pub paused_kinds: Vec<PausedKind>,
    /// What [`Storage::counts`](crate::Storage::counts) would have answered at that moment.
    pub counts: Counts,
}

impl QueuesQuery {
    /// The most queues of a page.
    pub const LIMIT_MAX: usize = 1_000;

    /// The first page of all queues. A page has at least one queue, also with a limit of 0, and at
    /// most [`LIMIT_MAX`](Self::LIMIT_MAX).
    pub fn all(limit: usize) -> Self {
        Self::starting(String::new(), limit)
    }

    /// The queues from this name on, including the queue of this name.
    pub fn from(name: &QueueName, limit: usize) -> Self {
        Self::starting(name.as_str().to_owned(), limit)
    }

    /// The queues behind this name.
    pub fn after(name: &QueueName, limit: usize) -> Self {
        Self::starting(format!("{name}{JUST_BEHIND}"), limit)
    }

    pub(super) fn starting(start: String, limit: usize) -> Self {
        Self { start, limit: limit.clamp(1, Self::LIMIT_MAX) }
    }

    /// The text that the page begins at: no name of the page sorts before it. It need not be a
    /// name.
    pub fn start(&self) -> &str {
        &self.start
    }

    /// The page has at most this many queues.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The page that consists of these queues, which are all queues from the start on, or as many
    /// as the limit.
    pub fn page(&self, queues: Vec<QueueStatus>) -> QueuesPage {
        let last = queues.last().filter(|_| queues.len() >= self.limit);
        let next = last.map(|last| Self::after(&last.name, self.limit));
        QueuesPage { queues, next }
    }
}
