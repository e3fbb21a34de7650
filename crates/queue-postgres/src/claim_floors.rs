//! Where the claims of a handle begin to look, once looking from the start has become slow.
//!
//! A claimed job leaves a dead entry at the front of its lane. The server usually removes it at
//! once; while an old snapshot is held, no entry goes, and a look from the start reads all of them.
//! Most looks then begin behind the jobs that were claimed before, and only some at the start. A
//! look from the start finds the jobs that came to lie in front (by a commit that took long, a
//! release elsewhere, or a lapse), and [`ClaimFloors::bound`] says when the worker should ask for
//! one. While looks from the start are cheap, there are no others.

use parking_lot::{Mutex, MutexGuard};
use queue_core::{Claimed, JobMeta, Timestamp};
use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};
use tokio::time::Instant;

/// A look from the start that takes no longer is cheap, and never replaced by short ones.
const CHEAP: Duration = Duration::from_millis(10);
/// The time that each claimed job may add to a cheap look.
const EACH_JOB: Duration = Duration::from_micros(200);
/// A look from the start that takes no longer than this many short ones is not replaced either,
/// since something else is slow then.
const SHORT_LOOKS: u32 = 3;
/// The shortest time between two looks from the start.
const INTERVAL_MIN: Duration = Duration::from_secs(1);
/// The same, as a multiple of what the last look from the start took.
const INTERVAL_COSTS: u32 = 20;
/// How far a short look goes back, in milliseconds of store time, for the sake of slow commits.
const GRACE_MS: i64 = 2_000;
/// Queues that are remembered. Beyond that number the memory starts afresh.
const QUEUES_MAX: usize = 10_000;

/// The due time and seq of a job: its place in its lane.
type Key = (i64, i64);

/// Where one handle's claims begin, by queue.
#[derive(Debug, Default)]
pub(crate) struct ClaimFloors(Mutex<HashMap<i32, QueueFloor>>);

/// Where the claims of one queue begin, and what its looks took.
#[derive(Debug)]
struct QueueFloor {
    /// The due time before which nothing waits, in any lane.
    all: i64,
    /// The same by lane, where it is later.
    lanes: BTreeMap<i16, Key>,
    /// The last look from the start: when it ended, and what it took.
    full_at: Instant,
    full_cost: Duration,
    /// The first lapse that it saw, or that is by a lease of this handle since. The lease may be
    /// over by now.
    lapse: Option<i64>,
    short_cost: Option<Duration>,
}

/// Where one claim begins to look.
#[derive(Debug)]
pub(crate) enum Look {
    /// At the start of every lane.
    Full,
    /// Behind these floors.
    Short { all: i64, lanes: Vec<(i16, Key)> },
}

/// The jobs that a look found.
#[derive(Debug)]
pub(crate) struct LookFindings<'a> {
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

    /// The floors of lanes that are higher.
    pub(crate) fn lanes(&self) -> &[(i16, Key)] {
        match self {
            Self::Full => &[],
            Self::Short { lanes, .. } => lanes,
        }
    }
}

impl ClaimFloors {
    /// Whether a look from the start was slow for the jobs that it claimed.
    pub(crate) fn is_dear(cost: Duration, jobs: usize) -> bool {
        let claiming = EACH_JOB.saturating_mul(u32::try_from(jobs).unwrap_or(u32::MAX));
        cost > CHEAP.saturating_add(claiming)
    }

    /// Forgets a queue, so that its next claim begins at the start.
    pub(crate) fn forget(&self, queue: i32) {
        self.lock().remove(&queue);
    }

    /// Where the next claim of a queue begins to look, at this store time or later.
    pub(crate) fn next_look(&self, queue: i32, now: i64) -> Look {
        match self.lock().get(&queue) {
            Some(front) if front.spares_full_look(now) => {
                let lanes = front.lanes.iter().filter(|(_, key)| key.0 > front.all);
                Look::Short { all: front.all, lanes: lanes.map(|(lane, key)| (*lane, *key)).collect() }
            }
            _ => Look::Full,
        }
    }

    /// Remembers what a look found and how long it took. The caller reports a slow look from the
    /// start only if dead rows were the reason.
    pub(crate) fn looked(&self, queue: i32, look: &Look, findings: &LookFindings<'_>, cost: Duration) {
        let mut floors = self.lock();
        if look.is_full() {
            if !Self::is_dear(cost, findings.claimed.jobs.len()) {
                floors.remove(&queue);
                return;
            }
            if floors.len() >= QUEUES_MAX {
                floors.clear();
            }
            // Weighs less from look to look, or one that was slow by chance would never be followed
            // by another.
            let short_cost = floors.get(&queue).and_then(|front| front.short_cost).map(|short| short / 2);
            let full_at = Instant::now();
            let lapse = findings.lapse;
            let all = i64::MIN;
            let lanes = BTreeMap::new();
            floors.insert(queue, QueueFloor { all, lanes, full_at, full_cost: cost, lapse, short_cost });
        }
        if let Some(front) = floors.get_mut(&queue) {
            if !look.is_full() {
                front.short_cost = Some(cost);
            }
            front.advance(findings);
        }
    }

    /// Records that a job changed. If it waits in front of the floor, the next claim looks from the
    /// start; if it is leased, it may be the first to lapse.
    pub(crate) fn changed(&self, queue: i32, job: &JobMeta) {
        let mut floors = self.lock();
        let Some(front) = floors.get_mut(&queue) else { return };
        front.note_lapse(job);
        if job.state.is_waiting() && front.lies_behind(job) {
            floors.remove(&queue);
        }
    }

    /// The latest moment at which the next claim has to come after a short look, since a job may
    /// lie in front of the floor, or lapse.
    pub(crate) fn bound(&self, queue: i32, look: &Look, now: Timestamp) -> Option<Timestamp> {
        if look.is_full() {
            return None;
        }
        let floors = self.lock();
        let front = floors.get(&queue)?;
        let rest = front.interval().saturating_sub(front.full_at.elapsed());
        let next = now
            .as_millis()
            .saturating_add(i64::try_from(rest.as_millis()).unwrap_or(i64::MAX))
            .saturating_add(1);
        Some(Timestamp::from_millis(front.lapse.map_or(next, |lapse| lapse.min(next))))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i32, QueueFloor>> {
        self.0.lock()
    }
}

impl QueueFloor {
    fn interval(&self) -> Duration {
        INTERVAL_MIN.max(self.full_cost * INTERVAL_COSTS)
    }

    fn spares_full_look(&self, now: i64) -> bool {
        // What lapsed was ended elsewhere, or is to be found: only a look from the start shows
        // which.
        let has_lapsed = self.lapse.is_some_and(|lapse| lapse <= now);
        let is_worth_it = self.short_cost.is_none_or(|short| self.full_cost > short * SHORT_LOOKS);
        is_worth_it && !has_lapsed && self.full_at.elapsed() < self.interval()
    }

    fn note_lapse(&mut self, job: &JobMeta) {
        if let Some(lease) = &job.lease {
            let lapse = lease.expires_at.as_millis();
            self.lapse = Some(self.lapse.map_or(lapse, |first| first.min(lapse)));
        }
    }

    /// Raises the floors: over everything due if the look had room for more jobs, else up to the
    /// last job.
    fn advance(&mut self, findings: &LookFindings<'_>) {
        findings.claimed.jobs.iter().for_each(|job| self.note_lapse(&job.record.meta));
        // A transaction that commits late makes a job visible that was due before this look, so
        // floors stay behind the present by a grace.
        let safe = findings.claimed.now.as_millis().saturating_sub(GRACE_MS);
        let Some(last) =
            findings.claimed.jobs.last().filter(|_| findings.claimed.jobs.len() >= findings.limit)
        else {
            if !findings.claimed.pause.is_on() && findings.limit > 0 {
                self.all = self.all.max(safe);
                self.lanes.clear();
            }
            return;
        };
        let last = &last.record.meta;
        for job in findings.claimed.jobs.iter().map(|job| &job.record.meta) {
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
    use super::{ClaimFloors, LookFindings};
    use queue_core::{
        Claimed, ContentType, JobId, JobMeta, Kind, LeaseInfo, Moment, NewJob, Payload, QueueName, Seq,
        State, Timestamp, WorkerId,
    };
    use std::time::Duration;

    const QUEUE: i32 = 1;
    const NOW: i64 = 10_000;
    const FULL: Duration = Duration::from_millis(400);

    /// Looks as it is to look next, which takes as long as is said of the kind; answers whether it
    /// was from the start.
    fn look(floors: &ClaimFloors, short: Duration) -> bool {
        let look = floors.next_look(QUEUE, NOW);
        let claimed = Claimed::none(None, Moment::at(Timestamp::from_millis(NOW)));
        let findings = LookFindings { claimed: &claimed, limit: 1, lapse: None };
        floors.looked(QUEUE, &look, &findings, if look.is_full() { FULL } else { short });
        look.is_full()
    }

    #[test]
    fn a_dear_look_from_the_start_is_followed_by_short_ones() {
        let floors = ClaimFloors::default();
        let looks = [(); 4].map(|()| look(&floors, FULL / 100));
        assert_eq!(looks, [true, false, false, false]);
    }

    #[test]
    fn a_short_look_that_was_slow_once_is_tried_again() {
        let floors = ClaimFloors::default();
        assert!(look(&floors, FULL));
        assert!(!look(&floors, FULL), "it is tried, and as slow as one from the start");
        let looks = [(); 3].map(|()| look(&floors, FULL / 100));
        assert_eq!(looks, [true, true, false], "half of that is still too slow, a quarter is not");
        assert!(!look(&floors, FULL / 100));
    }

    fn leased_until(millis: i64) -> JobMeta {
        let payload = Payload::new("", ContentType::from_static("x/y"));
        let new = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
        let meta = JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(1), Timestamp::default());
        let lease =
            LeaseInfo { worker: WorkerId::from_static("w"), expires_at: Timestamp::from_millis(millis) };
        JobMeta { state: State::Processing, lease: Some(lease), ..meta }
    }

    #[test]
    fn the_next_claim_is_no_later_than_the_first_lapse_of_a_lease_of_this_handle_and_looks_from_the_start() {
        let floors = ClaimFloors::default();
        assert!(look(&floors, FULL));
        let short = floors.next_look(QUEUE, NOW);
        assert!(!short.is_full());
        let now = Timestamp::from_millis(NOW);
        let unleased = floors.bound(QUEUE, &short, now).expect("a short look is bounded");
        for lapse in [NOW + 300, NOW + 100, NOW + 200] {
            floors.changed(QUEUE, &leased_until(lapse));
        }
        let lapse = Timestamp::from_millis(NOW + 100);
        assert!(lapse < unleased, "or the lease would not matter");
        assert_eq!(floors.bound(QUEUE, &short, now), Some(lapse));
        assert!(!floors.next_look(QUEUE, NOW + 99).is_full());
        assert!(floors.next_look(QUEUE, NOW + 100).is_full());
    }
}
