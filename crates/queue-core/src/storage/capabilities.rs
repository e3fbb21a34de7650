use crate::Limits;
use std::time::Duration;

/// What a store is and can do, so that callers need not guess and tests know what to skip.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that a store can do or not")]
pub struct Capabilities {
    /// Its name, for people.
    pub name: &'static str,
    /// What survives.
    pub durability: Durability,
    /// Who can share it.
    pub reach: Reach,
    /// How far its hints reach.
    pub events: EventReach,
    /// Worker presence is kept.
    pub presence: bool,
    /// A queue can be paused.
    pub pause: bool,
    /// Its queues can be listed.
    pub queues: bool,
    /// It keeps the attempts that were charged to a job.
    pub attempts: bool,
    /// What it accepts.
    pub limits: Limits,
    /// A call without an answer for this long is given up, with an unknown outcome. Callers that
    /// wait for a call wait a little longer. Default 30 s.
    pub call_timeout: Duration,
}

/// What an acknowledged write survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Durability {
    /// Nothing: it lives in this process.
    None,
    /// The end of the process, but a power cut may take the newest writes.
    Process,
    /// A power cut.
    Power,
}

/// Who can share a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reach {
    /// Handles in one process.
    Process,
    /// Processes of one host.
    Host,
    /// Hosts of one network.
    Network,
}

/// How far the hints of [`Storage::subscribe`](crate::Storage::subscribe) reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventReach {
    /// None are sent; callers poll.
    None,
    /// Writes of other processes are hinted at by queue, never job by job: as
    /// [`Hint::Wake`](crate::Hint::Wake) and [`Hint::Missed`](crate::Hint::Missed).
    Process,
    /// Writes of everybody are reported.
    Store,
}

impl Capabilities {
    /// A store of the mandatory verbs alone: no hints, no presence, no pause, no list of queues, no
    /// attempts, default limits.
    pub fn new(name: &'static str, durability: Durability, reach: Reach) -> Self {
        let (limits, events) = (Limits::default(), EventReach::None);
        let call_timeout = Duration::from_secs(30);
        let (presence, pause, queues, attempts) = (false, false, false, false);
        Self { name, durability, reach, events, presence, pause, queues, attempts, limits, call_timeout }
    }

    /// Sets how far hints reach.
    #[must_use]
    pub fn with_events(mut self, events: EventReach) -> Self {
        self.events = events;
        self
    }

    /// Sets what it accepts.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets when a call without an answer is given up.
    #[must_use]
    pub fn with_call_timeout(mut self, call_timeout: Duration) -> Self {
        self.call_timeout = call_timeout;
        self
    }

    /// Says that worker presence is kept.
    #[must_use]
    pub fn with_presence(mut self) -> Self {
        self.presence = true;
        self
    }

    /// Says that a queue can be paused.
    #[must_use]
    pub fn with_pause(mut self) -> Self {
        self.pause = true;
        self
    }

    /// Says that its queues can be listed.
    #[must_use]
    pub fn with_queues(mut self) -> Self {
        self.queues = true;
        self
    }

    /// Says that it keeps the attempts that were charged to a job.
    #[must_use]
    pub fn with_attempts(mut self) -> Self {
        self.attempts = true;
        self
    }
}
