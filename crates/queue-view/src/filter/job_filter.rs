//! The jobs of a queue that match every part that is given.

use super::{InvalidFilter, JobListing, Standing, written::Written};
use queue_core::{
    Direction, JobMeta, Kind, ListFilter, Partition, QueueName, State, Tag, Timestamp, Walk, WorkerId,
};
use serde::{Deserialize, Serialize};

/// The jobs of a queue that match every part that is given; the default means all of them.
///
/// As JSON it is an object of its parts, of which each may be absent: `states` (a list), `kind`,
/// `tag`, `worker`, `partition`, `id_prefix`, `since_ms` and `until_ms` (store times in
/// milliseconds). In addresses, in forms and on a command line it is pairs of text; see
/// [`from_parts`](Self::from_parts).
///
/// ```
/// use queue_core::{Direction, QueueName};
/// use queue_view::{JobFilter, Standing};
///
/// let filter = JobFilter::from_parts([("state", "failed"), ("tag", "tenant-7")])?;
/// assert_eq!(filter.states, [Standing::Failed]);
/// let listing = filter.listing(QueueName::from_static("emails"), Some(Direction::NewestFirst))?;
/// # let _ = listing;
/// # Ok::<(), queue_view::InvalidFilter>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct JobFilter {
    /// Jobs that stand in any of these ways; empty means all.
    pub states: Vec<Standing>,
    /// Jobs of this kind.
    pub kind: Option<Kind>,
    /// Jobs with this tag.
    pub tag: Option<Tag>,
    /// Jobs that this worker holds.
    pub worker: Option<WorkerId>,
    /// Jobs of this partition.
    pub partition: Option<Partition>,
    /// Jobs whose id begins with this text.
    pub id_prefix: Option<String>,
    /// Jobs that [came into their state](JobMeta::entered_at) at this store time or later.
    pub since: Option<Timestamp>,
    /// Jobs that [came into their state](JobMeta::entered_at) before this store time.
    pub until: Option<Timestamp>,
}

impl JobFilter {
    /// Jobs that stand in any of these ways.
    pub fn standing(standings: impl IntoIterator<Item = Standing>) -> Self {
        Self { states: standings.into_iter().collect(), ..Self::default() }
    }

    /// Whether every job of a queue is meant.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a job is meant at a time.
    pub fn matches(&self, job: &JobMeta, now: Timestamp) -> bool {
        self.stands(job, now) && !job.is_purged(now) && self.list_filter().matches(job)
    }

    /// Whether a bulk change of the jobs that are [meant](Self::matches) touches this one. Jobs
    /// behind a closed gate are left alone unless the filter names them: they wait for jobs that
    /// the same change may end.
    pub fn touches(&self, job: &JobMeta, now: Timestamp) -> bool {
        self.matches(job, now) && (self.states.contains(&Standing::Gated) || !job.is_gated(now))
    }

    /// Whether a job stands at a time in one of the ways that are meant, which a store cannot
    /// compare.
    pub(super) fn stands(&self, job: &JobMeta, now: Timestamp) -> bool {
        self.states.is_empty() || self.states.iter().any(|standing| standing.includes(job, now))
    }

    /// The jobs of a queue that are meant, in an order.
    ///
    /// The store walks the index that leads to the fewest other jobs:
    ///
    /// | filter | order | steps through |
    /// |---|---|---|
    /// | `due` alone | in the order of claims | due jobs |
    /// | `scheduled` or `parked` alone | by due time | scheduled jobs |
    /// | `gated` alone | by time-out | jobs behind a closed gate |
    /// | `lapsed` alone | by the end of the lease | jobs whose lease has run out |
    /// | a worker, or `processing`, `failing`, `failed` or `cancelled` alone | by when they came into the state | jobs in the state |
    /// | a tag | by enqueue | jobs with the tag |
    /// | `queued` or `completed` alone | by enqueue | perhaps other jobs of the queue |
    /// | anything else | by enqueue | all jobs of the queue |
    ///
    /// A tag decides over a state, unless `since` bounds an index that is ordered by time. Without
    /// an `order` the oldest jobs come first.
    ///
    /// # Errors
    /// [`InvalidFilter::NoTime`] and [`InvalidFilter::NotHeld`] for a filter that no job can match,
    /// and [`InvalidFilter::OwnOrder`] for an order of jobs that have their own.
    pub fn listing(&self, queue: QueueName, order: Option<Direction>) -> Result<JobListing, InvalidFilter> {
        self.check()?;
        let own = self.own_walk();
        if own.is_some() && order.is_some() {
            return Err(InvalidFilter::OwnOrder);
        }
        let walk = own.unwrap_or_else(|| self.stable_walk(order.unwrap_or_default()));
        Ok(JobListing::new(self.clone(), queue, walk))
    }

    /// [`listing`](Self::listing) with the newest jobs first, or in their own order where they have
    /// one, as people read it.
    ///
    /// # Errors
    /// The errors of a filter that no job can match.
    pub fn newest_first(&self, queue: QueueName) -> Result<JobListing, InvalidFilter> {
        self.listing(queue, (!self.has_own_order()).then_some(Direction::NewestFirst))
    }

    /// Whether the jobs have an order of their own, beside which there is no other: those that are
    /// due, scheduled, parked, gated or lapsed, and nothing else.
    pub fn has_own_order(&self) -> bool {
        self.own_walk().is_some()
    }

    /// Checks that a job can match.
    ///
    /// # Errors
    /// [`InvalidFilter::NoTime`] and [`InvalidFilter::NotHeld`].
    pub fn check(&self) -> Result<(), InvalidFilter> {
        if self.since.zip(self.until).is_some_and(|(since, until)| since >= until) {
            return Err(InvalidFilter::NoTime);
        }
        let is_held = |standing: &Standing| standing.states() == [State::Processing];
        if self.worker.is_some() && !self.states.iter().all(is_held) {
            return Err(InvalidFilter::NotHeld);
        }
        Ok(())
    }

    /// An index in which a job keeps its place until it comes into its state again, so that a
    /// change page by page meets no job twice: an index by due time would show a job again that was
    /// put off.
    pub fn stable_walk(&self, direction: Direction) -> Walk {
        let of_state = match self.possible_states().as_slice() {
            [state] => Some(Walk::State(*state, direction)),
            _ => None,
        };
        let is_bounded = self.since.is_some() && of_state.as_ref().is_some_and(Walk::is_by_time);
        match (of_state, &self.tag) {
            (Some(held), _) if self.worker.is_some() => held,
            (_, Some(tag)) if !is_bounded => Walk::Tagged(tag.clone(), direction),
            (Some(of_state), _) => of_state,
            (None, _) => Walk::All(direction),
        }
    }

    /// The parts that a store compares with the jobs of an index. It knows states, and not how jobs
    /// stand: that is [`matches`](Self::matches).
    pub fn list_filter(&self) -> ListFilter {
        let far_back = Timestamp::from_millis(i64::MIN);
        let far_ahead = Timestamp::from_millis(i64::MAX);
        let is_bounded = self.since.is_some() || self.until.is_some();
        let entered = is_bounded.then(|| self.since.unwrap_or(far_back)..self.until.unwrap_or(far_ahead));
        ListFilter {
            states: self.possible_states(),
            kind: self.kind.clone(),
            worker: self.worker.clone(),
            tag: self.tag.clone(),
            partition: self.partition.clone(),
            id_prefix: self.id_prefix.clone(),
            entered,
        }
    }

    /// The index of jobs that have an order of their own.
    fn own_walk(&self) -> Option<Walk> {
        if self.worker.is_some() {
            return None;
        }
        match self.distinct().as_slice() {
            [Standing::Due] => Some(Walk::Due),
            [Standing::Scheduled | Standing::Parked] => Some(Walk::Scheduled),
            [Standing::Gated] => Some(Walk::Gated),
            [Standing::Lapsed] => Some(Walk::Lapsed),
            _ => None,
        }
    }

    fn distinct(&self) -> Vec<Standing> {
        let mut standings = self.states.clone();
        standings.sort_unstable();
        standings.dedup();
        standings
    }

    /// The states that a job may have that is meant; empty means any.
    fn possible_states(&self) -> Vec<State> {
        if self.worker.is_some() {
            return vec![State::Processing];
        }
        let mut states: Vec<State> =
            self.states.iter().flat_map(|standing| standing.states()).copied().collect();
        states.sort_unstable();
        states.dedup();
        states
    }
}
