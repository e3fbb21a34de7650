//! The idle callers of the test: a worker, a pull, a wait, a candidate and a caller that wants a
//! permit.

use crate::{counting::Counting, named};
use queue::{
    Outcome, Queue, Settled, Storage,
    worker::{Context, Leadership, Permits, Router, Term},
};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::{sync::mpsc, task::JoinSet};

/// Longer than any test: what comes sooner came by a hint.
const FAR: Duration = Duration::from_hours(1);

/// Much longer than any hint takes, on any machine.
const NEVER: Duration = Duration::from_mins(1);

type Numbers = Queue<u64, u64>;

/// The waiting callers, each on its own queue, and the means to end their waits.
pub(crate) struct Askers {
    of_worker: String,
    of_pull: String,
    of_wait: String,
    leader: Term,
    /// The callers that have got what they wait for.
    heard: mpsc::Receiver<&'static str>,
    tasks: JoinSet<()>,
}

impl Askers {
    /// Starts all callers on one handle. The other handle holds what is in their way.
    pub(crate) async fn start(busy: &Arc<dyn Storage>, counting: Arc<Counting>) -> Self {
        let idle: Arc<dyn Storage> = counting.clone();
        let [of_worker, of_pull, of_wait, election, limit] =
            ["worker", "pull", "wait", "election", "permits"].map(named);
        let leader = candidate(busy, &election).acquire().await.expect("nobody else stands");
        one_permit(busy, &limit).acquire().await.expect("it is there").start().await.expect("it is held");
        numbers(busy, &of_wait).enqueue("awaited", 7).await.expect("stored");
        let (tell, heard) = mpsc::channel(16);
        let mut tasks = JoinSet::new();
        tasks.spawn(work(idle.clone(), of_worker.clone(), tell.clone()));
        tasks.spawn(pull(idle.clone(), of_pull.clone(), tell.clone()));
        tasks.spawn(wait(idle.clone(), of_wait.clone(), tell.clone()));
        tasks.spawn(stand(idle.clone(), election, tell));
        tasks.spawn(async move { drop(one_permit(&idle, &limit).acquire().await) });
        // Each caller has asked once before anything is counted.
        while counting.questions().len() < 5 {
            tokio::task::yield_now().await;
        }
        Self { of_worker, of_pull, of_wait, leader, heard, tasks }
    }

    /// Gives each caller what it waits for, through the busy handle. Hints bring it, since most
    /// callers would poll only after the test.
    pub(crate) async fn hear_of_their_own(mut self, busy: &Arc<dyn Storage>) {
        numbers(busy, &self.of_worker).enqueue("own", 1).await.expect("stored");
        numbers(busy, &self.of_pull).enqueue("own", 1).await.expect("stored");
        let awaited = numbers(busy, &self.of_wait).dequeue(FAR).await.expect("it claims").expect("it is due");
        assert_eq!(awaited.ack(&8).await.expect("it settles"), Settled::Done);
        self.leader.resign().await;
        let mut waiting = BTreeSet::from(["worker", "pull", "wait", "candidate"]);
        while !waiting.is_empty() {
            let heard = tokio::time::timeout(NEVER, self.heard.recv()).await;
            let heard = heard.unwrap_or_else(|_| panic!("a hint is lost: {waiting:?} still wait"));
            waiting.remove(heard.expect("somebody still waits"));
        }
        self.tasks.shutdown().await;
    }
}

type Tell = mpsc::Sender<&'static str>;

async fn work(store: Arc<dyn Storage>, queue: String, tell: Tell) {
    let done = move |n: u64, _: Context| {
        let tell = tell.clone();
        async move {
            tell.send("worker").await?;
            Ok(n)
        }
    };
    let router = Router::new(()).handle("default", done).expect("one handler");
    let worker = numbers(&store, &queue).worker(router).poll_interval(FAR).build().expect("valid settings");
    worker.run().await;
}

async fn pull(store: Arc<dyn Storage>, queue: String, tell: Tell) {
    let delivery = numbers(&store, &queue).dequeue(FAR).await.expect("it claims").expect("it comes");
    assert_eq!(delivery.ack(&0).await.expect("it settles"), Settled::Done);
    tell.send("pull").await.expect("the test listens");
}

async fn wait(store: Arc<dyn Storage>, queue: String, tell: Tell) {
    let outcome = numbers(&store, &queue).wait("awaited", FAR).await.expect("it reads");
    assert!(matches!(outcome, Outcome::Completed(8)), "{outcome:?}");
    tell.send("wait").await.expect("the test listens");
}

async fn stand(store: Arc<dyn Storage>, election: String, tell: Tell) {
    candidate(&store, &election).acquire().await.expect("it stands").resign().await;
    tell.send("candidate").await.expect("the test listens");
}

fn numbers(store: &Arc<dyn Storage>, queue: &str) -> Numbers {
    Queue::builder(store.clone(), queue).build().expect("valid")
}

fn candidate(store: &Arc<dyn Storage>, election: &str) -> Leadership {
    let builder = Leadership::builder(store.clone(), election).expect("a name");
    builder.lease(FAR).poll_interval(FAR).build().expect("valid settings")
}

fn one_permit(store: &Arc<dyn Storage>, limit: &str) -> Permits {
    Permits::builder(store.clone(), limit, 1, FAR).poll_interval(FAR).build().expect("valid settings")
}
