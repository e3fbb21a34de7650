//! A slot that moves from node to node while its queue is in use.

use super::{LASTS, load::Load, verdict::Verdict};
use crate::harness::{CLUSTER, Space, clean_up, fresh_namespace, masters};
use futures_util::future::join;
use queue_core::{
    Certainty, Changed, ClaimRequest, ClaimedJob, ContentType, EndSignal, JobId, Kind, Limit, LimitScope,
    NewGate, NewJob, Partition, Payload, Prune, PruneRequest, QueueName, Span, Storage as _, StorageExt as _,
    SystemRng, WorkerId,
    lifecycle::{Event, Policy},
};
use queue_redis::{RedisOptions, RedisStorage};
use redis::{ConnectionAddr, IntoConnectionInfo, aio::MultiplexedConnection};
use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};
use tokio::{
    sync::Mutex,
    time::{Instant, sleep},
};

/// Rounds of jobs that are to meet moves.
const ROUNDS_MIN: usize = 4;
/// How often a call is refused at most.
const REFUSALS_MAX: usize = 10;

/// Loads have queues of one name, so they are in one slot.
static MOVES: Mutex<()> = Mutex::const_new(());

/// A master of the Cluster.
struct Node {
    connection: MultiplexedConnection,
    id: String,
    host: String,
    port: u16,
}

/// All masters, and the login.
struct Nodes {
    masters: Vec<Node>,
    login: Option<(String, String)>,
}

impl Nodes {
    async fn of(url: &str) -> Self {
        let mut connections = masters(url).await.expect("the nodes can be reached").into_iter();
        let (_, place) = url.split_once("://").expect("a URL");
        let (login, hosts) =
            place.rsplit_once('@').map_or((None, place), |(login, hosts)| (Some(login), hosts));
        let login = login.and_then(|login| login.split_once(':'));
        let mut all = Vec::new();
        for host in hosts.split(',') {
            let info = format!("redis://{host}").into_connection_info().expect("an address");
            let ConnectionAddr::Tcp(host, port) = info.addr().clone() else { panic!("no address: {host}") };
            let mut connection = connections.next().expect("one for each");
            let id = redis::cmd("CLUSTER").arg("MYID").query_async(&mut connection).await.expect("an id");
            all.push(Node { connection, id, host, port });
        }
        let login = login.map(|(user, password)| (user.to_owned(), password.to_owned()));
        Self { masters: all, login }
    }

    /// The node that owns a slot.
    async fn owner(&mut self, slot: u16) -> usize {
        let text: String = redis::cmd("CLUSTER")
            .arg("NODES")
            .query_async(&mut self.masters[0].connection)
            .await
            .expect("a list");
        let has = |line: &&str| {
            line.split(' ').skip(8).any(|range| {
                let (from, to) = range.split_once('-').unwrap_or((range, range));
                matches!((from.parse::<u16>(), to.parse::<u16>()), (Ok(from), Ok(to)) if (from..=to).contains(&slot))
            })
        };
        let id = text.lines().find(has).and_then(|line| line.split(' ').next()).expect("somebody has it");
        self.masters.iter().position(|node| node.id == id).expect("it is one of them")
    }

    /// Moves a slot as `redis-cli --cluster reshard` does: key by key, with the slot open on both
    /// sides meanwhile.
    async fn move_slot(&mut self, slot: u16, from: usize, to: usize) {
        let (from_id, to_id) = (self.masters[from].id.clone(), self.masters[to].id.clone());
        self.set_slot(to, slot, &["IMPORTING", &from_id]).await;
        self.set_slot(from, slot, &["MIGRATING", &to_id]).await;
        loop {
            let keys: Vec<String> = redis::cmd("CLUSTER")
                .arg("GETKEYSINSLOT")
                .arg(slot)
                .arg(1)
                .query_async(&mut self.masters[from].connection)
                .await
                .expect("keys");
            let Some(key) = keys.first() else { break };
            self.move_key(key, from, to).await;
        }
        self.set_slot(to, slot, &["NODE", &to_id]).await;
        self.set_slot(from, slot, &["NODE", &to_id]).await;
    }

    async fn set_slot(&mut self, node: usize, slot: u16, what: &[&str]) {
        let mut command = redis::cmd("CLUSTER");
        command.arg("SETSLOT").arg(slot).arg(what);
        command.query_async::<()>(&mut self.masters[node].connection).await.expect("the slot is set");
    }

    async fn move_key(&mut self, key: &str, from: usize, to: usize) {
        let mut command = redis::cmd("MIGRATE");
        command.arg(&self.masters[to].host).arg(self.masters[to].port).arg(key).arg(0).arg(5_000);
        if let Some((user, password)) = &self.login {
            command.arg("AUTH2").arg(user).arg(password);
        }
        // The key may have disappeared in between, with its last member.
        command.query_async::<String>(&mut self.masters[from].connection).await.expect("the key moves");
    }
}

/// A script never sees a part of the queue's keys: it is refused, and sent again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_queue_that_moves_to_other_nodes_breaks_no_invariant() {
    let Some(url) = CLUSTER.url() else { return };
    during_moves(&url, |load| load).await.assert_clean();
}

/// What claims set aside and bring back empties indexes and fills them again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_queue_with_a_kind_that_is_paused_now_and_then_moves_too() {
    let Some(url) = CLUSTER.url() else { return };
    during_moves(&url, Load::pausing).await.assert_clean_beside_pauses();
}

/// Gates that open and time out empty the index that the jobs behind them stand in.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_queue_with_gates_moves_too() {
    let Some(url) = CLUSTER.url() else { return };
    during_rounds(&url, async |space, rounds, is_over| {
        go_through_gates(space.options(), rounds, is_over).await;
    })
    .await;
}

/// The last job of a partition takes all that is kept of partitions with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_queue_with_partitions_moves_too() {
    let Some(url) = CLUSTER.url() else { return };
    during_rounds(&url, async |space, rounds, is_over| {
        go_through_partitions(space.options(), rounds, is_over).await;
    })
    .await;
}

/// Moves the slot of a queue while rounds of jobs go through it.
async fn during_rounds(url: &str, go_through: impl AsyncFnOnce(&Space, &AtomicUsize, &AtomicBool)) {
    let _alone = MOVES.lock().await;
    let space = Space { url: url.to_owned(), namespace: fresh_namespace(), clock: None };
    let (rounds, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    // On a busy machine a round of jobs takes as long as many moves.
    let moves = async {
        while rounds.load(Ordering::Acquire) < ROUNDS_MIN {
            move_around(url).await;
        }
        is_over.store(true, Ordering::Release);
    };
    join(go_through(&space, &rounds, &is_over), moves).await;
    clean_up(url, &space.namespace).await.expect("it cleans up");
}

/// Moves the slot of a load from node to node, at least once round.
async fn during_moves(url: &str, change: impl FnOnce(Load) -> Load) -> Verdict {
    let _alone = MOVES.lock().await;
    let space = Space { url: url.to_owned(), namespace: fresh_namespace(), clock: None };
    let load = change(Load::start(space.options()).await);
    move_around(url).await;
    let verdict = load.finish().await;
    clean_up(url, &space.namespace).await.expect("it cleans up");
    verdict
}

async fn move_around(url: &str) {
    let mut nodes = Nodes::of(url).await;
    let slot: u16 = redis::cmd("CLUSTER")
        .arg("KEYSLOT")
        .arg("{load}")
        .query_async(&mut nodes.masters[0].connection)
        .await
        .expect("a slot");
    let home = nodes.owner(slot).await;
    let end = Instant::now() + LASTS;
    let mut moves = 0;
    let mut at = home;
    while Instant::now() < end || at != home {
        let to = (at + 1) % nodes.masters.len();
        nodes.move_slot(slot, at, to).await;
        (at, moves) = (to, moves + 1);
        sleep(Duration::from_millis(50)).await;
    }
    println!("{moves} moves");
    assert!(moves >= nodes.masters.len(), "the slot went round");
}

/// Lets two members and a time-out open gates again and again, and counts how often.
async fn go_through_gates(options: RedisOptions, rounds: &AtomicUsize, is_over: &AtomicBool) {
    let store = RedisStorage::open(options).await.expect("it opens");
    let queue = QueueName::from_static("load");
    let job = |id: &'static str| {
        let payload = Payload::new("x", ContentType::from_static("text/plain"));
        NewJob::new(JobId::from_static(id), Kind::unnamed(), payload)
    };
    let member = |id| {
        job(id).with_end_signals([EndSignal { raises: true, ..EndSignal::to(JobId::from_static("sum")) }])
    };
    let timer = NewGate { needs: 1, is_sealed: true, timeout: Some(Span::from_millis(3)) };
    let group = vec![
        job("sum").with_gate(NewGate::default()),
        member("a"),
        job("timer").with_gate(timer),
        member("b"),
    ];
    while !is_over.load(Ordering::Acquire) {
        again(|| store.enqueue(&queue, vec![group.clone()])).await;
        let mut ends = complete(&store, &queue, 3).await;
        ends.sort_unstable();
        assert_eq!(ends, ["a", "b", "timer"]);
        let (sum, policy) = (JobId::from_static("sum"), Policy::default());
        let sealed = again(|| store.change(&queue, &sum, Event::Seal, &policy)).await;
        assert!(matches!(sealed, Changed::Done(_)), "{sealed:?}");
        assert_eq!(complete(&store, &queue, 1).await, ["sum"]);
        let prune = PruneRequest { queue: queue.clone(), what: Prune::Everything, limit: 9 };
        assert_eq!(again(|| store.prune(prune.clone())).await, 4);
        rounds.fetch_add(1, Ordering::Release);
    }
    assert_eq!(store.verify().await.expect("it looks"), Vec::<String>::new());
}

/// Lets jobs of two partitions go through one slot each, some of them after a delay, and takes the
/// limit away.
async fn go_through_partitions(options: RedisOptions, rounds: &AtomicUsize, is_over: &AtomicBool) {
    let store = RedisStorage::open(options).await.expect("it opens");
    let queue = QueueName::from_static("load");
    let job = |id: &'static str, partition: &'static str| {
        let payload = Payload::new("x", ContentType::from_static("text/plain"));
        NewJob::new(JobId::from_static(id), Kind::unnamed(), payload)
            .with_partition(Partition::from_static(partition))
    };
    let group = vec![job("a0", "a"), job("a1", "a"), job("b0", "b").with_delay(Span::from_millis(3))];
    while !is_over.load(Ordering::Acquire) {
        for limit in [Some(Limit { running: Some(1), ..Limit::default() }), None] {
            let each = vec![(LimitScope::EachPartition, limit)];
            again(|| store.set_limits(&queue, each.clone())).await;
            again(|| store.enqueue(&queue, vec![group.clone()])).await;
            let mut ends = complete(&store, &queue, 3).await;
            ends.sort_unstable();
            assert_eq!(ends, ["a0", "a1", "b0"]);
            let prune = PruneRequest { queue: queue.clone(), what: Prune::Everything, limit: 9 };
            assert_eq!(again(|| store.prune(prune.clone())).await, 3);
        }
        rounds.fetch_add(1, Ordering::Release);
    }
    assert_eq!(store.verify().await.expect("it looks"), Vec::<String>::new());
}

/// On a busy machine a call may be refused for longer than the store sends it again. It has changed
/// nothing then.
async fn again<T>(call: impl AsyncFn() -> queue_core::Result<T>) -> T {
    for _ in 1..REFUSALS_MAX {
        match call().await {
            Err(refused) if refused.certainty() == Certainty::NotApplied => {}
            answer => return answer.expect("it answers"),
        }
    }
    call().await.expect("it answers")
}

/// Completes so many jobs, and answers which.
async fn complete(store: &RedisStorage, queue: &QueueName, count: usize) -> Vec<String> {
    let mut ends = Vec::new();
    while ends.len() < count {
        let worker = WorkerId::from_static("w");
        let request = ClaimRequest::new(queue.clone(), worker, 9, Span::from_secs(900), &SystemRng);
        for ClaimedJob { record, token } in again(|| store.claim(request.clone())).await.jobs {
            let result = Payload::new("1", ContentType::from_static("text/plain"));
            let event = Event::Complete { token, result, retention: None, then: Vec::new() };
            let policy = Policy::default();
            let settled = again(|| store.settle(&record.meta, event.clone(), &policy)).await;
            assert!(matches!(settled, Changed::Done(_)), "{settled:?}");
            ends.push(record.meta.id.to_string());
        }
        sleep(Duration::from_millis(1)).await;
    }
    ends
}
