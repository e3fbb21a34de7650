//! A runtime on a thread of its own, which has calls under way and does not go on with them.

use super::subscribe;
use crate::bench::prelude::*;
use futures_util::{
    FutureExt,
    future::{BoxFuture, join_all},
};
use queue_core::{ClaimedJob, Detail, EventReach, EventStream, Interest, ListQuery, Result};
use std::{
    sync::mpsc,
    thread::{self, JoinHandle},
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::oneshot,
    task::yield_now,
};

/// How often each kind of call is under way. The second may wait for the first, and a task of the
/// runtime may have taken both over.
pub(super) const CLAIMS: usize = 2;

/// The queue of the streams, where nothing else happens.
pub(super) const QUIET: &str = "quiet";
/// The turns of the tasks that calls have started.
const TURNS: usize = 4;

/// A call of the other runtime.
pub(super) type Call = BoxFuture<'static, Result<()>>;

/// How the other runtime ends once it has calls under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// A task blocks its thread until the case goes on with it.
    Blocked,
    /// It is not driven until then.
    Kept,
    /// It is shut down, and leaves its calls to the case.
    Ended,
    /// It is not driven until then, and leaves its calls to the case.
    Robbed,
}

/// What the other runtime did before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Past {
    /// Nothing: its first calls are under way.
    Fresh,
    /// Calls were answered, so it has connections, and a stream of hints if the store sends any.
    Busy,
}

impl Past {
    pub(super) const ALL: [Self; 2] = [Self::Fresh, Self::Busy];
}

/// A runtime on a thread of its own.
pub(super) struct OtherRuntime {
    resume: mpsc::Sender<()>,
    has_ended: oneshot::Receiver<()>,
    thread: JoinHandle<()>,
}

impl OtherRuntime {
    /// Starts it, and waits until its calls are under way and its fate has come. Answers the calls
    /// that it leaves to the case.
    pub(super) async fn start(bench: &Bench, past: Past, held: &ClaimedJob, fate: Fate) -> (Self, Vec<Call>) {
        let (bench, held) = (bench.clone(), held.clone());
        let (stands, has_come) = oneshot::channel();
        let (resume, resumed) = mpsc::channel();
        let (ended, has_ended) = oneshot::channel::<()>();
        let pause = Pause { stands, resumed };
        let live = move || {
            // Dropped in the end, with any outcome.
            let _ended = ended;
            live(&bench, past, &held, fate, pause);
        };
        let named = thread::Builder::new().name("other runtime".to_owned());
        let thread = named.spawn(live).expect("the system gives threads");
        let taken = has_come.await.expect("its calls begin");
        (Self { resume, has_ended, thread }, taken)
    }

    /// Lets it go on, and waits until its calls are answered. This runtime goes on meanwhile.
    pub(super) async fn end(self) {
        self.resume.send(()).expect("it waits for this");
        // Nothing is sent: the sender is dropped.
        drop(self.has_ended.await);
        self.thread.join().expect("its calls are answered");
    }
}

/// Where the other runtime stands still.
struct Pause {
    stands: oneshot::Sender<Vec<Call>>,
    resumed: mpsc::Receiver<()>,
}

impl Pause {
    /// Blocks the thread until the case lets it go on, or is over.
    fn take(self, left: Vec<Call>) {
        drop(self.stands.send(left));
        // An error means that the case is over.
        let _resumed = self.resumed.recv();
    }
}

/// The thread of the other runtime.
fn live(bench: &Bench, past: Past, held: &ClaimedJob, fate: Fate, pause: Pause) {
    let runtime = runtime();
    let (streams, calls) = runtime.block_on(begin(bench, past, held));
    match fate {
        Fate::Blocked => runtime.block_on(async {
            pause.take(Vec::new());
            answered(calls).await;
        }),
        Fate::Kept => {
            pause.take(Vec::new());
            runtime.block_on(answered(calls));
        }
        Fate::Ended => {
            drop(runtime);
            pause.take(calls);
        }
        Fate::Robbed => {
            pause.take(calls);
            runtime.block_on(async {
                bench.counts().await;
                bench.state("none").await;
            });
        }
    }
    drop(streams);
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("the system has room for it")
}

/// Begins calls of each kind.
async fn begin(bench: &Bench, past: Past, held: &ClaimedJob) -> (Vec<EventStream>, Vec<Call>) {
    let mut streams = Vec::new();
    if past == Past::Busy {
        bench.counts().await;
        bench.state("none").await;
        if sends_hints(bench) {
            streams.push(subscribe(&bench.on_queue(QUIET), Interest::Wake).await);
        }
    }
    let calls: Vec<_> = (0..CLAIMS).flat_map(|n| calls(bench, held, n)).filter_map(under_way).collect();
    if past == Past::Busy {
        // Tasks that serve the calls begin too.
        for _ in 0..TURNS {
            yield_now().await;
        }
    }
    (streams, calls)
}

fn sends_hints(bench: &Bench) -> bool {
    bench.store().capabilities().events != EventReach::None
}

/// A call of each kind.
fn calls(bench: &Bench, held: &ClaimedJob, n: usize) -> Vec<Call> {
    let (store, queue) = (bench.store(), bench.queue().clone());
    let (new, request) = (vec![vec![job(&format!("other-{n}"))]], bench.request(1));
    let beat = decided(&held.record.meta, extend(held.token, KEPT));
    let query = ListQuery::all(queue.clone(), 1);
    let on_store = || (store.clone(), queue.clone());
    let mut calls: Vec<Call> = Vec::new();
    let (on, into) = on_store();
    calls.push(async move { on.enqueue(&into, new).await.map(drop) }.boxed());
    let (on, _) = on_store();
    calls.push(async move { on.claim(request).await.map(drop) }.boxed());
    let (on, _) = on_store();
    calls.push(async move { on.apply(vec![beat]).await.map(drop) }.boxed());
    let (on, of) = on_store();
    calls.push(async move { on.get(&of, &[id("none")], Detail::Meta).await.map(drop) }.boxed());
    let (on, _) = on_store();
    calls.push(async move { on.list(query).await.map(drop) }.boxed());
    let (on, of) = on_store();
    calls.push(async move { on.counts(&of).await.map(drop) }.boxed());
    if sends_hints(bench) {
        let (on, of) = (store.clone(), bench.on_queue(QUIET).queue().clone());
        calls.push(async move { on.subscribe(&of, Interest::Wake).await.map(drop) }.boxed());
    }
    calls
}

/// Begins a call. Answers it unless it is over.
fn under_way(mut call: Call) -> Option<Call> {
    let Some(answer) = (&mut call).now_or_never() else { return Some(call) };
    answer.expect("it is answered");
    None
}

async fn answered(calls: Vec<Call>) {
    for answer in join_all(calls).await {
        answer.expect("it is answered once its runtime goes on");
    }
}
