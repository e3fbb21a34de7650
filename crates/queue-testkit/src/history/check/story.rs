//! Arranges a history by life, and finds what can explain that a life no longer exists.

use super::{
    Rules,
    item::Item,
    life::{Life, Sighting},
};
use crate::history::{Answer, Effect, Event, History, Op, PruneKind, Status};
use std::collections::BTreeMap;

/// A history, arranged by life.
#[derive(Debug)]
pub(super) struct Story<'a> {
    pub(super) items: &'a [Item<'a>],
    pub(super) rules: Rules,
    by_op: BTreeMap<Op, Vec<&'a Item<'a>>>,
    lives: BTreeMap<&'a str, BTreeMap<u64, Life<'a>>>,
    enqueues: BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a Item<'a>>>>,
    /// For each position, the latest store time of a write that was answered before it.
    time_before: Vec<Option<i64>>,
}

impl<'a> Story<'a> {
    pub(super) fn of(history: &History, items: &'a [Item<'a>], rules: Rules) -> Self {
        let time_before = time_before(history.events());
        let mut story = Self {
            items,
            rules,
            by_op: BTreeMap::new(),
            lives: BTreeMap::new(),
            enqueues: BTreeMap::new(),
            time_before,
        };
        for item in items {
            story.place(item);
        }
        for life in story.lives.values_mut().flat_map(BTreeMap::values_mut) {
            life.sightings.sort_by_key(|sighting| (sighting.seen.revision, sighting.item.begin));
        }
        story
    }

    fn place(&mut self, item: &'a Item<'a>) {
        let asked = item.asked;
        self.by_op.entry(asked.op).or_default().push(item);
        if let (Op::Enqueue | Op::Then, Some(id)) = (asked.op, &asked.id) {
            self.enqueues.entry(&asked.queue).or_default().entry(id).or_default().push(item);
        }
        if let (Some(seq), Some(id), Some(_)) = (asked.seq, &asked.id, asked.ask.effect) {
            self.life(&asked.queue, seq, id).acts.push(item);
        }
        if !item.is_answered() {
            return;
        }
        for event in &item.answers {
            self.place_answer(item, event);
        }
    }

    fn place_answer(&mut self, item: &'a Item<'a>, event: &'a Event) {
        let (Some(seq), Some(id)) = (event.seq, &event.id) else { return };
        match event.answer {
            Some(Answer::Queued) => self.life(&event.queue, seq, id).birth = Some(item),
            // If the answer of its enqueue was lost, and no call has read it, nothing else names
            // it.
            Some(Answer::Duplicate(_) | Answer::Completed) => {
                self.life(&event.queue, seq, id);
            }
            _ => {}
        }
        // The answer to a removal shows the record under a revision that was never stored.
        let is_farewell = item.removes() && item.is_done();
        if let Some(seen) = event.seen.as_ref().filter(|_| !is_farewell) {
            self.life(&event.queue, seq, id).sightings.push(Sighting { item, event, seen });
        }
    }

    fn life(&mut self, queue: &'a str, seq: u64, id: &'a str) -> &mut Life<'a> {
        let lives = self.lives.entry(queue).or_default();
        lives.entry(seq).or_insert_with(|| Life::new(queue, seq, id))
    }

    pub(super) fn lives(&self) -> impl Iterator<Item = &Life<'a>> {
        self.lives.values().flat_map(BTreeMap::values)
    }

    pub(super) fn find(&self, queue: &str, seq: u64) -> Option<&Life<'a>> {
        self.lives.get(queue)?.get(&seq)
    }

    pub(super) fn lives_of(&self, queue: &str, id: &str) -> impl Iterator<Item = &Life<'a>> {
        let of_queue = self.lives.get(queue).into_iter().flat_map(BTreeMap::values);
        of_queue.filter(move |life| life.id == id)
    }

    /// The enqueues of an id that were not refused.
    pub(super) fn enqueues_of(&self, queue: &str, id: &str) -> impl Iterator<Item = &'a Item<'a>> {
        let of_id = self.enqueues.get(queue).and_then(|ids| ids.get(id));
        of_id.into_iter().flatten().copied().filter(|item| !item.is_refused())
    }

    /// The enqueue that began the life: the one whose answer named it, or else the only one with
    /// its payload.
    pub(super) fn origin(&self, life: &Life<'a>) -> Option<&'a Item<'a>> {
        if life.birth.is_some() {
            return life.birth;
        }
        let digest = life.sightings.iter().find_map(|seen| seen.event.digest)?;
        let mut same = self.enqueues_of(life.queue, life.id).filter(|item| item.asked.digest == Some(digest));
        same.next().filter(|_| same.next().is_none())
    }

    pub(super) fn of_op(&self, op: Op) -> impl Iterator<Item = &'a Item<'a>> {
        self.by_op.get(&op).into_iter().flatten().copied()
    }

    /// A lower bound of the store's time when the item began.
    pub(super) fn time_at_least(&self, item: &Item<'_>) -> Option<i64> {
        self.time_before[item.begin]
    }

    /// The number of claims without an answer that may have leased jobs before the other item.
    pub(super) fn lost_claims(&self, queue: &str, before: &Item<'_>) -> usize {
        let claims = self.of_op(Op::Claim).filter(|claim| claim.asked.queue == queue);
        claims.filter(|claim| claim.is_unknown() && claim.begin < before.end).count()
    }

    /// Whether a call may have removed all records before the other item.
    pub(super) fn may_be_emptied(&self, queue: &str, before: &Item<'_>) -> bool {
        self.may_be_pruned(queue, before, PruneKind::Everything)
    }

    fn may_be_pruned(&self, queue: &str, before: &Item<'_>, kind: PruneKind) -> bool {
        let prunes = self.of_op(Op::Prune).filter(|prune| !prune.is_refused() && prune.begin < before.end);
        let mut of_queue = prunes.filter(|prune| prune.asked.queue == queue);
        of_queue.any(|prune| prune.asked.ask.prune == Some(kind))
    }

    /// Whether the store was reopened between the two.
    pub(super) fn reopened_between(&self, first: &Item<'_>, second: &Item<'_>) -> bool {
        self.of_op(Op::Reopen).any(|reopen| reopen.end > first.begin && reopen.begin < second.end)
    }

    /// Whether any event can explain that a life no longer exists when the other item takes effect.
    pub(super) fn may_be_gone(&self, life: &Life<'_>, by: &Item<'_>) -> bool {
        if life.may_precede(by).any(Item::removes)
            || self.may_be_emptied(life.queue, by)
            || self.may_be_taken_over(life, by)
            || self.may_be_cancelled_unheard(life, by)
        {
            return true;
        }
        let mut ends = life.ends_before(by);
        ends.any(|(act, status, keep_ms)| self.may_leave(life, by, act, status, keep_ms))
    }

    /// Whether it may have been given back on behalf of a claim without an answer after a request
    /// to cancel it, which ends it. Stores and servers notice callers that have left, and give back
    /// what they claimed in calls that no history shows.
    pub(super) fn may_be_cancelled_unheard(&self, life: &Life<'_>, by: &Item<'_>) -> bool {
        self.lost_claims(life.queue, by) > 0
            && life.may_precede(by).any(|act| act.asked.op == Op::RequestCancel)
    }

    /// Whether an enqueue of the id may have replaced it while it waited.
    fn may_be_taken_over(&self, life: &Life<'_>, by: &Item<'_>) -> bool {
        if blocks_its_id(life) {
            return false;
        }
        let replacing = self
            .enqueues_of(life.queue, life.id)
            .filter(|enqueue| enqueue.asked.ask.replaces_waiting == Some(true) && enqueue.begin < by.end);
        let mut others = replacing.filter(|enqueue| {
            let began_another = enqueue.said(&Answer::Queued) && enqueue.answers[0].seq > Some(life.seq);
            began_another || enqueue.may_have_begun_another()
        });
        others.any(|enqueue| life.may_wait(enqueue, by))
    }

    fn may_leave(
        &self,
        life: &Life<'_>,
        by: &Item<'_>,
        act: &Item<'_>,
        status: Status,
        keep_ms: Option<i64>,
    ) -> bool {
        let retained = life.may_precede(by).any(|act| act.asked.op == Op::Retain);
        retained
            || self.may_be_pruned(life.queue, by, PruneKind::Finished)
            || self.may_be_replaced(life, by, status)
            || self.may_be_purged(by, act, keep_ms)
    }

    fn may_be_replaced(&self, life: &Life<'_>, by: &Item<'_>, status: Status) -> bool {
        if blocks_its_id(life) {
            return false;
        }
        let mut others = self.enqueues_of(life.queue, life.id).filter(|enqueue| {
            let began_another = enqueue.said(&Answer::Queued) && enqueue.answers[0].seq != Some(life.seq);
            enqueue.begin < by.end && (began_another || enqueue.may_have_begun_another())
        });
        match status {
            Status::Cancelled => others.next().is_some(),
            Status::Failed => others.any(|enqueue| enqueue.asked.ask.replaces_failed == Some(true)),
            _ => false,
        }
    }

    fn may_be_purged(&self, by: &Item<'_>, act: &Item<'_>, keep_ms: Option<i64>) -> bool {
        let Some(keep_ms) = keep_ms else { return false };
        let shown = act.answer().and_then(|event| event.seen.as_ref()).and_then(|seen| seen.purge_at);
        let earliest = self.time_at_least(act).map(|at| at.saturating_add(keep_ms));
        match (shown.or(earliest), by.time_store()) {
            (Some(purge_at), Some(now)) => purge_at <= now,
            _ => true,
        }
    }

    /// Whether no call has touched the job, and it is certainly due as long as the other item
    /// lasts.
    pub(super) fn is_untouched_and_due(&self, life: &Life<'_>, during: &Item<'_>) -> bool {
        let Some(birth) = life.birth.filter(|birth| birth.precedes(during)) else { return false };
        if birth.asked.ask.gate.is_some() {
            return false;
        }
        let due_at =
            birth.time_store().zip(birth.asked.ask.delay_ms).map(|(at, delay)| at.saturating_add(delay));
        let is_due = due_at.zip(self.time_at_least(during)).is_some_and(|(due, now)| due <= now);
        // An await moves the job nowhere in the order, but a store may hold its row meanwhile.
        let touches = |act: &Item<'_>| act.asked.op != Op::Await || act.end > during.begin;
        let is_touched = life.acts.iter().any(|act| act.begin < during.end && touches(act))
            || life.sightings.iter().any(|seen| seen.is_claim() && seen.item.begin < during.end);
        is_due
            && !is_touched
            && self.lost_claims(life.queue, during) == 0
            && !self.may_be_emptied(life.queue, during)
            && !self.may_be_taken_over(life, during)
    }
}

/// A record with end signals never makes room: else a repeated enqueue would count twice.
fn blocks_its_id(life: &Life<'_>) -> bool {
    life.birth.is_some_and(|birth| !birth.asked.ask.signals.is_empty())
}

fn time_before(events: &[Event]) -> Vec<Option<i64>> {
    let latest = events.iter().scan(None, |latest, event| {
        let before = *latest;
        *latest = before.max(event.time_store.filter(|_| is_written(event)));
        Some(before)
    });
    latest.collect()
}

/// Whether the answer belongs to a certain write, whose time binds every handle. The time in the
/// answer of a read may bind its own handle alone, since a store need not write in order to read;
/// and a settle may be a repeat that writes nothing.
fn is_written(event: &Event) -> bool {
    match event.answer {
        Some(Answer::Queued | Answer::Claimed) => true,
        Some(Answer::Done) => !event.op.is_settle(),
        _ => false,
    }
}

/// The terminal state that a settle or change enters, if it enters one.
pub(super) fn finish_of(item: &Item<'_>) -> Option<Status> {
    match item.asked.ask.effect {
        Some(Effect::Finish { status, .. }) => Some(status),
        _ => None,
    }
}
