//! Translates answers of a store into the terms of a history.

use crate::history::{Answer, Event, GateView, Phase, RecordView, SignalView, asked::status, digest};
use queue_core::{Applied, Claimed, Counts, Enqueued, JobMeta, JobRecord, Page, Stamped, State, Timestamp};

pub(super) fn enqueue(shape: &[usize], answer: &Stamped<Vec<Vec<Enqueued>>>) -> Vec<Event> {
    let answered: Vec<usize> = answer.value.iter().map(Vec::len).collect();
    if answered != shape {
        return malformed(shape.iter().sum());
    }
    let at = |enqueued| Event { time_store: stamp(answer.now), ..enqueued };
    numbered(answer.value.iter().flatten().map(enqueued).map(at))
}

fn enqueued(answer: &Enqueued) -> Event {
    let seq = answer.seq().map(queue_core::Seq::get);
    match answer {
        Enqueued::Queued { .. } => Event { seq, answer: Some(Answer::Queued), ..Event::default() },
        Enqueued::Duplicate { state, .. } => {
            Event { seq, answer: Some(Answer::Duplicate(status(*state))), ..Event::default() }
        }
        Enqueued::Completed { result, .. } => {
            let result = result.as_ref().map(digest::of_payload);
            Event { seq, result, answer: Some(Answer::Completed), ..Event::default() }
        }
        Enqueued::Orphaned => Event { answer: Some(Answer::Orphaned), ..Event::default() },
    }
}

pub(super) fn claim(item: u32, claimed: &Claimed) -> Vec<Event> {
    let time_store = stamp(claimed.now);
    if claimed.jobs.is_empty() {
        let next_due = claimed.next_due.map(Timestamp::as_millis);
        let answer = Some(Answer::Nothing { next_due, paused: claimed.pause.is_on() });
        return vec![Event { time_store, item, answer, ..Event::default() }];
    }
    let job = |job: &queue_core::ClaimedJob| Event {
        item,
        time_store,
        token: Some(digest::of_token(&job.token)),
        attempt: Some(job.record.meta.attempt()),
        answer: Some(Answer::Claimed),
        ..record(&job.record)
    };
    claimed.jobs.iter().map(job).collect()
}

/// Answers to transitions; the followers of a transition that was not applied were certainly not
/// enqueued.
pub(super) fn apply(thens: &[usize], answer: &Stamped<Vec<Applied>>) -> Vec<Event> {
    if answer.value.len() != thens.len() {
        return malformed(thens.len());
    }
    let at = |applied| Event { time_store: stamp(answer.now), ..applied };
    let mut events = numbered(answer.value.iter().map(applied).map(at));
    let follow_ups =
        thens.iter().zip(&answer.value).flat_map(|(n, applied)| std::iter::repeat_n(applied, *n));
    let refused = (events.len()..).zip(follow_ups).filter(|(_, applied)| !applied.is_done());
    let refused: Vec<_> = refused.map(|(item, _)| Event { phase: Phase::Fail, ..of_item(item) }).collect();
    events.extend(refused);
    events
}

fn applied(applied: &Applied) -> Event {
    let (answer, shown) = match applied {
        Applied::Done(shown) => (Answer::Done, Some(shown)),
        Applied::LeaseLost(shown) => (Answer::LeaseLost, Some(shown)),
        Applied::Stale(shown) => (Answer::Stale, Some(shown)),
        Applied::Missing => (Answer::Missing, None),
    };
    Event { answer: Some(answer), ..shown.map(meta).unwrap_or_default() }
}

pub(super) fn get(ids: usize, answer: &Stamped<Vec<Option<JobRecord>>>) -> Vec<Event> {
    if answer.value.len() != ids {
        return malformed(ids);
    }
    let time_store = stamp(answer.now);
    numbered(answer.value.iter().map(|found| match found {
        Some(found) => Event { time_store, answer: Some(Answer::Found), ..record(found) },
        None => Event { time_store, answer: Some(Answer::Absent), ..Event::default() },
    }))
}

pub(super) fn list(page: &Page) -> Vec<Event> {
    let time_store = stamp(page.now);
    if page.jobs.is_empty() {
        return vec![Event { time_store, answer: Some(Answer::Plain), ..Event::default() }];
    }
    page.jobs.iter().map(|job| Event { time_store, answer: Some(Answer::Found), ..meta(job) }).collect()
}

pub(super) fn counts(counts: &Counts) -> Vec<Event> {
    let by_state = State::ALL.map(|state| counts.of(state));
    vec![Event { time_store: stamp(counts.now), answer: Some(Answer::Counted(by_state)), ..Event::default() }]
}

pub(super) fn pruned(removed: u64) -> Vec<Event> {
    vec![Event { answer: Some(Answer::Pruned(removed)), ..Event::default() }]
}

pub(super) fn verify(findings: &[String]) -> Vec<Event> {
    vec![Event { answer: Some(Answer::Findings(findings.to_vec())), ..Event::default() }]
}

pub(super) fn plain() -> Vec<Event> {
    vec![Event { answer: Some(Answer::Plain), ..Event::default() }]
}

fn record(record: &JobRecord) -> Event {
    let shown = meta(&record.meta);
    let Some(body) = &record.body else { return shown };
    let signals = Some(SignalView::all(&body.end_signals));
    Event {
        digest: Some(digest::of_payload(&body.payload)),
        result: body.result.as_ref().map(digest::of_payload),
        seen: shown.seen.map(|seen| RecordView { with_body: true, signals, ..seen }),
        ..shown
    }
}

fn meta(meta: &JobMeta) -> Event {
    let seen = RecordView {
        revision: meta.revision,
        epoch: meta.epoch,
        status: status(meta.state),
        reason: meta.reason.map(|reason| reason.as_str().to_owned()),
        failures: meta.failures,
        stalls: meta.stalls,
        max_attempts: meta.terms.max_attempts.as_raw(),
        max_stalls: meta.terms.max_stalls.as_raw(),
        priority: meta.priority,
        partition: meta.partition.as_ref().map(|key| key.as_str().to_owned()),
        created_at: meta.created_at.as_millis(),
        run_at: meta.run_at.as_millis(),
        expires_at: meta.lease.as_ref().map(|lease| lease.expires_at.as_millis()),
        purge_at: meta.purge_at.map(Timestamp::as_millis),
        gate: meta.gate.as_ref().map(|gate| GateView::of(gate, meta.epoch)),
        signals: None,
        with_body: false,
    };
    let (id, seq) = (Some(meta.id.as_str().to_owned()), Some(meta.seq.get()));
    Event { id, seq, seen: Some(seen), ..Event::default() }
}

fn malformed(items: usize) -> Vec<Event> {
    numbered((0..items).map(|_| Event { answer: Some(Answer::Malformed), ..Event::default() }))
}

fn numbered(events: impl Iterator<Item = Event>) -> Vec<Event> {
    (0..).zip(events).map(|(item, event)| Event { item, ..event }).collect()
}

fn of_item(item: usize) -> Event {
    Event { item: u32::try_from(item).expect("a batch is smaller than that"), ..Event::default() }
}

#[expect(clippy::unnecessary_wraps, reason = "it fills an optional field")]
fn stamp(now: Timestamp) -> Option<i64> {
    Some(now.as_millis())
}
