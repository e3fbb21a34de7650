//! All that a history says about one life of a job.

use super::item::Item;
use crate::history::{Effect, Event, Op, RecordView, Status};

/// Everything a history says about one life of one job.
#[derive(Debug)]
pub(super) struct Life<'a> {
    pub(super) queue: &'a str,
    pub(super) seq: u64,
    pub(super) id: &'a str,
    /// The enqueue whose answer named this life.
    pub(super) birth: Option<&'a Item<'a>>,
    /// Changes to it, of any outcome.
    pub(super) acts: Vec<&'a Item<'a>>,
    /// Answers that showed its record, in the order of revisions.
    pub(super) sightings: Vec<Sighting<'a>>,
}

/// An answer that showed a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sighting<'a> {
    pub(super) item: &'a Item<'a>,
    pub(super) event: &'a Event,
    pub(super) seen: &'a RecordView,
}

impl<'a> Life<'a> {
    pub(super) fn new(queue: &'a str, seq: u64, id: &'a str) -> Self {
        Self { queue, seq, id, birth: None, acts: Vec::new(), sightings: Vec::new() }
    }

    /// Whether it ever had a gate.
    pub(super) fn has_gate(&self) -> bool {
        let asked = self.birth.is_some_and(|birth| birth.asked.ask.gate.is_some());
        asked || self.sightings.iter().any(|seen| seen.seen.gate.is_some())
    }

    /// Whether it is of a partition, which may be full.
    pub(super) fn may_lack_a_slot(&self) -> bool {
        self.birth.is_none_or(|birth| birth.asked.ask.partition.is_some())
    }

    /// Answered claims, in the order of their epochs.
    pub(super) fn claims(&self) -> Vec<Sighting<'a>> {
        let mut claims: Vec<_> = self.sightings.iter().filter(|seen| seen.is_claim()).copied().collect();
        claims.sort_by_key(|claim| (claim.seen.epoch, claim.seen.revision));
        claims
    }

    pub(super) fn claim_under(&self, token: Option<u64>) -> Option<Sighting<'a>> {
        self.sightings.iter().find(|seen| seen.is_claim() && seen.event.token == token).copied()
    }

    /// Changes that certainly stand.
    pub(super) fn done(&self) -> impl Iterator<Item = &'a Item<'a>> {
        self.acts.iter().copied().filter(|act| act.is_done())
    }

    /// Changes that certainly removed the record. A settle that is repeated may be decided
    /// differently from the one that stands, and still gets an answer.
    pub(super) fn removals(&self) -> impl Iterator<Item = &'a Item<'a>> {
        self.done().filter(|act| act.removes() && !(act.asked.op.is_settle() && self.is_sent_again(act)))
    }

    /// Whether another settle under the same token may stand.
    pub(super) fn is_sent_again(&self, settle: &Item<'_>) -> bool {
        let is_same =
            |other: &Item<'_>| other.asked.op.is_settle() && other.asked.token == settle.asked.token;
        let mut before = self.may_precede(settle).filter(|other| is_same(other));
        before.any(|other| other.asked.call != settle.asked.call || other.asked.item != settle.asked.item)
    }

    /// Changes that may have taken effect before the other item did.
    pub(super) fn may_precede(&self, other: &Item<'_>) -> impl Iterator<Item = &'a Item<'a>> {
        let end = other.end;
        self.acts.iter().copied().filter(move |act| act.may_be_done() && act.begin < end)
    }

    /// Whether the job may be waiting while the enqueue takes effect, or may wait again before the
    /// other item does.
    pub(super) fn may_wait(&self, enqueue: &Item<'_>, before: &Item<'_>) -> bool {
        let claims = self.sightings.iter().filter(|seen| seen.is_claim() && seen.item.precedes(enqueue));
        let Some(last) = claims.max_by_key(|claim| claim.seen.epoch) else { return true };
        self.may_precede(before)
            .any(|act| matches!(act.asked.ask.effect, Some(Effect::Requeue)) && act.end > last.item.begin)
    }

    /// Whether the record may have been redriven after this sighting and before the other item.
    pub(super) fn may_be_redriven(&self, after: Sighting<'_>, before: &Item<'_>) -> bool {
        self.may_precede(before).any(|act| {
            act.asked.op == Op::Redrive
                && act.asked.ask.revision.is_none_or(|seen| seen >= after.seen.revision)
        })
    }

    /// The terminal states that it may have reached before the other item.
    pub(super) fn ends_before(
        &self,
        other: &Item<'_>,
    ) -> impl Iterator<Item = (&'a Item<'a>, Status, Option<i64>)> {
        self.may_precede(other).filter_map(|act| match act.asked.ask.effect {
            Some(Effect::Finish { status, keep_ms }) => Some((act, status, keep_ms)),
            _ => None,
        })
    }
}

impl Sighting<'_> {
    pub(super) fn is_claim(&self) -> bool {
        self.item.asked.op == Op::Claim
    }

    /// Whether it is earlier by the record's revision, or in real time.
    pub(super) fn precedes(&self, other: &Self) -> bool {
        self.seen.revision < other.seen.revision || self.item.precedes(other.item)
    }

    pub(super) fn is_terminal(&self) -> bool {
        self.seen.status.is_terminal()
    }
}
