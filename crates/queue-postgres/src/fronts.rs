//! Where claims begin to look, when looking from the start has become dear.
//!
//! A claimed job leaves a dead entry at the front of its lane. Usually it is gone at once; while somebody holds an old
//! snapshot, none goes, and a look from the start wades through all of them. Then most looks begin behind what was claimed
//! before, and only some at the start: every look from the start finds whatever came to lie in front (a commit that took
//! long, a job that was released elsewhere, a lapse), and until then [`Fronts::bound`] tells the worker to ask again.
//! While looks from the start are cheap, there are no others.

use parking_lot::{Mutex, MutexGuard};
use queue_core::{Claimed, JobMeta, Timestamp};
use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};
use tokio::time::Instant;

/// A look from the start that takes no longer is never spared.
const CHEAP: Duration = Duration::from_millis(10);
/// What each claimed job may add to it.
const EACH_JOB: Duration = Duration::from_micros(200);
/// Nor is one that takes no longer than so many short looks: then something else is slow.
const SHORT_LOOKS: u32 = 3;
/// Between two looks from the start lies at least this, and at least so many times what the last one took.
const INTERVAL_MIN: Duration = Duration::from_secs(1);
const INTERVAL_COSTS: u32 = 20;
/// A short look goes back so far, in milliseconds of store time, for commits that took a while.
const GRACE_MS: i64 = 2_000;
/// Queues that are remembered. Beyond it the memory starts afresh.
const QUEUES_MAX: usize = 10_000;

/// The due time and seq of a job: its place in its lane.
type Key = (i64, i64);

/// Where one handle's claims begin, by queue.
#[derive(Debug, Default)]
pub(crate) struct Fronts(Mutex<HashMap<i32, Front>>);

#[derive(Debug)]
struct Front {
    /// Nothing waits before this due time, in any lane.
    all: i64,
    /// Nor before these, where they are later.
    lanes: BTreeMap<i16, Key>,
    /// The last look from the start: when it ended, what it took, and the first lapse that it saw.
    full_at: Instant,
    full_cost: Duration,
    lapse: Option<i64>,
    short_cost: Option<Duration>,
}

/// One look.
#[derive(Debug)]
pub(crate) enum Look {
    /// From the start.
    Full,
    /// From here.
    Short { all: i64, lanes: Vec<(i16, Key)> },
}

/// What a look found.
#[derive(Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) claimed: &'a Claimed,
    pub(crate) limit: usize,
    pub(crate) lapse: Option<i64>,
}

impl Look {
    pub(crate) fn is_full(&self) -> bool {
        matches!(self, Self::Full)
    }

    /// The floor of all lanes.
    pub(crate) fn all(&self) -> i64 {
        match self {
            Self::Full => i64::MIN,
            Self::Short { all, .. } => *all,
        }
    }

    /// Higher floors.
    pub(crate) fn lanes(&self) -> &[(i16, Key)] {
        match self {
            Self::Full => &[],
            Self::Short { lanes, .. } => lanes,
        }
    }
}

impl Fronts {
    /// Whether a look from the start took long enough to be spared.
    pub(crate) fn is_dear(cost: Duration, jobs: usize) -> bool {
        let claiming = EACH_JOB.saturating_mul(u32::try_from(jobs).unwrap_or(u32::MAX));
        cost > CHEAP.saturating_add(claiming)
    }

    /// All claims of a queue begin at the start again.
    pub(crate) fn forget(&self, queue: i32) {
        self.lock().remove(&queue);
    }

    /// From where a claim shall look now.
    pub(crate) fn next_look(&self, queue: i32) -> Look {
        match self.lock().get(&queue) {
            Some(front) if front.spares_full_look() => {
                let lanes = front.lanes.iter().filter(|(_, key)| key.0 > front.all);
                Look::Short { all: front.all, lanes: lanes.map(|(lane, key)| (*lane, *key)).collect() }
            }
            _ => Look::Full,
        }
    }

    /// Remembers what a look found and what it took. One from the start that was dear shall come here only if dead rows were
    /// the reason.
    pub(crate) fn looked(&self, queue: i32, look: &Look, seen: &Seen<'_>, cost: Duration) {
        let mut fronts = self.lock();
        if look.is_full() {
            if !Self::is_dear(cost, seen.claimed.jobs.len()) {
                fronts.remove(&queue);
                return;
            }
            if fronts.len() >= QUEUES_MAX {
                fronts.clear();
            }
            // Weighs less from look to look, or one that was slow by chance would never be followed by another.
            let short_cost = fronts.get(&queue).and_then(|front| front.short_cost).map(|short| short / 2);
            let (full_at, lapse) = (Instant::now(), seen.lapse);
            let (all, lanes) = (i64::MIN, BTreeMap::new());
            fronts.insert(queue, Front { all, lanes, full_at, full_cost: cost, lapse, short_cost });
        }
        if let Some(front) = fronts.get_mut(&queue) {
            if !look.is_full() {
                front.short_cost = Some(cost);
            }
            front.advance(seen);
        }
    }

    /// A job came back. If it lies before where claims begin, the next one looks from the start.
    pub(crate) fn returned(&self, queue: i32, job: &JobMeta) {
        if job.state.is_waiting() {
            let mut fronts = self.lock();
            if fronts.get(&queue).is_some_and(|front| front.lies_behind(job)) {
                fronts.remove(&queue);
            }
        }
    }

    /// After a short look: the latest moment at which another claim shall come, since something may lie in front, or lapse.
    pub(crate) fn bound(&self, queue: i32, look: &Look, now: Timestamp) -> Option<Timestamp> {
        if look.is_full() {
            return None;
        }
        let fronts = self.lock();
        let front = fronts.get(&queue)?;
        let rest = front.interval().saturating_sub(front.full_at.elapsed());
        let next = now
            .as_millis()
            .saturating_add(i64::try_from(rest.as_millis()).unwrap_or(i64::MAX))
            .saturating_add(1);
        Some(Timestamp::from_millis(front.lapse.map_or(next, |lapse| lapse.min(next))))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i32, Front>> {
        self.0.lock()
    }
}

impl Front {
    fn interval(&self) -> Duration {
        INTERVAL_MIN.max(self.full_cost * INTERVAL_COSTS)
    }

    fn spares_full_look(&self) -> bool {
        let is_worth_it = self.short_cost.is_none_or(|short| self.full_cost > short * SHORT_LOOKS);
        is_worth_it && self.full_at.elapsed() < self.interval()
    }

    /// Everything due was taken, if there was room for more. Else everything up to the last job was.
    fn advance(&mut self, seen: &Seen<'_>) {
        let safe = seen.claimed.now.as_millis().saturating_sub(GRACE_MS);
        let Some(last) = seen.claimed.jobs.last().filter(|_| seen.claimed.jobs.len() >= seen.limit) else {
            if !seen.claimed.paused && seen.limit > 0 {
                self.all = self.all.max(safe);
                self.lanes.clear();
            }
            return;
        };
        let last = &last.record.meta;
        for job in seen.claimed.jobs.iter().map(|job| &job.record.meta) {
            let key = if job.priority == last.priority { key_of(last).min((safe, 0)) } else { (safe, 0) };
            let floor = self.lanes.entry(job.priority).or_insert(key);
            *floor = (*floor).max(key);
        }
    }

    fn lies_behind(&self, job: &JobMeta) -> bool {
        let key = key_of(job);
        key.0 <= self.all || self.lanes.get(&job.priority).is_some_and(|floor| key <= *floor)
    }
}

fn key_of(job: &JobMeta) -> Key {
    (job.run_at.as_millis(), crate::row::integer(job.seq.get()))
}

#[cfg(test)]
mod tests {
    use super::{Fronts, Seen};
    use queue_core::{Claimed, Moment, Timestamp};
    use std::time::Duration;

    const QUEUE: i32 = 1;
    const FULL: Duration = Duration::from_millis(400);

    /// Looks as it is to look next, which takes as long as is said of the kind; answers whether it was from the start.
    fn look(fronts: &Fronts, short: Duration) -> bool {
        let look = fronts.next_look(QUEUE);
        let claimed = Claimed::none(None, Moment::at(Timestamp::from_millis(10_000)));
        let seen = Seen { claimed: &claimed, limit: 1, lapse: None };
        fronts.looked(QUEUE, &look, &seen, if look.is_full() { FULL } else { short });
        look.is_full()
    }

    #[test]
    fn a_dear_look_from_the_start_is_followed_by_short_ones() {
        let fronts = Fronts::default();
        let looks = [(); 4].map(|()| look(&fronts, FULL / 100));
        assert_eq!(looks, [true, false, false, false]);
    }

    #[test]
    fn a_short_look_that_was_slow_once_is_tried_again() {
        let fronts = Fronts::default();
        assert!(look(&fronts, FULL));
        assert!(!look(&fronts, FULL), "it is tried, and as slow as one from the start");
        let looks = [(); 3].map(|()| look(&fronts, FULL / 100));
        assert_eq!(looks, [true, true, false], "half of that is still too slow, a quarter is not");
        assert!(!look(&fronts, FULL / 100));
    }
}
