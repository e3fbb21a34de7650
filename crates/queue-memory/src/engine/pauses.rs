//! The pauses of a queue and of its kinds.

use super::{Engine, queue_state::QueueState};
use queue_core::{Kind, Pause, PausedKind, QueueName, Result, Seq, Timestamp};
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
        let aside = self.indexes.aside.keys().filter(move |kind| !self.pauses.stops(kind, now));
        paused.map(|(kind, _)| kind).chain(aside)
    }

    /// The job to be claimed next, once the jobs of paused kinds in front of it are set aside.
    /// `room` says how many may be, and counts them. `None`: there is no such job, or it was not
    /// reached.
    pub(super) fn next_claimable(&mut self, now: Timestamp, room: &mut usize) -> Option<Seq> {
        if self.pauses.kinds.is_empty() && self.indexes.aside.is_empty() {
            return self.indexes.ready.first().map(|(.., seq)| seq);
        }
        while let Some((priority, run_at, seq)) = self.indexes.ready.first() {
            let Some(kind) = self.entries.get(&seq).map(|entry| &entry.traits.kind) else { break };
            if !self.pauses.stops(kind, now) {
                break;
            }
            *room = room.checked_sub(1)?;
            self.indexes.ready.remove(priority, run_at, seq);
            self.indexes.aside.entry(kind.clone()).or_default().insert(priority, run_at, seq);
        }
        let lines = self.indexes.aside.iter().filter(|(kind, _)| !self.pauses.stops(kind, now));
        let firsts = lines.filter_map(|(_, line)| line.first()).chain(self.indexes.ready.first());
        firsts.min().map(|(.., seq)| seq)
    }

    /// The earliest moment at which a claim could get something.
    pub(super) fn next_due(&self, now: Timestamp) -> Option<Timestamp> {
        if self.indexes.aside.is_empty() {
            return self.indexes.next_due(now);
        }
        let aside = self.indexes.aside.iter().filter_map(|(kind, line)| {
            match self.pauses.kinds.get(kind).map_or(Pause::Off, |pause| pause.at(now)) {
                Pause::Off => line.oldest(),
                Pause::Until(at) => Some(at),
                Pause::UntilResumed => None,
            }
        });
        aside.chain(self.indexes.next_due(now)).min()
    }
}
