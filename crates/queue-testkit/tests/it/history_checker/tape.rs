//! A builder for histories made by hand.

use queue_testkit::{
    Invariant,
    history::{Answer, Ask, Effect, Event, History, Op, Phase, RecordView, Rules, Status, check},
};
use std::collections::BTreeSet;

/// Each call of the tape lasts this long on the monotonic clock.
pub(crate) const TICK_NS: u64 = 1_000;

/// A history in the making. Store time stands still until the test moves it.
#[derive(Default)]
pub(crate) struct Tape {
    events: Vec<Event>,
    calls: u64,
    pub(crate) now: i64,
    pub(crate) rules: Rules,
}

impl Tape {
    pub(crate) fn new() -> Self {
        Self { now: 1_000, ..Self::default() }
    }

    /// A call that begins and ends before the next one.
    pub(crate) fn call(&mut self, asked: Event, answers: Vec<Event>) {
        let call = self.begin(vec![asked]);
        self.end(call, answers);
    }

    /// A call that begins, with one event per item.
    pub(crate) fn begin(&mut self, items: Vec<Event>) -> Vec<Event> {
        self.calls += 1;
        let numbered = (0..).zip(items).map(|(item, event)| Event { call: self.calls, item, ..event });
        let asked: Vec<Event> = numbered.collect();
        for event in &asked {
            self.push(event.clone());
        }
        asked
    }

    /// The answers of a call that began: those without an item belong to the first.
    #[expect(clippy::needless_pass_by_value, reason = "a call ends once")]
    pub(crate) fn end(&mut self, asked: Vec<Event>, answers: Vec<Event>) {
        for answer in answers {
            let question = asked[answer.item as usize].clone();
            self.push(Event {
                call: question.call,
                phase: Phase::Ok,
                op: question.op,
                queue: question.queue,
                id: answer.id.clone().or(question.id),
                seq: answer.seq.or(question.seq),
                token: answer.token.or(question.token),
                time_store: Some(answer.time_store.unwrap_or(self.now)),
                ..answer
            });
        }
    }

    /// The end of a call that certainly had no effect, or whose outcome is unknown.
    pub(crate) fn end_as(&mut self, phase: Phase, asked: Vec<Event>) {
        for event in asked {
            self.push(Event { phase, ..event });
        }
    }

    fn push(&mut self, event: Event) {
        let index = self.events.len() as u64;
        self.events.push(Event { index, time_mono: index * TICK_NS, ..event });
    }

    /// The invariants that the checker finds violated.
    pub(crate) fn broken(&self) -> BTreeSet<Invariant> {
        let violations = check(&History::new(self.events.clone()), &self.rules);
        assert!(violations.iter().all(|found| !found.explanation.is_empty() && !found.events.is_empty()));
        violations.into_iter().map(|found| found.invariant).collect()
    }

    #[track_caller]
    pub(crate) fn assert_breaks(&self, expected: &[Invariant]) {
        assert_eq!(self.broken(), expected.iter().copied().collect::<BTreeSet<_>>());
    }

    #[track_caller]
    pub(crate) fn assert_good(&self) {
        self.assert_breaks(&[]);
    }

    /// An enqueue that is accepted.
    pub(crate) fn enqueue(&mut self, id: &str, seq: u64) {
        self.call(enqueue(id), vec![queued(seq)]);
    }

    /// A claim of one job.
    pub(crate) fn claim(&mut self, token: u64, id: &str, seq: u64, seen: RecordView) {
        self.call(claim(token), vec![claimed(id, seq, seen)]);
    }

    /// A change that is done.
    pub(crate) fn done(&mut self, asked: Event, seen: RecordView) {
        self.call(asked, vec![Event { seen: Some(seen), ..said(Answer::Done) }]);
    }

    /// A read that finds the record.
    pub(crate) fn found(&mut self, id: &str, seq: u64, seen: RecordView) {
        self.call(read(id), vec![found(seq, seen)]);
    }

    /// A read that finds nothing.
    pub(crate) fn absent(&mut self, id: &str) {
        self.call(read(id), vec![said(Answer::Absent)]);
    }

    /// An event that is not a call.
    pub(crate) fn mark(&mut self, event: Event) {
        self.call(event, vec![said(Answer::Plain)]);
    }

    /// A job from enqueue to completion, under the token 1 and with the result 77.
    pub(crate) fn completed(&mut self, id: &str, seq: u64) {
        self.enqueue(id, seq);
        self.claim(1, id, seq, leased(2, 1));
        self.done(complete(id, seq, 1, 77), at(3, 1, Status::Completed));
    }
}

fn of(op: Op) -> Event {
    Event { op, queue: "q".into(), ..Event::default() }
}

pub(crate) fn of_worker(op: Op, worker: &str) -> Event {
    Event { ask: Ask { worker: Some(worker.into()), ..Ask::default() }, ..of(op) }
}

pub(crate) fn plain(op: Op) -> Event {
    of(op)
}

pub(crate) fn enqueue(id: &str) -> Event {
    let ask = Ask {
        group: Some(0),
        delay_ms: Some(0),
        priority: Some(0),
        replaces_failed: Some(false),
        ..Ask::default()
    };
    Event { id: Some(id.into()), digest: Some(9), ask, ..of(Op::Enqueue) }
}

/// An enqueue that may take the place of a waiting job.
pub(crate) fn replacing(id: &str) -> Event {
    let asked = enqueue(id);
    Event { ask: Ask { replaces_waiting: Some(true), ..asked.ask }, ..asked }
}

pub(crate) fn claim(token: u64) -> Event {
    let ask = Ask { limit: Some(1), worker: Some("w".into()), ..Ask::default() };
    Event { token: Some(token), ask, ..of(Op::Claim) }
}

pub(crate) fn read(id: &str) -> Event {
    Event { id: Some(id.into()), ..of(Op::Read) }
}

pub(crate) fn settle(op: Op, id: &str, seq: u64, token: u64, effect: Effect) -> Event {
    let ask = Ask { effect: Some(effect), ..Ask::default() };
    Event { id: Some(id.into()), seq: Some(seq), token: Some(token), ask, ..of(op) }
}

pub(crate) fn complete(id: &str, seq: u64, token: u64, result: u64) -> Event {
    Event { result: Some(result), ..settle(Op::Complete, id, seq, token, finish(Status::Completed)) }
}

pub(crate) fn release(id: &str, seq: u64, token: u64) -> Event {
    settle(Op::Release, id, seq, token, Effect::Requeue)
}

pub(crate) fn change(op: Op, id: &str, seq: u64, revision: u64, effect: Effect) -> Event {
    let ask = Ask { effect: Some(effect), revision: Some(revision), ..Ask::default() };
    Event { id: Some(id.into()), seq: Some(seq), ask, ..of(op) }
}

pub(crate) const fn finish(status: Status) -> Effect {
    Effect::Finish { status, keep_ms: None }
}

pub(crate) fn said(answer: Answer) -> Event {
    Event { answer: Some(answer), ..Event::default() }
}

pub(crate) fn queued(seq: u64) -> Event {
    Event { seq: Some(seq), ..said(Answer::Queued) }
}

pub(crate) fn claimed(id: &str, seq: u64, seen: RecordView) -> Event {
    Event { id: Some(id.into()), seq: Some(seq), digest: Some(9), seen: Some(seen), ..said(Answer::Claimed) }
}

pub(crate) fn found(seq: u64, seen: RecordView) -> Event {
    Event { seq: Some(seq), seen: Some(seen), ..said(Answer::Found) }
}

pub(crate) fn nothing() -> Event {
    said(Answer::Nothing { next_due: None, paused: false })
}

/// A record with budgets of three.
pub(crate) fn at(revision: u64, epoch: u64, status: Status) -> RecordView {
    let reason = (status == Status::Failed).then(|| "terminal".into());
    RecordView {
        revision,
        epoch,
        status,
        reason,
        max_attempts: 3,
        max_stalls: 3,
        created_at: 1_000,
        run_at: 1_000,
        ..RecordView::default()
    }
}

/// A record under a lease until 2000.
pub(crate) fn leased(revision: u64, epoch: u64) -> RecordView {
    RecordView { expires_at: Some(2_000), ..at(revision, epoch, Status::Processing) }
}
