//! The pauses of a queue and of its kinds.

use super::{Engine, queue_state::QueueState};
use queue_core::{Kind, Pause, PausedKind, QueueName, Result, Timestamp};
use std::collections::BTreeMap;

/// For how long the claims of a queue are stopped, and the claims of some of its kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pauses {
    /// That of the whole queue, which may be over.
    pub queue: Pause,
    /// Pauses of kinds, which may be over, and none of which is off.
    pub kinds: BTreeMap<Kind, Pause>,
}

impl Pauses {
    /// Whether nothing is paused, nor was paused for a time that may be over.
    pub fn is_empty(&self) -> bool {
        !self.queue.is_on() && self.kinds.is_empty()
    }

    /// Whether the jobs of a kind are not to be claimed.
    pub(super) fn stops(&self, kind: &Kind, now: Timestamp) -> bool {
        self.kinds.get(kind).is_some_and(|pause| pause.at(now).is_on())
    }

    /// The kinds that are paused now.
    pub(super) fn kinds_at(&self, now: Timestamp) -> Vec<PausedKind> {
        let paused = self.kinds.iter().map(|(kind, pause)| (kind, pause.at(now)));
        let paused = paused.filter(|(_, pause)| pause.is_on());
        paused.map(|(kind, pause)| PausedKind { kind: kind.clone(), pause }).collect()
    }
}

impl Engine {
    /// Stops or resumes the claims of a queue, or of one kind. Workers that hold jobs ready need a
    /// hint of a pause too.
    ///
    /// # Errors
    /// `Invalid` as [`PausedKind::check_room`] says.
    pub fn set_paused(
        &mut self,
        queue: &QueueName,
        kind: Option<&Kind>,
        pause: Pause,
        now: Timestamp,
    ) -> Result<()> {
        let Some(kind) = kind else {
            self.change_pauses(queue).pauses.queue = pause;
            return Ok(());
        };
        if pause.at(now).is_on() {
            let used = |state: &QueueState| state.kinds_in_use(now).filter(|used| *used != kind).count();
            PausedKind::check_room(self.queues.get(queue).map_or(0, used))?;
        }
        let kinds = &mut self.change_pauses(queue).pauses.kinds;
        kinds.retain(|_, pause| pause.at(now).is_on());
        kinds.remove(kind);
        kinds.extend(pause.at(now).is_on().then(|| (kind.clone(), pause)));
        Ok(())
    }

    /// The pauses of a queue.
    pub fn pauses(&self, queue: &QueueName) -> Option<&Pauses> {
        self.queues.get(queue).map(|state| &state.pauses)
    }

    /// The queues with pauses.
    pub fn paused_queues(&self) -> impl Iterator<Item = (&QueueName, &Pauses)> {
        let pauses = self.queues.iter().map(|(queue, state)| (queue, &state.pauses));
        pauses.filter(|(_, pauses)| !pauses.is_empty())
    }

    /// Sets the pauses of a queue without a notice.
    pub fn load_pauses(&mut self, queue: &QueueName, pauses: Pauses) {
        self.state_mut(queue).pauses = pauses;
    }

    fn change_pauses(&mut self, queue: &QueueName) -> &mut QueueState {
        let former = self.pauses(queue).cloned().unwrap_or_default();
        self.undo.pauses(queue, former);
        self.notices.wake(queue);
        self.state_mut(queue)
    }
}

impl QueueState {
    /// The kinds that are paused, and those with jobs that were set aside.
    fn kinds_in_use(&self, now: Timestamp) -> impl Iterator<Item = &Kind> {
        let paused = self.pauses.kinds.iter().filter(move |(_, pause)| pause.at(now).is_on());
        let in_turn = self.indexes.partitions.iter().flat_map(|partitions| partitions.aside.keys());
        let in_turn = in_turn.filter(|kind| !self.indexes.aside.contains_key(*kind));
        let aside = self.indexes.aside.keys().chain(in_turn);
        paused.map(|(kind, _)| kind).chain(aside.filter(move |kind| !self.pauses.stops(kind, now)))
    }

    /// The earliest moment at which a claim could get something.
    pub(super) fn next_due(&self, now: Timestamp) -> Option<Timestamp> {
        if self.indexes.aside.is_empty() && self.indexes.partitions.is_none() {
            return self.indexes.next_due(now);
        }
        let in_turn = self.indexes.partitions.iter().flat_map(|partitions| &partitions.aside);
        let aside = self.indexes.aside.iter().chain(in_turn).filter_map(|(kind, line)| {
            match self.pauses.kinds.get(kind).map_or(Pause::Off, |pause| pause.at(now)) {
                Pause::Off => line.oldest(),
                Pause::Until(at) => Some(at),
                Pause::UntilResumed => None,
            }
        });
        aside.chain(self.indexes.next_due(now)).min()
    }
}
