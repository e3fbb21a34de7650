//! The order in which a batch is written, so that the result is that of one item after the other.

use super::columns::owed;
use queue_core::{
    JobId, LeaseToken, NewJob, Payload, QueueName, Seq, State,
    lifecycle::{Finish, Flags, Lapse, Patch, Proof, Settle, Transition},
};
use std::{
    collections::{BTreeMap, HashSet},
    ops::Range,
};

/// Which statement writes a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// The job is completed by its holder, and its record kept: by far the most frequent change.
    Complete,
    /// The job leaves its table in any other way.
    Move,
    /// A heartbeat.
    Extend,
    /// A mark on the row.
    Mark,
    /// New values for a waiting job.
    Amend,
}

impl Route {
    /// The order in which routes are taken, which is the same for every batch.
    pub(super) const ALL: [Self; 5] = [Self::Complete, Self::Move, Self::Extend, Self::Mark, Self::Amend];

    pub(super) fn of(transition: &Transition) -> Self {
        match transition.patch {
            _ if Completion::of(transition).is_some() => Self::Complete,
            Patch::Requeue(_) | Patch::Finish(_) | Patch::Remove => Self::Move,
            Patch::Extend { .. } => Self::Extend,
            Patch::Flag(_) | Patch::Retain(_) | Patch::Seal => Self::Mark,
            Patch::Amend(_) => Self::Amend,
        }
    }
}

/// A completion by the holder of the lease that keeps the record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Completion<'a> {
    pub(super) token: LeaseToken,
    pub(super) flags: Flags,
    /// The mark of a job whose end sends signals.
    pub(super) owed: i16,
    pub(super) finish: &'a Finish,
    pub(super) result: &'a Payload,
}

impl<'a> Completion<'a> {
    /// Reads a transition as a completion, if it is nothing else.
    pub(super) fn of(transition: &'a Transition) -> Option<Self> {
        let Proof::Lease { token, flags: Some(flags), settle: Some(Settle::Complete), .. } =
            transition.guard.proof
        else {
            return None;
        };
        let Patch::Finish(finish) = &transition.patch else { return None };
        let Finish { state: State::Completed, reason: None, error: None, result: Some(result), .. } = finish
        else {
            return None;
        };
        (transition.guard.lapse == Lapse::Any).then_some(Self {
            token,
            flags,
            owed: owed(transition),
            finish,
            result,
        })
    }
}

/// The routes of a run. Two of them lock rows that jobs leave. Where both are taken in one
/// transaction, the rows are locked in the order of routes and no longer in that of `seq`, so two
/// batches over the same jobs could wait for each other; then one takes all. Marks and amendments
/// are for jobs that stay where they are, and have their own turns: where two transactions mark or
/// amend what the other moves, the server breaks the circle and one is run again.
pub(super) fn routes(run: &[Transition], commits_together: bool) -> Vec<Route> {
    let routes: Vec<Route> = run.iter().map(Route::of).collect();
    let is_general = commits_together && routes.contains(&Route::Move);
    let demoted = |route| if is_general && route == Route::Complete { Route::Move } else { route };
    routes.into_iter().map(demoted).collect()
}

/// Cuts a batch into runs whose items do not depend on each other: no life twice, and no follower
/// whose id is that of an item of the run. One that [touches gates](touches_gates) beside its own
/// signals has a run of its own.
pub(super) fn runs(batch: &[Transition]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut begin = 0;
    let mut contents = RunContents::default();
    for (at, transition) in batch.iter().enumerate() {
        if !contents.has_room_for(transition) {
            runs.push(begin..at);
            (begin, contents) = (at, RunContents::default());
        }
        contents.add(transition);
    }
    runs.push(begin..batch.len());
    runs
}

/// True if no item depends on another, so that each may be committed by itself.
pub(super) fn is_independent(batch: &[Transition]) -> bool {
    batch.iter().all(|transition| transition.then.is_empty() && !touches_gates(transition))
        && runs(batch).len() == 1
}

/// Whether an item closes or seals a gate, or has followers with gates or signals: what is done
/// then comes in an order of its own.
pub(super) fn touches_gates(transition: &Transition) -> bool {
    transition.patch.is_of_gate() || transition.then.iter().any(NewJob::has_gates)
}

/// The followers of these items in their order, by queue.
pub(super) fn followers<'a>(
    items: impl Iterator<Item = &'a Transition>,
) -> BTreeMap<&'a QueueName, Vec<&'a NewJob>> {
    let mut followers: BTreeMap<&QueueName, Vec<&NewJob>> = BTreeMap::new();
    for sent in items.filter(|sent| !sent.then.is_empty()) {
        followers.entry(&sent.queue).or_default().extend(&sent.then);
    }
    followers
}

/// The lives and ids that a run touches.
#[derive(Debug, Default)]
struct RunContents<'a> {
    lives: HashSet<Seq>,
    ids: HashSet<(&'a QueueName, &'a JobId)>,
    followers: HashSet<(&'a QueueName, &'a JobId)>,
    touches_gates: bool,
}

impl<'a> RunContents<'a> {
    fn has_room_for(&self, transition: &'a Transition) -> bool {
        let key = (&transition.queue, &transition.id);
        let is_met = |id: &'a JobId| self.ids.contains(&(&transition.queue, id)) || *id == transition.id;
        let is_apart = self.touches_gates || touches_gates(transition);
        (!is_apart || self.lives.is_empty())
            && !self.lives.contains(&transition.seq)
            && !self.followers.contains(&key)
            && !transition.then.iter().any(|new| is_met(&new.id) && !self.lives.is_empty())
    }

    fn add(&mut self, transition: &'a Transition) {
        self.touches_gates |= touches_gates(transition);
        self.lives.insert(transition.seq);
        self.ids.insert((&transition.queue, &transition.id));
        self.followers.extend(transition.then.iter().map(|new| (&transition.queue, &new.id)));
    }
}

#[cfg(test)]
mod tests {
    use super::{Route, is_independent, routes, runs};
    use queue_core::{
        ContentType, JobId, JobMeta, Kind, LeaseToken, NewJob, Payload, QueueName, Retention, Seq, Span,
        State, Timestamp,
        lifecycle::{Event, Policy, Transition, decide},
    };

    const TOKEN: LeaseToken = LeaseToken::from_bytes([1; 16]);

    fn job(id: &str) -> NewJob {
        let payload = Payload::new("", ContentType::from_static("x/y"));
        NewJob::new(JobId::new(id).expect("valid"), Kind::unnamed(), payload)
    }

    fn complete(id: &str, seq: u64, then: &[&str]) -> Transition {
        let result = Payload::new("", ContentType::from_static("x/y"));
        let then = then.iter().map(|id| job(id)).collect();
        decided(id, seq, Event::Complete { token: TOKEN, result, retention: None, then })
    }

    fn decided(id: &str, seq: u64, event: Event) -> Transition {
        let queue = QueueName::from_static("q");
        let meta = JobMeta::begin(queue, &job(id), Seq::new(seq), Timestamp::default());
        let held = JobMeta { state: State::Processing, ..meta };
        decide(&held, event, &Policy::default()).expect("it is held")
    }

    #[test]
    fn independent_items_are_one_run() {
        let batch = [complete("a", 1, &["x"]), complete("b", 2, &["y", "x"])];
        assert_eq!(runs(&batch), vec![0..2]);
        assert!(!is_independent(&batch), "followers need a transaction");
        assert!(is_independent(&[complete("a", 1, &[]), complete("b", 2, &[])]));
    }

    #[test]
    fn a_life_twice_is_two_runs() {
        let batch = [complete("a", 1, &[]), complete("b", 2, &[]), complete("a", 1, &[])];
        assert_eq!(runs(&batch), vec![0..2, 2..3]);
        assert!(!is_independent(&batch));
    }

    #[test]
    fn a_follower_that_is_also_an_item_comes_in_its_turn() {
        assert_eq!(runs(&[complete("a", 1, &["b"]), complete("b", 2, &[])]), vec![0..1, 1..2]);
        assert_eq!(runs(&[complete("b", 2, &[]), complete("a", 1, &["b"])]), vec![0..1, 1..2]);
        assert_eq!(runs(&[complete("b", 2, &["b"])]), vec![0..1]);
    }

    #[test]
    fn one_route_takes_all_that_leave_where_they_commit_together() {
        let beat = decided("b", 2, Event::Extend { token: TOKEN, by: Span::from_secs(1), progress: None });
        let release = decided("c", 3, Event::release(TOKEN));
        let batch = [complete("a", 1, &[]), beat, release];
        assert!(is_independent(&batch));
        assert_eq!(routes(&batch, false), [Route::Complete, Route::Extend, Route::Move]);
        assert_eq!(routes(&batch, true), [Route::Move, Route::Extend, Route::Move]);
        assert_eq!(routes(&batch[..2], true), [Route::Complete, Route::Extend]);
    }

    #[test]
    fn a_completion_that_keeps_nothing_is_a_move() {
        let result = Payload::new("", ContentType::from_static("x/y"));
        let retention = Some(Retention::Remove);
        let removal = decided("a", 1, Event::Complete { token: TOKEN, result, retention, then: vec![] });
        assert_eq!(Route::of(&removal), Route::Move);
    }
}
