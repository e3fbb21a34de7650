//! Recording, and histories as files: what is recorded, written, read back and merged.

use futures_util::FutureExt;
use queue_core::{ClaimRequest, QueueName, SeededRng, Span, Storage, WorkerId};
use queue_memory::MemoryStorage;
use queue_testkit::{
    fault::{Fault, FaultPlan, FaultStore, Gate, StorageVerb},
    history::{
        Answer, Ask, Event, Faults, History, Op, Params, Phase, Recorded, Recorder, Rules, Tape, Tapes, check,
    },
};
use std::sync::Arc;

type Faulty = FaultStore<MemoryStorage>;

fn recorded() -> (Recorded<Faulty>, Arc<Faulty>, Arc<Recorder>) {
    let faulty = Arc::new(FaultStore::new(Arc::new(MemoryStorage::new()), FaultPlan::new(1)));
    let recorder = Arc::new(Recorder::new());
    (Recorded::new(faulty.clone(), recorder.clone()), faulty, recorder)
}

fn queue() -> QueueName {
    QueueName::from_static("q")
}

fn request() -> ClaimRequest {
    let rng = SeededRng::new(1);
    ClaimRequest::new(queue(), WorkerId::from_static("w"), 1, Span::from_secs(1), &rng)
}

fn phases(recorder: &Recorder) -> Vec<Phase> {
    recorder.history().events().iter().map(|event| event.phase).collect()
}

#[tokio::test]
async fn answers_refusals_and_unknown_outcomes_are_told_apart() {
    let (store, faulty, recorder) = recorded();
    let before = store.process();
    faulty.next(StorageVerb::Claim, 1, &Fault::Refuse);
    assert!(store.claim(request()).await.is_err());
    assert_eq!(store.process(), before);
    faulty.next(StorageVerb::Claim, 1, &Fault::LoseReply);
    assert!(store.claim(request()).await.is_err());
    assert_ne!(store.process(), before, "a process whose call hangs is retired");
    store.claim(request()).await.expect("nothing goes wrong");
    let expected = [Phase::Invoke, Phase::Fail, Phase::Invoke, Phase::Info, Phase::Invoke, Phase::Ok];
    assert_eq!(phases(&recorder), expected);
}

#[tokio::test]
async fn a_dropped_call_stays_open() {
    let (store, faulty, recorder) = recorded();
    faulty.next(StorageVerb::Claim, 1, &Fault::HoldUntil(Gate::shut()));
    assert!(store.claim(request()).now_or_never().is_none());
    assert_eq!(phases(&recorder), [Phase::Invoke]);
}

#[tokio::test]
async fn a_history_names_a_token_without_showing_any_part_of_it() {
    let (store, _faulty, recorder) = recorded();
    let token = request().token;
    store.claim(request()).await.expect("nothing goes wrong");
    let shown: Vec<u64> = recorder.history().events().iter().filter_map(|event| event.token).collect();
    assert!(!shown.is_empty());
    let bytes = *token.as_bytes();
    let parts = bytes.windows(8).map(|part| <[u8; 8]>::try_from(part).expect("eight of them"));
    for part in parts {
        assert!(!shown.contains(&u64::from_be_bytes(part)) && !shown.contains(&u64::from_le_bytes(part)));
    }
}

async fn some_history() -> History {
    let params = Params { producers: 1, workers: 1, meddlers: 1, steps: 5, ..Params::default() };
    let harness = harness::Memory;
    queue_testkit::history::check_workload(&harness, 1, params.with_faults(Faults::All)).await.history
}

#[tokio::test(start_paused = true)]
async fn what_is_written_is_read_back() {
    let history = some_history().await;
    let mut lines = Vec::new();
    history.write(&mut lines).expect("memory takes it");
    assert_eq!(lines.split_inclusive(|byte| *byte == b'\n').count(), history.events().len());
    assert_eq!(History::read(&*lines).expect("it is a history"), history);
}

#[tokio::test(start_paused = true)]
async fn a_last_line_that_was_cut_is_passed_over_and_damage_elsewhere_is_reported() {
    let history = some_history().await;
    let mut lines = Vec::new();
    history.write(&mut lines).expect("memory takes it");
    let cut = &lines[..lines.len() - 10];
    let read = History::read(cut).expect("a torn tail is no damage");
    assert_eq!(read.events(), &history.events()[..history.events().len() - 1]);
    let first_end = lines.iter().position(|byte| *byte == b'\n').expect("there are lines");
    lines.drain(first_end - 10..first_end);
    assert!(History::read(&*lines).is_err());
}

/// An enqueue of one id that is accepted, as one process recorded it.
fn accepted(seq: u64, began: u64, ended: u64) -> History {
    let event = |phase, time_mono| Event {
        call: 1,
        process: 1,
        phase,
        time_mono,
        op: Op::Enqueue,
        queue: "q".into(),
        id: Some(format!("job-{seq}")),
        ..Event::default()
    };
    let answer = Event { seq: Some(seq), answer: Some(Answer::Queued), ..event(Phase::Ok, ended) };
    History::new(vec![event(Phase::Invoke, began), answer])
}

#[test]
fn merged_calls_keep_apart_and_overlap_when_their_order_is_not_certain() {
    let (first, second) = (accepted(2, 100, 200), accepted(1, 250, 300));
    let merged = |skew| History::merge(vec![first.clone(), second.clone()], skew);
    let calls: Vec<u64> = merged(0).events().iter().map(|event| event.call).collect();
    assert_eq!(calls, [1, 1, 2, 2]);
    let broken = |skew| check(&merged(skew), &Rules::default()).len();
    assert_eq!(broken(0), 1, "the later enqueue has the lower number");
    assert_eq!(broken(60), 0, "with clocks that far apart nobody knows which was later");
}

#[test]
fn merged_transactions_keep_apart() {
    let part = |tx| History::new(vec![Event { ask: Ask { tx, ..Ask::default() }, ..Event::default() }]);
    let merged = History::merge(vec![part(Some(3)), part(None), part(Some(3)), part(Some(1))], 0);
    let txs: Vec<Option<u64>> = merged.events().iter().map(|event| event.ask.tx).collect();
    assert_eq!(txs, [Some(3), None, Some(6), Some(7)]);
}

#[tokio::test]
async fn a_tape_holds_what_is_asked_before_it_is_asked_and_what_was_answered_later() {
    let folder = tempfile::tempdir().expect("a directory");
    let tapes = Tapes::in_folder(&folder);
    let tape = Tape::create(&tapes.path(0)).expect("there is room");
    let faulty = Arc::new(FaultStore::new(Arc::new(MemoryStorage::new()), FaultPlan::new(1)));
    let store = Recorded::new(Arc::new(tape.wrap(faulty.clone())), tape.recorder().clone());
    let on_file = || {
        let history = Tape::read(&tapes.path(0)).expect("it is a tape");
        history.events().iter().map(|event| event.phase).collect::<Vec<_>>()
    };
    faulty.next(StorageVerb::Claim, 1, &Fault::HoldUntil(Gate::shut()));
    assert!(store.claim(request()).now_or_never().is_none());
    assert_eq!(on_file(), [Phase::Invoke], "as if the process had been killed there");
    store.claim(request()).await.expect("nothing goes wrong");
    assert_eq!(on_file(), [Phase::Invoke, Phase::Invoke]);
    tape.save();
    assert_eq!(on_file(), [Phase::Invoke, Phase::Invoke, Phase::Ok]);
    assert_eq!(tapes.read(2).expect("one is there, and one was never begun").len(), 2);
}

mod harness {
    use async_trait::async_trait;
    use queue_core::{Clock, Storage};
    use queue_memory::MemoryStorage;
    use queue_testkit::{Failure, Harness, Place};
    use std::sync::Arc;

    pub(crate) struct Memory;

    #[async_trait]
    impl Harness for Memory {
        async fn create(&self, clock: Arc<dyn Clock>) -> Result<Box<dyn Place>, Failure> {
            Ok(Box::new(InMemory(MemoryStorage::with_clock(clock))))
        }
    }

    #[derive(Debug)]
    struct InMemory(MemoryStorage);

    #[async_trait]
    impl Place for InMemory {
        async fn connect(&self) -> Result<Arc<dyn Storage>, Failure> {
            Ok(Arc::new(self.0.another_handle()))
        }
    }
}
