//! Parts of histories about one job with a gate and its members.

use crate::history_checker::tape::{Tape, at, claim, claimed, enqueue, finish, leased, queued, settle};
use queue_testkit::history::{
    Ask, Closing, Effect, Event, GateTerms, GateView, Op, RecordView, SignalView, Status,
};

/// The id of the job with the gate.
pub(crate) const SUM: &str = "sum";
/// The due time of a job behind a gate without a time-out.
pub(crate) const FAR: i64 = 1 << 50;
/// A closed gate without counts.
pub(crate) const GATE: GateView =
    GateView { needs: 0, signals: 0, tally: [0; 3], is_sealed: true, heeds_urgent: true, is_closed: true };

pub(crate) fn gated(terms: GateTerms) -> Event {
    let asked = enqueue(SUM);
    Event { ask: Ask { gate: Some(terms), ..asked.ask }, ..asked }
}

/// A signal to the job with the gate.
pub(crate) fn signalling() -> SignalView {
    SignalView { to: SUM.into(), ..SignalView::default() }
}

pub(crate) fn raising() -> SignalView {
    SignalView { raises: true, ..signalling() }
}

/// An accepted job whose record shows that it owes the signal to life 1.
pub(crate) fn member(tape: &mut Tape, id: &str, seq: u64, signal: SignalView) {
    let asked = enqueue(id);
    tape.call(Event { ask: Ask { signals: vec![signal.clone()], ..asked.ask }, ..asked }, vec![queued(seq)]);
    let owed = vec![SignalView { life: Some(1), ..signal }];
    let shown = RecordView { signals: Some(owed), with_body: true, ..at(1, 0, Status::Queued) };
    tape.found(id, seq, shown);
}

/// The claim and the end of a member.
pub(crate) fn ended(tape: &mut Tape, id: &str, seq: u64, status: Status) {
    let token = 100 + seq;
    tape.call(claim(token), vec![claimed(id, seq, leased(2, 1))]);
    let op = if status == Status::Completed { Op::Complete } else { Op::Fail };
    let result = (op == Op::Complete).then_some(77);
    tape.done(Event { result, ..settle(op, id, seq, token, finish(status)) }, at(3, 1, status));
}

/// A suspend of the job with the gate, as life `seq`.
pub(crate) fn suspend(token: u64, seq: u64) -> Event {
    let asked = settle(Op::Suspend, SUM, seq, token, Effect::Requeue);
    let closes = Closing { needs: Some(1), seals: true, heeds_urgent: true, timeout_ms: None };
    Event { ask: Ask { closes: Some(closes), ..asked.ask }, ..asked }
}

/// The record of the job behind a gate.
pub(crate) fn seen(gate: GateView) -> RecordView {
    RecordView { gate: Some(gate), run_at: FAR, ..at(1, 0, Status::Queued) }
}

/// The same with these counts.
pub(crate) fn counted(needs: u64, tally: [u64; 3]) -> RecordView {
    seen(GateView { needs, signals: tally.iter().sum(), tally, ..GATE })
}
