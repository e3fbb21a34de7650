//! Gates: what closes, raises, counts and opens.

use crate::world::{BOUNDARY, EARLIER, MINE, new_job, record_in};
use queue_core::{
    EndOutcome, EndSignal, ErrorKind, Gate, JobId, JobMeta, Limits, NewGate, NewJob, OnFailed, OnWaiting,
    QueueName, Seq, Signalling, Span, State, Tally,
    lifecycle::{
        Admission, Event, Policy, Received, TrackedJob, Verdict, admit, apply, decide, look, raise, receive,
    },
};

fn gated(needs: u64, is_sealed: bool) -> JobMeta {
    let new = new_job("a").with_gate(NewGate { needs, is_sealed, timeout: None });
    JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(7), EARLIER)
}

fn signal(urgent: bool) -> EndSignal {
    EndSignal { urgent, ..EndSignal::to(JobId::from_static("a")) }
}

#[test]
fn a_gate_is_closed_at_the_epoch_of_its_job_alone() {
    let mut job = gated(1, true);
    assert!(job.is_gated(BOUNDARY) && !job.is_scheduled(BOUNDARY) && !job.is_parked(BOUNDARY));
    assert_eq!(job.run_at, EARLIER + Span::MAX);
    job.epoch = 1;
    assert!(!job.is_gated(BOUNDARY) && job.is_scheduled(BOUNDARY));
    let open = gated(0, true);
    assert_eq!((open.run_at, open.is_gated(EARLIER)), (EARLIER, false));
}

#[test]
fn a_signal_opens_what_is_complete_or_urgent_and_raises_the_revision_only_then() {
    use EndOutcome::{Cancelled, Completed, Failed};
    for (needs, is_sealed, urgent, outcome, opens) in [
        (1, true, false, Failed, true),
        (2, true, false, Failed, false),
        (1, false, false, Completed, false),
        (2, true, true, Completed, false),
        (2, true, true, Failed, true),
        (2, false, true, Cancelled, true),
    ] {
        let mut job = gated(needs, is_sealed);
        let received = receive(&mut job, &signal(urgent), outcome, BOUNDARY);
        assert_eq!(received, if opens { Received::Opened } else { Received::Counted });
        assert_eq!((job.revision, job.is_due(BOUNDARY)), (1 + u64::from(opens), opens));
        assert_eq!(job.gate.map(|gate| gate.signals), Some(1));
    }
}

#[test]
fn counts_stay_at_the_largest_number() {
    let most = Tally { completed: u64::MAX, failed: u64::MAX, cancelled: 0 };
    let mut gate = Gate { needs: u64::MAX, signals: u64::MAX, tally: most, ..Gate::default() };
    gate.raise();
    gate.receive(EndOutcome::Failed, false, false);
    assert_eq!((gate.needs, gate.signals, gate.tally), (u64::MAX, u64::MAX, most));
    assert_eq!(gate.tally.not_completed(), u64::MAX);
}

#[test]
fn only_a_holder_raises_a_complete_gate_or_makes_one() {
    for (job, takes) in [(gated(0, true), false), (gated(1, true), true), (gated(0, false), true)] {
        for by_itself in [false, true] {
            let mut job = job.clone();
            assert_eq!(raise(&mut job, by_itself, BOUNDARY), takes || by_itself);
        }
    }
    let mut plain = record_in(State::Queued).meta;
    assert!(!raise(&mut plain, false, BOUNDARY) && plain.gate.is_none());
    assert!(raise(&mut plain, true, BOUNDARY));
    assert_eq!(plain.gate.as_ref().map(|gate| (gate.needs, gate.is_sealed)), Some((1, true)));
    for state in [State::Completed, State::Failed, State::Cancelled] {
        let mut ended = JobMeta { state, ..gated(1, false) };
        assert!(!raise(&mut ended, true, BOUNDARY));
        assert_eq!(receive(&mut ended, &signal(true), EndOutcome::Failed, BOUNDARY), Received::Dropped);
    }
}

/// What failed or was cancelled since the holder looked opens the gate; what it has seen does not.
#[test]
fn a_suspend_does_not_miss_an_urgent_signal_of_its_run() {
    for (meanwhile, heeds_urgent, opens) in [(0, true, false), (1, true, true), (1, false, false)] {
        let mut held = record_in(State::Processing);
        let tally = Tally { failed: 3, ..Tally::default() };
        held.meta.gate = Some(Box::new(Gate { needs: 9, signals: 3, tally, ..Gate::default() }));
        let event = Event::Suspend {
            token: MINE,
            needs: None,
            seals: false,
            heeds_urgent,
            timeout: None,
            progress: None,
            then: Vec::new(),
        };
        let transition = decide(&held.meta, event, &Policy::default()).expect("it is held");
        for _ in 0..meanwhile {
            receive(&mut held.meta, &signal(true), EndOutcome::Cancelled, EARLIER);
        }
        assert!(matches!(apply(&mut held, &transition, EARLIER), Verdict::Written { .. }));
        assert_eq!(
            (look(&mut held.meta, &transition.patch, EARLIER), held.meta.is_due(EARLIER)),
            (opens, opens)
        );
    }
}

#[test]
fn a_record_with_signals_never_makes_room() {
    for state in State::ALL {
        for signalling in [Signalling::Owed(0), Signalling::Owed(1), Signalling::Sent] {
            let TrackedJob { meta, .. } = record_in(state);
            let present = JobMeta { signalling, purge_at: None, ..meta };
            let new = new_job("a")
                .with_on_failed(OnFailed::Replace)
                .with_on_waiting(OnWaiting::Replace { max_wait: None });
            assert_eq!(admit(Some(&present), &new, BOUNDARY), Admission::Duplicate, "{state}");
        }
    }
}

#[test]
fn a_store_without_gates_takes_neither_gates_nor_signals() {
    let (without, with) = (Limits::default(), Limits { gates: true, ..Limits::default() });
    let jobs: [NewJob; 2] =
        [new_job("b").with_gate(NewGate::default()), new_job("b").with_end_signals([signal(false)])];
    for new in jobs {
        let groups = vec![vec![new]];
        let refused = without.check_enqueue(&groups).expect_err("it has none");
        assert_eq!((refused.kind(), with.check_enqueue(&groups).is_ok()), (ErrorKind::Unsupported, true));
    }
    let seal = decide(&gated(1, false), Event::Seal, &Policy::default()).expect("it is not sealed");
    assert_eq!(without.check_transition(&seal).expect_err("it has none").kind(), ErrorKind::Unsupported);
    assert!(with.check_transition(&seal).is_ok());
}
