//! In what order a batch is written, so that the result is that of one item after the other.

use queue_core::{
    JobId, QueueName, Seq,
    lifecycle::{Patch, Transition},
};
use std::{collections::HashSet, ops::Range};

/// Which statement writes a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// The job leaves its table.
    Move,
    /// A heartbeat.
    Extend,
    /// A mark on the row.
    Mark,
}

impl Route {
    /// The order in which routes are taken, which is the same for every batch.
    pub(super) const ALL: [Self; 3] = [Self::Move, Self::Extend, Self::Mark];

    pub(super) fn of(transition: &Transition) -> Self {
        match transition.patch {
            Patch::Requeue(_) | Patch::Finish(_) | Patch::Remove => Self::Move,
            Patch::Extend { .. } => Self::Extend,
            Patch::Flag(_) | Patch::Retain(_) => Self::Mark,
        }
    }
}

/// Cuts a batch into runs whose items do not depend on each other: no life twice, and no follower whose id is that of an
/// item of the run.
pub(super) fn runs(batch: &[Transition]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let (mut begin, mut seen) = (0, Seen::default());
    for (at, transition) in batch.iter().enumerate() {
        if !seen.has_room_for(transition) {
            runs.push(begin..at);
            (begin, seen) = (at, Seen::default());
        }
        seen.add(transition);
    }
    runs.push(begin..batch.len());
    runs
}

/// True if one statement does it all.
pub(super) fn is_one_statement(batch: &[Transition]) -> bool {
    let mut routes = batch.iter().map(Route::of);
    let first = routes.next();
    routes.all(|route| Some(route) == first)
        && batch.iter().all(|transition| transition.then.is_empty())
        && runs(batch).len() == 1
}

/// What a run touches.
#[derive(Debug, Default)]
struct Seen<'a> {
    lives: HashSet<Seq>,
    ids: HashSet<(&'a QueueName, &'a JobId)>,
    followers: HashSet<(&'a QueueName, &'a JobId)>,
}

impl<'a> Seen<'a> {
    fn has_room_for(&self, transition: &'a Transition) -> bool {
        let key = (&transition.queue, &transition.id);
        let is_met = |id: &'a JobId| self.ids.contains(&(&transition.queue, id)) || *id == transition.id;
        !self.lives.contains(&transition.seq)
            && !self.followers.contains(&key)
            && !transition.then.iter().any(|new| is_met(&new.id) && !self.lives.is_empty())
    }

    fn add(&mut self, transition: &'a Transition) {
        self.lives.insert(transition.seq);
        self.ids.insert((&transition.queue, &transition.id));
        self.followers.extend(transition.then.iter().map(|new| (&transition.queue, &new.id)));
    }
}

#[cfg(test)]
mod tests {
    use super::{is_one_statement, runs};
    use queue_core::{
        ContentType, JobId, JobMeta, Kind, LeaseToken, NewJob, Payload, QueueName, Seq, Span, State,
        Timestamp,
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
        assert!(!is_one_statement(&batch), "followers need a transaction");
        assert!(is_one_statement(&[complete("a", 1, &[]), complete("b", 2, &[])]));
    }

    #[test]
    fn a_life_twice_is_two_runs() {
        let batch = [complete("a", 1, &[]), complete("b", 2, &[]), complete("a", 1, &[])];
        assert_eq!(runs(&batch), vec![0..2, 2..3]);
        assert!(!is_one_statement(&batch));
    }

    #[test]
    fn a_follower_that_is_also_an_item_comes_in_its_turn() {
        assert_eq!(runs(&[complete("a", 1, &["b"]), complete("b", 2, &[])]), vec![0..1, 1..2]);
        assert_eq!(runs(&[complete("b", 2, &[]), complete("a", 1, &["b"])]), vec![0..1, 1..2]);
        assert_eq!(runs(&[complete("b", 2, &["b"])]), vec![0..1]);
    }

    #[test]
    fn routes_do_not_share_a_statement() {
        let beat = decided("b", 2, Event::Extend { token: TOKEN, by: Span::from_secs(1), progress: None });
        assert!(!is_one_statement(&[complete("a", 1, &[]), beat.clone()]));
        assert!(is_one_statement(&[beat]));
    }
}
