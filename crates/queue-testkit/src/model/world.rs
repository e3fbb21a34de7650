//! The model of a queue: what each operation should answer and leave behind.

use super::{
    answer::{Answer, Change, Claim, Snapshot},
    card::Card,
    driver::{HANDS_MAX, pick},
    job::{Fate, Job},
    op::{Doomed, Filter, How, IDS, KINDS, New, Op, WORKERS, What},
    rules::{changed, held, named, word},
};
use queue_core::State;
use std::collections::BTreeMap;

/// The whole model of a queue: jobs by id, the leases that clients hold, and the time.
#[derive(Debug)]
pub(super) struct World {
    pub(super) jobs: BTreeMap<String, Job>,
    hands: Vec<Hand>,
    pub(super) now: i64,
    /// What the clock says, which is at most that.
    reading: i64,
    pub(super) lives: u64,
    claims: u64,
    paused: bool,
    /// The latest time that the handle was told, and the ticks at which it was.
    told: (i64, i64),
}

/// A lease that some client believes it holds.
#[derive(Clone, Debug)]
struct Hand {
    id: String,
    life: u64,
    claim: u64,
    /// When it was too late to start it, as the claim showed it.
    expires_at: Option<i64>,
}

impl World {
    /// An empty queue of a store that has not looked at its clock yet.
    pub(super) fn new() -> Self {
        Self {
            jobs: BTreeMap::new(),
            hands: Vec::new(),
            now: i64::MIN,
            reading: i64::MIN,
            lives: 0,
            claims: 0,
            paused: false,
            told: (0, 0),
        }
    }

    /// The store looks at its clock: time goes on, slowly if the clock is behind, and what is
    /// overdue is gone.
    pub(super) fn look(&mut self, (reading, ticks): (i64, i64)) {
        let (told, at) = self.told;
        self.reading = reading;
        let floor = told + (ticks - at) - (ticks - at) / 64;
        self.now = self.now.max(reading).max(floor);
        if self.now > floor {
            self.told = (self.now, ticks);
        }
        self.jobs.retain(|_, job| !job.is_gone(self.now));
    }

    /// A new handle counts from what the store tells it first.
    pub(super) fn reopen(&mut self, (_, ticks): (i64, i64)) {
        self.told = (self.now, ticks);
    }

    /// The moments still ahead that matter to some job, in order.
    pub(super) fn edges(&self) -> Vec<i64> {
        let lapse = |job: &Job| job.card.lease.as_ref().map(|lease| lease.1);
        let of = |job: &Job| [Some(job.card.run_at), lapse(job), job.card.purge_at, job.expires_at()];
        let mut edges: Vec<i64> =
            self.jobs.values().flat_map(of).flatten().filter(|at| *at > self.now).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// What the store should answer.
    pub(super) fn run(&mut self, op: &Op) -> Answer {
        match op {
            Op::Enqueue(groups) => {
                let mut group = |group: &Vec<New>| group.iter().map(|new| self.enqueue(new)).collect();
                Answer::Enqueued(groups.iter().map(&mut group).collect())
            }
            Op::Claim { worker, limit, lease_ms } => {
                Answer::Claimed(self.claim(WORKERS[*worker], *limit, *lease_ms))
            }
            Op::Hold { hand, how } => match pick(&self.hands, *hand).cloned() {
                Some(hand) => Answer::Changed(self.hold(&hand, how)),
                None => Answer::Nothing,
            },
            Op::Change { id, what } => Answer::Changed(self.change(IDS[*id], *what)),
            Op::Rescue => Answer::Rescued(self.rescue()),
            Op::Prune(doomed) => Answer::Pruned(self.prune(*doomed)),
            Op::List { filter, .. } => Answer::Listed(self.list(filter)),
            Op::Pause => self.set_paused(true),
            Op::Resume => self.set_paused(false),
            Op::Pass(_) | Op::Edge { .. } | Op::Back(_) | Op::Reopen => Answer::Nothing,
        }
    }

    /// What should now be there.
    pub(super) fn snapshot(&self) -> Snapshot {
        let jobs = self.in_order();
        let count = |state| jobs.iter().filter(|job| job.card.state == state).count() as u64;
        let waiting = || jobs.iter().filter(|job| job.is_waiting());
        Snapshot {
            counts: State::ALL.map(|state| (state, count(state))).into(),
            scheduled: waiting().filter(|job| !job.is_due(self.now)).count() as u64,
            oldest_due: waiting().filter(|job| job.is_due(self.now)).map(|job| job.card.run_at).min(),
            now: self.now,
            jobs: jobs.iter().map(|job| (job.card.clone(), job.body.clone())).collect(),
        }
    }

    fn in_order(&self) -> Vec<&Job> {
        let mut jobs: Vec<&Job> = self.jobs.values().collect();
        jobs.sort_by_key(|job| job.card.life);
        jobs
    }

    fn claim(&mut self, worker: &str, limit: usize, lease_ms: i64) -> Claim {
        self.claims += 1;
        let (now, claim) = (self.now, self.claims);
        let mut due: Vec<(&String, &mut Job)> =
            self.jobs.iter_mut().filter(|(_, job)| job.is_due(now)).collect();
        due.sort_by_key(|(_, job)| (job.card.priority, job.card.run_at, job.card.life));
        let mut jobs = Vec::new();
        for (id, job) in due.into_iter().take(if self.paused { 0 } else { limit }) {
            job.take(claim, worker, now, now + lease_ms);
            jobs.push((job.card.clone(), job.body.clone()));
            let expires_at = job.expires_at();
            self.hands.push(Hand { id: id.clone(), life: job.card.life, claim, expires_at });
        }
        self.hands.drain(..self.hands.len().saturating_sub(HANDS_MAX));
        let moments = self.jobs.values().filter_map(|job| match &job.card.lease {
            Some((_, lapse)) => Some(*lapse),
            None => job.is_waiting().then_some(job.card.run_at),
        });
        Claim { jobs, paused: self.paused, now, next_due: moments.min() }
    }

    fn hold(&mut self, hand: &Hand, how: &How) -> Change {
        let now = self.now;
        if matches!(how, How::Expire) && hand.expires_at.is_none_or(|at| at > self.reading) {
            return Change::NotAllowed(State::Processing);
        }
        let Some(job) = self.jobs.get_mut(&hand.id).filter(|job| job.card.life == hand.life) else {
            return Change::Missing;
        };
        let word = word(how);
        if job.held_by != Some(hand.claim) {
            let repeated = word.is_some_and(|word| job.let_go == Some((hand.claim, word)));
            let card = Box::new(job.card.clone());
            return if repeated { Change::Done(card) } else { Change::Lost(card) };
        }
        if word.is_none() && job.has_lapsed(now) {
            return Change::Lost(Box::new(job.card.clone()));
        }
        job.let_go = word.map(|word| (hand.claim, word));
        let fate = held(job, how, now);
        let (then, follow_up) = (named(job, fate, how), job.follow_up.take());
        let change = self.settle(&hand.id, fate);
        self.follow(then, follow_up);
        change
    }

    fn change(&mut self, id: &str, what: What) -> Change {
        let now = self.now;
        let Some(job) = self.jobs.get_mut(id) else { return Change::Missing };
        match changed(job, what, now, self.reading) {
            Ok(fate) => self.settle(id, fate),
            Err(refused) => refused,
        }
    }

    /// The answer to a change that was made. A record that is kept for no time is gone at once.
    fn settle(&mut self, id: &str, fate: Fate) -> Change {
        let job = self.jobs.get(id).expect("it was just changed");
        let card = job.card.clone();
        if fate == Fate::Goes || job.is_gone(self.now) {
            self.jobs.remove(id);
        }
        Change::Done(Box::new(card))
    }

    fn rescue(&mut self) -> Vec<Card> {
        let now = self.now;
        let mut lapsed: Vec<&Job> = self.jobs.values().filter(|job| job.has_lapsed(now)).collect();
        // In the order in which they are listed, so that what follows them comes in that order.
        lapsed.sort_by_key(|job| (job.card.lease.as_ref().map(|lease| lease.1), job.card.life));
        let lapsed: Vec<String> = lapsed.iter().map(|job| job.card.id.clone()).collect();
        let mut cards = Vec::new();
        for id in lapsed {
            let job = self.jobs.get_mut(&id).expect("it lapsed");
            let (fate, follow_up) = (job.stall(now), job.follow_up.take());
            if let Change::Done(card) = self.settle(&id, fate) {
                cards.push(*card);
            }
            self.follow(&[], follow_up);
        }
        cards.sort_by_key(|card| card.life);
        cards
    }

    fn prune(&mut self, doomed: Doomed) -> u64 {
        let before = self.jobs.len();
        let latest = |age_ms| self.now - age_ms;
        match doomed {
            Doomed::Expired => {}
            Doomed::FinishedBefore { age_ms } => {
                let latest = latest(age_ms);
                self.jobs.retain(|_, job| job.card.finished_at.is_none_or(|at| at > latest));
            }
            Doomed::Everything => self.jobs.clear(),
        }
        (before - self.jobs.len()) as u64
    }

    fn set_paused(&mut self, paused: bool) -> Answer {
        self.paused = paused;
        Answer::Nothing
    }

    fn list(&self, filter: &Filter) -> Vec<Card> {
        let listed = |job: &&Job| match filter {
            Filter::Lapsed => job.has_lapsed(self.now),
            Filter::Match { states, worker, kind } => {
                let holder = job.card.lease.as_ref().map(|(holder, _)| holder.as_str());
                (states.is_empty() || states.contains(&job.card.state))
                    && worker.is_none_or(|nth| holder == Some(WORKERS[nth]))
                    && kind.is_none_or(|nth| job.card.kind == KINDS[nth])
            }
        };
        self.in_order().into_iter().filter(listed).map(|job| job.card.clone()).collect()
    }
}
