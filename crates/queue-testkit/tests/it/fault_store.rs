//! What a `FaultStore` does to calls and hints, over a store in memory.

use futures_util::{FutureExt, StreamExt};
use queue_core::{
    Certainty, ClaimRequest, ContentType, Detail, ErrorKind, EventStream, Hint, Interest, JobId, Kind,
    NewJob, Payload, QueueName, Result, SeededRng, Span, Storage, StorageExt, WorkerId,
};
use queue_memory::MemoryStorage;
use queue_testkit::fault::{Fault, FaultKind, FaultPlan, FaultStore, Gate, HintFault, StorageVerb};
use std::{sync::Arc, time::Duration};

type Store = FaultStore<MemoryStorage>;

fn store(plan: FaultPlan) -> (Store, MemoryStorage) {
    let memory = MemoryStorage::new();
    let beside = memory.another_handle();
    (FaultStore::new(Arc::new(memory), plan), beside)
}

fn sound() -> (Store, MemoryStorage) {
    store(FaultPlan::new(1))
}

fn queue() -> QueueName {
    QueueName::from_static("q")
}

async fn enqueue(store: &dyn Storage, id: &str) -> Result<()> {
    let payload = Payload::new("", ContentType::from_static("text/plain"));
    let job = NewJob::new(JobId::new(id)?, Kind::unnamed(), payload);
    store.enqueue(&queue(), vec![vec![job]]).await.map(drop)
}

async fn claim(store: &dyn Storage, limit: usize) -> Result<usize> {
    let rng = SeededRng::new(3);
    let request = ClaimRequest::new(queue(), WorkerId::from_static("w"), limit, Span::from_secs(30), &rng);
    store.claim(request).await.map(|claimed| claimed.jobs.len())
}

async fn jobs(store: &MemoryStorage) -> u64 {
    store.counts(&queue()).await.expect("it counts").total()
}

#[tokio::test]
async fn a_refused_call_was_not_sent_and_says_so() {
    let (faulty, beside) = sound();
    faulty.next(StorageVerb::Enqueue, 1, &Fault::Refuse);
    let error = enqueue(&faulty, "a").await.expect_err("it is refused");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied));
    assert_eq!(jobs(&beside).await, 0);
}

#[tokio::test]
async fn a_lost_request_was_not_sent_and_a_lost_reply_was_and_nobody_can_tell() {
    for (fault, stored) in [(Fault::LoseRequest, 0), (Fault::LoseReply, 1)] {
        let (faulty, beside) = sound();
        faulty.next(StorageVerb::Enqueue, 1, &fault);
        let error = enqueue(&faulty, "a").await.expect_err("the answer is withheld");
        assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::Unknown));
        assert_eq!(jobs(&beside).await, stored, "{fault:?}");
    }
}

#[tokio::test]
async fn a_script_covers_the_next_calls_of_its_verb_alone_and_in_order() {
    let (faulty, _beside) = sound();
    faulty.next(StorageVerb::Enqueue, 2, &Fault::Refuse);
    faulty.next(StorageVerb::Enqueue, 1, &Fault::LoseRequest);
    assert!(faulty.counts(&queue()).await.is_ok());
    let mut certainties = Vec::new();
    for _ in 0..3 {
        certainties.push(enqueue(&faulty, "a").await.expect_err("scripted").certainty());
    }
    assert_eq!(certainties, [Certainty::NotApplied, Certainty::NotApplied, Certainty::Unknown]);
    assert!(enqueue(&faulty, "a").await.is_ok());
}

#[tokio::test]
async fn a_doubled_call_gives_the_first_answer() {
    let (faulty, beside) = sound();
    faulty.next(StorageVerb::Enqueue, 1, &Fault::Duplicate);
    let payload = Payload::new("", ContentType::from_static("text/plain"));
    let job = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload);
    let answer = faulty.enqueue(&queue(), vec![vec![job]]).await.expect("it is sent");
    assert!(answer.value[0][0].is_new(), "the second one would say that it is a duplicate");
    assert_eq!(jobs(&beside).await, 1);
}

#[tokio::test]
async fn a_claim_is_doubled_when_a_script_asks_for_it_and_never_by_chance() {
    for by_script in [true, false] {
        let (faulty, beside) = store(FaultPlan::new(1).one_in(1, StorageVerb::ALL, Fault::Duplicate));
        enqueue(&beside, "a").await.expect("it is stored");
        enqueue(&beside, "b").await.expect("it is stored");
        if by_script {
            faulty.next(StorageVerb::Claim, 1, &Fault::Duplicate);
        }
        assert_eq!(claim(&faulty, 1).await.expect("it is sent"), 1);
        let left = usize::from(!by_script);
        assert_eq!(claim(&beside, 10).await.expect("it is sent"), left);
    }
}

#[tokio::test]
async fn a_call_that_is_held_back_is_sent_when_its_gate_opens() {
    let (faulty, beside) = sound();
    let gate = Gate::shut();
    faulty.next(StorageVerb::Enqueue, 1, &Fault::HoldUntil(gate.clone()));
    let mut held = Box::pin(enqueue(&faulty, "a"));
    assert!(held.as_mut().now_or_never().is_none());
    assert_eq!(jobs(&beside).await, 0);
    gate.open();
    held.await.expect("it is sent");
    assert_eq!(jobs(&beside).await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_delay_passes_on_the_clock_of_tokio() {
    let (faulty, beside) = sound();
    faulty.next(StorageVerb::Enqueue, 1, &Fault::Delay(Duration::from_secs(3600)));
    let mut late = Box::pin(enqueue(&faulty, "a"));
    assert!(late.as_mut().now_or_never().is_none());
    assert_eq!(jobs(&beside).await, 0);
    late.await.expect("paused time passes at once");
    assert_eq!(jobs(&beside).await, 1);
}

#[tokio::test]
async fn the_same_seed_gives_the_same_faults_and_they_are_counted() {
    let outcomes = async |seed| {
        let plan = FaultPlan::new(seed).one_in(3, &[StorageVerb::Get], Fault::Refuse);
        let (faulty, _beside) = store(plan);
        let mut failed = Vec::new();
        for _ in 0..60 {
            failed.push(faulty.get(&queue(), &[], Detail::Meta).await.is_err());
        }
        let count = failed.iter().filter(|failed| **failed).count() as u64;
        assert_eq!((faulty.tally().of(FaultKind::Refuse), faulty.tally().total()), (count, count));
        assert!((5..40).contains(&count), "one in three of sixty, more or less: {count}");
        failed
    };
    assert_eq!(outcomes(7).await, outcomes(7).await);
    assert_ne!(outcomes(7).await, outcomes(8).await);
}

#[tokio::test]
async fn healing_ends_the_plan_and_the_script() {
    let (faulty, _beside) = store(FaultPlan::new(1).one_in(1, StorageVerb::ALL, Fault::Refuse));
    faulty.next(StorageVerb::Enqueue, 5, &Fault::LoseReply);
    assert!(enqueue(&faulty, "a").await.is_err());
    faulty.heal();
    enqueue(&faulty, "a").await.expect("healed");
    assert!(
        faulty.get_one(&queue(), &JobId::from_static("a"), Detail::Meta).await.expect("healed").is_some()
    );
}

#[tokio::test]
async fn a_store_behind_a_trait_object_can_be_wrapped_too() {
    let memory: Arc<dyn Storage> = Arc::new(MemoryStorage::new());
    let faulty: FaultStore<dyn Storage> = FaultStore::new(memory, FaultPlan::new(1));
    enqueue(&faulty, "a").await.expect("nothing goes wrong");
    assert_eq!(faulty.capabilities().name, "memory");
}

/// The ids of the jobs that hints named, after three enqueues.
async fn hinted(plan: FaultPlan) -> Vec<String> {
    let (faulty, beside) = store(plan);
    let mut hints: EventStream = faulty.subscribe(&queue(), Interest::All).await.expect("it subscribes");
    for id in ["a", "b", "c"] {
        enqueue(&beside, id).await.expect("it is stored");
    }
    beside.close().await.expect("it closes");
    faulty.close().await.expect("it closes, which ends the stream");
    let mut ids = Vec::new();
    while let Some(hint) = hints.next().await {
        if let Hint::Job(change) = hint {
            ids.push(change.id.as_str().to_owned());
        }
    }
    ids
}

#[tokio::test]
async fn hints_are_dropped_repeated_and_reordered() {
    let every = |fault| FaultPlan::new(1).hints_one_in(1, fault);
    assert_eq!(hinted(FaultPlan::new(1)).await, ["a", "b", "c"]);
    assert_eq!(hinted(every(HintFault::Drop)).await, Vec::<String>::new());
    assert_eq!(hinted(every(HintFault::Repeat)).await, ["a", "a", "b", "b", "c", "c"]);
    assert_eq!(hinted(every(HintFault::Reorder)).await, ["b", "a", "c"]);
}
