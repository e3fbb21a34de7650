//! Numbers of gates, signals of imported jobs, and what `verify` finds of both.

use crate::harness::{REDIS, Space, clean_up, connect, fresh_namespace};
use queue_core::{
    ContentType, Detail, EndSignal, Enqueued, Gate, ImportRequest, Imported, JobBody, JobId, JobMeta, Kind,
    ManualClock, NewGate, NewJob, Payload, QueueName, Seq, Signalling, Storage, StorageExt as _, Tally,
    Timestamp, WholeJob,
    lifecycle::{Event, OnProcessing, Policy},
};
use queue_redis::RedisStorage;
use redis::Cmd;
use std::sync::Arc;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
const FIRST: &[u8] = &[0, 0, 0, 0, 0, 1];
const SECOND: &[u8] = &[0, 0, 0, 0, 0, 2];
const STRANGE: &[u8] = &[0, 0, 0, 0, 0, 9];

fn job(id: &'static str) -> NewJob {
    NewJob::new(
        JobId::from_static(id),
        Kind::unnamed(),
        Payload::new("x", ContentType::from_static("text/plain")),
    )
}

fn gated(needs: u64) -> NewJob {
    job("sum").with_gate(NewGate { needs, is_sealed: true, timeout: None })
}

fn member(id: &'static str) -> NewJob {
    job(id).with_end_signals([EndSignal { raises: true, ..EndSignal::to(JobId::from_static("sum")) }])
}

async fn open(url: &str) -> (Space, RedisStorage, QueueName) {
    let clock = Some(Arc::new(ManualClock::new(NOW)) as Arc<_>);
    let space = Space { url: url.to_owned(), namespace: fresh_namespace(), clock };
    let store = RedisStorage::open(space.options()).await.expect("it opens");
    (space, store, QueueName::from_static("q"))
}

async fn meta(store: &RedisStorage, queue: &QueueName, id: &'static str) -> JobMeta {
    let read = store.get(queue, &[JobId::from_static(id)], Detail::Meta).await.expect("it reads");
    read.value.into_iter().flatten().next().expect("it is there").meta
}

async fn cancel(store: &RedisStorage, queue: &QueueName, id: &'static str) {
    let job = meta(store, queue, id).await;
    let event = Event::Cancel { processing: OnProcessing::Leave };
    store.change(queue, &job.id, event, &Policy::default()).await.expect("it is cancelled");
}

/// Lua's numbers are exact up to 2^53 only.
#[tokio::test]
async fn a_gate_needs_any_number_exactly_and_no_more_than_there_are() {
    let Some(url) = REDIS.url() else { return };
    for (needs, raised) in [
        (u32::MAX.into(), 1 << 32),
        ((1 << 53) - 1, 1 << 53),
        (1 << 53, (1 << 53) + 1),
        ((1 << 53) + 1, (1 << 53) + 2),
        (u64::MAX - 1, u64::MAX),
        (u64::MAX, u64::MAX),
    ] {
        let (space, store, queue) = open(&url).await;
        store.enqueue(&queue, vec![vec![gated(needs), member("a")]]).await.expect("it enqueues");
        let gate = |meta: JobMeta| *meta.gate.expect("it has one");
        assert_eq!(gate(meta(&store, &queue, "sum").await).needs, raised);
        cancel(&store, &queue, "a").await;
        let counted = gate(meta(&store, &queue, "sum").await);
        assert_eq!((counted.needs, counted.signals, counted.closed_at), (raised, 1, Some(0)));
        clean_up(&space.url, &space.namespace).await.expect("it cleans up");
    }
}

fn whole(new: NewJob, signalling: Signalling, gate: Option<Gate>) -> WholeJob {
    let meta = JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(7), NOW);
    let meta = JobMeta { signalling, gate: gate.map(Box::new), ..meta };
    WholeJob { meta, body: JobBody::begin(new), attempts: Vec::new() }
}

/// Signals of a copy go by the id to a job that comes later; even to one that follows a settle of
/// the same call.
#[tokio::test]
async fn signals_of_a_copy_find_the_jobs_that_have_their_ids() {
    let Some(url) = REDIS.url() else { return };
    let (space, store, queue) = open(&url).await;
    let tally = Tally { completed: 1 << 46, failed: 1 << 45, cancelled: 1 << 45 };
    let gate = Gate { needs: 9, signals: 1 << 47, tally, ..Gate::default() };
    let known = EndSignal::to(JobId::from_static("known"));
    let early = EndSignal { life: Some(Seq::new(3)), ..EndSignal::to(JobId::from_static("sum")) };
    let jobs = vec![
        whole(job("known"), Signalling::None, Some(gate)),
        whole(job("a").with_end_signals([known, early]), Signalling::Owed(2), None),
        whole(
            job("b").with_end_signals([EndSignal::to(JobId::from_static("sum"))]),
            Signalling::Owed(1),
            None,
        ),
    ];
    let request = ImportRequest { queue: queue.clone(), after: Seq::new(0), jobs };
    let imported = store.import(request).await.expect("it imports").value;
    assert!(imported.iter().all(Imported::is_new), "{imported:?}");
    let read = store.get(&queue, &[JobId::from_static("a")], Detail::Full).await.expect("it reads");
    let signals =
        read.value[0].as_ref().and_then(|job| job.body.as_ref()).expect("whole").end_signals.clone();
    let known_life = meta(&store, &queue, "known").await.seq;
    assert_eq!(signals.iter().map(|signal| signal.life).collect::<Vec<_>>(), [Some(known_life), None]);

    store.enqueue(&queue, vec![vec![gated(2)]]).await.expect("it enqueues");
    cancel(&store, &queue, "a").await;
    let [known, sum] = [meta(&store, &queue, "known").await, meta(&store, &queue, "sum").await];
    assert_eq!(known.gate.expect("it has one").tally.cancelled, (1 << 45) + 1);
    assert_eq!((sum.gate.expect("it has one").signals, sum.revision), (1, 1));
    cancel(&store, &queue, "b").await;
    let sum = meta(&store, &queue, "sum").await;
    assert_eq!((sum.run_at, sum.revision), (NOW, 2));
    assert_eq!(store.verify().await.expect("it looks"), Vec::<String>::new());
    clean_up(&space.url, &space.namespace).await.expect("it cleans up");
}

fn damages(key: impl Fn(&str) -> String) -> Vec<(Cmd, &'static str)> {
    let command = |name: &str, part: &str, args: &[&[u8]]| {
        let mut command = redis::cmd(name);
        command.arg(key(part)).arg(args);
        command
    };
    let until = &1_700_000_000_000_u64.to_be_bytes()[2..];
    let gated = |seq: &[u8]| [b"\x07", until, seq, b"\x80\0"].concat();
    let signals = [SECOND, b"r"].concat();
    vec![
        (command("HDEL", "meta", &[b"paused"]), "that no claim looks at"),
        (command("DEL", "listed", &[]), "stands in 0 of ready"),
        (command("ZADD", "listed", &[b"0", &gated(SECOND)]), "its gate says otherwise"),
        (command("ZADD", "listed", &[b"0", &gated(STRANGE)]), "which no record has"),
        (command("HDEL", "outcome", &[&signals]), "outcome and the records differ"),
        (command("HSET", "outcome", &[&signals, b""]), "has other end signals than it owes"),
        (command("HSET", "outcome", &[&signals, b"rubbish"]), "has end signals that cannot be read"),
        (command("HSET", "outcome", &[&[FIRST, b"r"].concat(), b""]), "outcome and the records differ"),
    ]
}

#[tokio::test]
async fn every_kind_of_damage_to_gates_is_found() {
    let Some(url) = REDIS.url() else { return };
    let client = redis::Client::open(url.as_str()).expect("a URL");
    let mut server = connect(&client).await.expect("it connects");
    for number in 0..damages(str::to_owned).len() {
        let (space, store, queue) = open(&url).await;
        let answers =
            store.enqueue(&queue, vec![vec![gated(1), member("a")]]).await.expect("it enqueues").value;
        assert!(answers.iter().flatten().all(Enqueued::is_new));
        assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
        let key = |part: &str| format!("{}:{{q}}:{part}", space.namespace);
        let (damage, words) = damages(key).swap_remove(number);
        damage.query_async::<redis::Value>(&mut server).await.expect("the damage is done");
        let findings = store.verify().await.expect("it verifies");
        assert!(findings.iter().any(|finding| finding.contains(words)), "{number}, {words}: {findings:?}");
        clean_up(&url, &space.namespace).await.expect("it cleans up");
    }
}
