//! Translates the tape of one process into a history: calls of HTTP into calls of a store, as far
//! as their answers tell.
//!
//! Answers of the service have no revision of a record. A claim stands in for the least that its
//! revision can be: two writes for each claim before it, and its own.

use super::{
    answered::{enqueued, require_same, seen},
    asked::{claim, digest, enqueue, parsed, settle},
    held::{Held, Lease},
    late::Late,
    protocol::{ClaimAnswer, ClaimAsk, ItemAsk, ItemsAnswer, ItemsAsk},
    tape::{Certainty, ClaimKey, Request, TapeLine},
};
use crate::failed::Failed;
use queue_testkit::history::{Answer, Ask, Effect, Event, History, Op, Phase};
use serde_json::value::RawValue;
use std::collections::HashMap;

/// The queue of all jobs, which is the one that the end of a workload works off.
const QUEUE: &str = "workload";
/// What a tape says.
#[derive(Debug, Default)]
pub(super) struct Translated {
    pub(super) events: Vec<Event>,
    pub(super) held: Held,
    pub(super) late: Late,
    calls: u64,
    open: HashMap<u64, OpenRequest>,
}

#[derive(Debug)]
struct OpenRequest {
    verb: Verb,
    asked: Vec<Event>,
    /// The receipts of a settle or an extend, one for each item.
    receipts: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Enqueue,
    Claim { repeat: bool },
    Settle,
    Extend,
}

impl Translated {
    /// `offset_ns` is what the wall clock is ahead of the clock of the tape.
    pub(super) fn of(lines: &[TapeLine], offset_ns: u64) -> Result<Self, Failed> {
        let mut translated = Self::default();
        for line in lines {
            translated.read(line, line.at + offset_ns)?;
        }
        if let Some(last) = lines.last() {
            translated.late.end(last.at + offset_ns);
        }
        Ok(translated)
    }

    /// The history; each event has been given its place.
    pub(super) fn history(self) -> History {
        let numbered = (0..).zip(self.events).map(|(index, event)| Event { index, ..event });
        History::new(numbered.collect())
    }

    fn read(&mut self, line: &TapeLine, at: u64) -> Result<(), Failed> {
        if let (Some(call), Some(request)) = (line.call, &line.sent) {
            if let Some(open) = self.asked(request)? {
                self.begin(at, &open.asked);
                self.open.insert(call, open);
            }
        } else if let (Some(call), Some(answer)) = (line.call, &line.answer) {
            if let Some(open) = self.open.remove(&call) {
                self.answered(at, &open, answer)?;
            }
        } else if let (Some(call), Some(certainty)) = (line.call, line.failed) {
            let phase = if certainty == Certainty::NotApplied { Phase::Fail } else { Phase::Info };
            let asked = self.open.remove(&call).map(|open| open.asked).unwrap_or_default();
            self.events.extend(asked.into_iter().map(|event| Event { phase, time_mono: at, ..event }));
        } else if let Some(key) = line.started {
            self.ran(at, Op::ExecStart, key)?;
        } else if let Some(key) = line.ended {
            self.ran(at, Op::ExecEnd, key)?;
        } else if let Some(told) = &line.told {
            self.late.told(told.about);
        }
        Ok(())
    }

    fn begin(&mut self, at: u64, asked: &[Event]) {
        self.events.extend(asked.iter().map(|event| Event { time_mono: at, ..event.clone() }));
    }

    /// Numbers the items of a call.
    fn call(&mut self, items: impl Iterator<Item = Event>) -> Vec<Event> {
        self.calls += 1;
        let (call, process) = (self.calls, self.calls);
        let numbered = (0..).zip(items);
        numbered
            .map(|(item, event)| Event { call, process, item, queue: QUEUE.to_owned(), ..event })
            .collect()
    }

    /// What a request asks; `None` if a history has no term for it.
    fn asked(&mut self, request: &Request) -> Result<Option<OpenRequest>, Failed> {
        let body = request.body.get();
        let (verb, receipts, asked) = match request.path.as_str() {
            path if path.ends_with("/jobs") => (Verb::Enqueue, Vec::new(), enqueue(&parsed(body)?)),
            path if path.ends_with("/claim") => {
                let ask: ClaimAsk = parsed(body)?;
                (Verb::Claim { repeat: ask.repeat }, Vec::new(), vec![claim(&ask)])
            }
            path @ ("/v1/settle" | "/v1/extend") => {
                let verb = if path == "/v1/settle" { Verb::Settle } else { Verb::Extend };
                let ask: ItemsAsk = parsed(body)?;
                let asked = ask.items.iter().map(|item| self.change(verb, item));
                let asked = asked.collect::<Result<Vec<Event>, Failed>>()?;
                (verb, ask.items.into_iter().map(|item| item.receipt).collect(), asked)
            }
            _ => return Ok(None),
        };
        Ok(Some(OpenRequest { verb, asked: self.call(asked.into_iter()), receipts }))
    }

    /// A settle or an extend of a job that this process holds by its receipt.
    fn change(&mut self, verb: Verb, item: &ItemAsk) -> Result<Event, Failed> {
        let lease = self.held.of(&item.receipt)?;
        let (op, effect) = match verb {
            Verb::Extend => (Op::Extend, Effect::Touch),
            _ => settle(item),
        };
        let result = item.complete.as_ref().map(|complete| digest(complete.result.as_deref()));
        let event = Event {
            op,
            id: Some(lease.id.clone()),
            seq: Some(lease.key.seq),
            token: Some(lease.token),
            result,
            ask: Ask { effect: Some(effect), ..Ask::default() },
            ..Event::default()
        };
        if verb == Verb::Settle {
            self.late.settled(&item.receipt, lease.key);
        }
        Ok(event)
    }

    fn answered(&mut self, at: u64, open: &OpenRequest, answer: &RawValue) -> Result<(), Failed> {
        let answers = match open.verb {
            Verb::Enqueue => enqueued(&open.asked, &parsed(answer.get())?)?,
            Verb::Claim { repeat } => self.claimed(&open.asked[0], parsed(answer.get())?, repeat),
            Verb::Settle | Verb::Extend => self.changed(at, open, &parsed(answer.get())?)?,
        };
        self.events.extend(answers.into_iter().map(|event| Event { time_mono: at, ..event }));
        Ok(())
    }

    fn claimed(&mut self, asked: &Event, answer: ClaimAnswer, repeat: bool) -> Vec<Event> {
        let asked = Event { phase: Phase::Ok, ask: Ask::default(), ..asked.clone() };
        // The answer to a repeat is read and not written, and says nothing of other jobs.
        let time_store = (!repeat).then_some(answer.now_ms);
        if answer.jobs.is_empty() {
            let next_due = answer.next_due_in_ms.map(|ms| answer.now_ms + ms);
            let nothing = Answer::Nothing { next_due, paused: answer.paused };
            let answer = Some(if repeat { Answer::Plain } else { nothing });
            return vec![Event { time_store, answer, ..asked }];
        }
        let token = asked.token.unwrap_or_default();
        let jobs = answer.jobs.into_iter();
        jobs.map(|job| {
            let event = Event {
                time_store,
                id: Some(job.id.clone()),
                seq: Some(job.seq),
                attempt: Some(job.attempt),
                digest: Some(digest(job.payload.as_deref())),
                answer: Some(Answer::Claimed),
                seen: Some(seen(&job)),
                ..asked.clone()
            };
            let key = ClaimKey { seq: job.seq, epoch: job.epoch };
            let lease = Lease { key, id: job.id, token, until_ms: job.lease_expires_at_ms, is_ended: false };
            self.held.insert(job.receipt, lease);
            event
        })
        .collect()
    }

    fn changed(&mut self, at: u64, open: &OpenRequest, answer: &ItemsAnswer) -> Result<Vec<Event>, Failed> {
        require_same(open.asked.len(), answer.items.len())?;
        let time_store = Some(answer.now_ms);
        let mut events = Vec::new();
        for ((asked, receipt), said) in open.asked.iter().zip(&open.receipts).zip(&answer.items) {
            let (phase, became) = match said.outcome.as_str() {
                "done" => (Phase::Ok, Some(Answer::Done)),
                "lease_lost" => (Phase::Ok, Some(Answer::LeaseLost)),
                "missing" => (Phase::Ok, Some(Answer::Missing)),
                "conflict" => (Phase::Ok, Some(Answer::Stale)),
                _ => (Phase::Fail, None),
            };
            if open.verb == Verb::Settle {
                self.late.answered(receipt, &said.outcome, at);
            }
            if said.outcome == "done" {
                let until_ms = said.lease_ms.map(|ms| answer.now_ms + ms);
                self.held.changed(receipt, until_ms);
            }
            let event = Event { phase, time_store, answer: became, ask: Ask::default(), ..asked.clone() };
            events.push(event);
        }
        Ok(events)
    }

    /// The begin or the end of a handler. Each claim is a worker of its own: it runs one handler.
    fn ran(&mut self, at: u64, op: Op, key: ClaimKey) -> Result<(), Failed> {
        let lease = self.held.under(key)?;
        let (id, token) = (Some(lease.id.clone()), Some(lease.token));
        let ask = Ask { worker: Some(format!("{token:?} {}", key.seq)), ..Ask::default() };
        let event = Event { op, id, token, seq: Some(key.seq), ask, ..Event::default() };
        let begun = self.call(std::iter::once(event));
        self.begin(at, &begun);
        let ended = begun.into_iter().map(|event| Event {
            phase: Phase::Ok,
            time_mono: at,
            ask: Ask::default(),
            ..event
        });
        self.events.extend(ended);
        Ok(())
    }
}
