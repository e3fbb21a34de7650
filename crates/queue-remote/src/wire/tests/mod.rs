//! What is written is read back, and the number for it covers what it is made of.

mod hostile;
mod samples;

use super::{ErrorReport, Opened, Topic, Wire, decode, encode};
use crate::contract::{Apply, Claim, Enqueue, FINGERPRINT, Get, Verb};
use bytes::{Bytes, BytesMut};
use queue_core::{
    Applied, Capabilities, Certainty, ClaimRequest, Claimed, ClaimedJob, CompletedJob, ContentType, Counts,
    Cursor, Direction, Durability, Duty, EndOutcome, Enqueued, Error, ErrorKind, EventReach, Failure,
    Finding, Hint, ImportRequest, Imported, JobAttempts, JobChange, JobId, JobMeta, JobRecord, Kind, Limit,
    LimitScope, ListFilter, ListQuery, Moment, NewJob, Page, Partition, PartitionPage, PartitionQuery,
    PartitionStatus, Pause, PausedKind, Prune, PruneRequest, QueueName, QueueStatus, QueuesPage, QueuesQuery,
    Reach, Reason, Seq, SeriesEntry, SeriesName, SeriesQuery, Severity, Signalling, Stamped, State, Tag,
    Walk, WholeJob, WorkerId, WorkerInfo,
    lifecycle::{
        Amend, CloseGate, Finish, Flags, Guard, Lapse, Patch, Proof, Purge, Requeue, RunAt, Settle, Signals,
        Transition,
    },
};
use samples::{at, attempt, body, meta, new_job, payload, span, terms, token};
use std::{fmt::Debug, time::Duration};

/// Asserts that a value comes back, and that no part of its bytes is taken for a whole.
fn comes_back<T: Wire + Debug + PartialEq>(value: &T) {
    let bytes = encode(value);
    assert_eq!(decode::<T>(bytes.clone()).as_ref(), Ok(value));
    for end in 0..bytes.len() {
        assert!(decode::<T>(bytes.slice(..end)).is_err(), "cut at {end}: {value:?}");
    }
    let longer: BytesMut = bytes.iter().copied().chain([0]).collect();
    assert!(decode::<T>(longer.freeze()).is_err(), "one byte longer: {value:?}");
}

#[test]
fn jobs_come_back_with_every_field() {
    comes_back(&new_job());
    comes_back(&NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload("")));
    comes_back(&meta());
    comes_back(&JobMeta { signalling: Signalling::Sent, ..meta() });
    comes_back(&JobRecord { meta: meta(), body: Some(body()) });
    comes_back(&JobAttempts { meta: meta(), attempts: vec![attempt()] });
    comes_back(&WholeJob { meta: meta(), body: body(), attempts: vec![attempt(), attempt()] });
    comes_back(&Stamped {
        now: at(1),
        clock: at(2),
        value: vec![None, Some(JobRecord { meta: meta(), body: None })],
    });
}

#[test]
fn transitions_come_back_with_every_patch() {
    let error = Some(Failure::new("E", "m").with_details(Bytes::from_static(b"d")));
    let requeue = Requeue {
        state: State::Failing,
        run_at: RunAt::After(span(5)),
        failures: 1,
        stalls: 2,
        error: error.clone(),
        progress: Some(Bytes::from_static(b"p")),
        fresh: true,
        lifts_expiry: true,
        content_type: Some(ContentType::from_static("a/b")),
        closes: Some(Box::new(CloseGate {
            needs: Some(8),
            seals: true,
            heeds_urgent: true,
            not_completed_seen: 9,
        })),
    };
    let finish = Finish {
        state: State::Completed,
        reason: Some(Reason::Terminal),
        failures: 3,
        stalls: 4,
        result: Some(payload("r")),
        error,
        purge: Purge::Never,
    };
    let amend = Amend {
        payload: Some(payload("new")),
        priority: Some(1),
        run_at: RunAt::After(span(6)),
        terms: Some(terms()),
    };
    let flags = Flags { cancel_requested: true, awaited: false };
    let patches = [
        Patch::Requeue(Requeue { run_at: RunAt::Soonest, ..requeue.clone() }),
        Patch::Requeue(requeue),
        Patch::Finish(finish),
        Patch::Remove,
        Patch::Extend { by: span(7), progress: None },
        Patch::Flag(flags),
        Patch::Retain(Purge::After(span(8))),
        Patch::Amend(amend),
        Patch::Seal,
    ];
    let lease = Proof::Lease { token: token(1), epoch: 2, flags: Some(flags), settle: Some(Settle::Snooze) };
    for (patch, proof) in patches.into_iter().zip([lease, Proof::Revision(9)].into_iter().cycle()) {
        let guard = Guard { state: State::Processing, proof, lapse: Lapse::Live };
        let (queue, id) = (QueueName::from_static("q"), JobId::from_static("a"));
        let (seq, then) = (Seq::new(1), vec![new_job()]);
        for outcome in EndOutcome::ALL {
            let (guard, patch, then) = (guard.clone(), patch.clone(), then.clone());
            let signal = Some(Signals { outcome, count: 64 });
            comes_back(&Transition { queue: queue.clone(), id: id.clone(), seq, guard, patch, then, signal });
        }
    }
}

#[test]
fn requests_come_back() {
    let queue = QueueName::from_static("q");
    let worker = WorkerId::from_static("w");
    comes_back(&ClaimRequest {
        queue: queue.clone(),
        worker: worker.clone(),
        limit: usize::MAX,
        lease: span(1),
        token: token(3),
        bytes_max: 5,
        not_after: Some(at(6)),
        limited_max: 7,
    });
    let acme = Partition::from_static("acme");
    comes_back(&PartitionQuery { queue: queue.clone(), after: Some(acme.clone()), limit: 9 });
    for scope in [LimitScope::EachPartition, LimitScope::Unpartitioned, LimitScope::Partition(acme.clone())] {
        comes_back(&vec![(scope, Some(Limit { running: Some(3), weight: 4 }))]);
    }
    let filter = ListFilter {
        states: State::ALL.to_vec(),
        kind: Some(Kind::unnamed()),
        worker: Some(worker.clone()),
        tag: Some(Tag::new("t").expect("valid")),
        partition: Some(acme),
        id_prefix: Some("a\u{1}".to_owned()),
        entered: Some(at(1)..at(2)),
    };
    for walk in [
        Walk::All(Direction::NewestFirst),
        Walk::State(State::Failed, Direction::OldestFirst),
        Walk::Due,
        Walk::Scheduled,
        Walk::Gated,
        Walk::Tagged(Tag::new("t").expect("valid"), Direction::OldestFirst),
        Walk::Lapsed,
        Walk::Held { token: token(4) },
    ] {
        let mut query = ListQuery::new(queue.clone(), walk, 10).matching(filter.clone());
        query.after = Some(Cursor("sqlite:1".to_owned()));
        comes_back(&query);
    }
    for what in [Prune::Expired, Prune::FinishedBefore(span(9)), Prune::Everything] {
        comes_back(&PruneRequest { queue: queue.clone(), what, limit: 1 });
    }
    let jobs = vec![WholeJob { meta: meta(), body: body(), attempts: Vec::new() }];
    comes_back(&ImportRequest { queue: queue.clone(), after: Seq::new(1), jobs });
    for query in [QueuesQuery::all(1), QueuesQuery::from(&queue, 2), QueuesQuery::after(&queue, 3)] {
        comes_back(&query);
    }
    let series = SeriesQuery::new(SeriesName::from_static("s"), -3..4, 5);
    comes_back(&series);
    comes_back(&series.behind(2, &worker));
    let mut info = WorkerInfo::new(worker);
    (info.queues, info.concurrency, info.held) = (vec![queue], 4, 2);
    (info.host, info.about, info.duty) = ("h".to_owned(), Bytes::from_static(b"{}"), Duty::Drain);
    comes_back(&(info, Duration::new(3, 4)));
    for topic in [Topic::Wake, Topic::Ends, Topic::All] {
        comes_back(&topic);
    }
}

#[test]
fn answers_come_back() {
    let acme = Partition::from_static("acme");
    let next = PartitionQuery { queue: QueueName::from_static("q"), after: Some(acme.clone()), limit: 1 };
    let status = PartitionStatus {
        partition: acme,
        leases: 3,
        waiting: 1_000,
        oldest_due: Some(at(1)),
        limit: Limit { running: Some(3), weight: 5 },
        has_own_limit: true,
    };
    comes_back(&PartitionPage { partitions: vec![status], next: Some(next), now: at(2), clock: at(3) });
    let seq = Seq::new(1);
    let queued = vec![
        Enqueued::Queued { seq },
        Enqueued::Duplicate { seq, state: State::Failing },
        Enqueued::Completed { seq, result: Some(payload("r")) },
        Enqueued::Orphaned,
    ];
    comes_back(&vec![queued, Vec::new()]);
    comes_back(&vec![
        Applied::Done(meta()),
        Applied::LeaseLost(meta()),
        Applied::Stale(meta()),
        Applied::Missing,
    ]);
    comes_back(&vec![Imported::Stored { seq }, Imported::Taken { seq }, Imported::Purged]);
    let jobs = vec![ClaimedJob { record: JobRecord { meta: meta(), body: Some(body()) }, token: token(1) }];
    let paused_kinds = vec![PausedKind { kind: Kind::from_static("email"), pause: Pause::Until(at(4)) }];
    comes_back(&Claimed {
        jobs,
        next_due: Some(at(1)),
        pause: Pause::UntilResumed,
        paused_kinds: paused_kinds.clone(),
        set_aside: 2,
        kept_back: true,
        now: at(2),
        clock: at(3),
    });
    comes_back(&Page { jobs: vec![meta()], next: None, looked_at: 7, now: at(1), clock: at(2) });
    let mut counts = Counts::empty(Moment { now: at(5), clock: at(6) });
    State::ALL.into_iter().zip(1..).for_each(|(state, count)| counts.set(state, count));
    (counts.scheduled, counts.gated, counts.oldest_due) = (9, 10, Some(at(4)));
    let name = QueueName::from_static("q");
    let next = Some(QueuesQuery::after(&name, 1));
    comes_back(&QueuesPage {
        queues: vec![QueueStatus { name, pause: Pause::Off, paused_kinds, counts }],
        next,
    });
    let (series, writer) = (SeriesName::from_static("s"), WorkerId::from_static("w"));
    comes_back(&SeriesEntry { series, slot: -1, writer, bytes: Bytes::from_static(b"\xff") });
    let change = JobChange { id: JobId::from_static("a"), seq, revision: 2, state: None };
    let completed = CompletedJob { id: change.id.clone(), seq, revision: 3, result: payload("r") };
    for hint in [Hint::Wake, Hint::Missed, Hint::Job(change), Hint::Completed(Box::new(completed))] {
        comes_back(&hint);
    }
    for severity in [Severity::Fine, Severity::Unknown, Severity::Warning, Severity::Broken] {
        comes_back(&Finding::new("code-1", severity, "seen", "advice"));
    }
}

#[test]
fn errors_keep_what_a_caller_acts_on_and_lose_what_a_driver_says() {
    for kind in [
        ErrorKind::Invalid,
        ErrorKind::Unavailable,
        ErrorKind::Conflict,
        ErrorKind::Corrupt,
        ErrorKind::Unsupported,
        ErrorKind::Internal,
    ] {
        for error in
            [Error::new(kind, "x", "why"), Error::new(kind, "x", "why").unknown().with_source("secret")]
        {
            let report = ErrorReport::of(&error);
            comes_back(&report);
            assert!(!encode(&report).windows(6).any(|bytes| bytes == b"secret"));
            let told = report.into_error("claim");
            assert_eq!((told.kind(), told.certainty()), (kind, error.certainty()));
            assert_eq!((told.operation(), told.message()), ("claim", "why"));
        }
    }
    let closed = ErrorReport::of(&Error::closed("x")).into_error("claim");
    assert_eq!((closed.kind(), closed.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied));
}

#[test]
fn a_handle_has_the_capabilities_of_the_store_behind_it() {
    let mut store = Capabilities::new("x", Durability::Power, Reach::Host).with_events(EventReach::Process);
    (store.presence, store.series, store.limits.batch_max, store.limits.gates) = (true, true, 17, true);
    let opened = Opened::of(&store);
    comes_back(&opened);
    let own = opened.capabilities(Duration::from_secs(9));
    let mut expected = store;
    (expected.name, expected.reach, expected.call_timeout) =
        ("remote", Reach::Network, Duration::from_secs(9));
    assert_eq!(own, expected);
}

#[test]
fn the_fingerprint_covers_verbs_and_their_types() {
    let forms = [Apply::SCHEMA, Claim::SCHEMA, Enqueue::SCHEMA, Get::SCHEMA, FINGERPRINT];
    for (at, form) in forms.iter().enumerate() {
        assert!(!forms[..at].contains(form), "two forms are the same");
    }
    assert_ne!(<Vec<u64> as Wire>::SCHEMA, <Option<u64> as Wire>::SCHEMA);
    assert_ne!(<(bool, u64) as Wire>::SCHEMA, <(u64, bool) as Wire>::SCHEMA);
}
