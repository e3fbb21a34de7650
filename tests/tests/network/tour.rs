//! A tour of a store's calls from two handles: work, listings, counts, presence, leadership and
//! pruning.

use futures_util::StreamExt;
use queue::{
    Prune, Queue, State, Storage, open,
    queue_core::{EventStream, Hint, Interest, PruneRequest, WorkerInfo},
    worker::{Leadership, Router, Worker},
};
use std::{fmt::Debug, process, sync::Arc, time::Duration};
use tokio::time::timeout;

/// Longer than any wait unless something is lost.
const LOST: Duration = Duration::from_secs(30);
const JOBS: u32 = 20;
const TRIES_MAX: u32 = 5;

/// A store as two programs have it open.
pub(crate) struct Tour {
    near: Arc<dyn Storage>,
    far: Arc<dyn Storage>,
    jobs: Queue<u32, u32>,
}

impl Tour {
    /// Opens the store twice. A failed run may have left jobs on the server, so each run has its
    /// own queues.
    pub(crate) async fn begin(url: &str, queue: &str) -> Self {
        let (near, far) = (open(url).await.expect("it opens"), open(url).await.expect("it opens"));
        let jobs = Queue::new(near.clone(), format!("{queue}-{}", process::id())).expect("a name");
        Self { near, far, jobs }
    }

    /// Lets a worker do jobs that the other program enqueues, waits for and gets hints of.
    pub(crate) async fn work(&self, turn: u32) {
        let subscribe = async || self.near.subscribe(self.jobs.name(), Interest::All).await;
        let mut hints = at_last(subscribe).await;
        let worker = self.worker();
        let stop = worker.stop_token();
        let ordered = async {
            let far: Queue<u32, u32> =
                Queue::new(self.far.clone(), self.jobs.name().as_str()).expect("a name");
            for number in 0..JOBS {
                let id = format!("{turn}-{number}");
                let result = at_last(async || far.enqueue_and_wait(id.as_str(), number, LOST).await).await;
                assert_eq!(result, number + 1);
            }
            stop.cancel();
        };
        // These run concurrently, since a hint that was not taken yet stands for later ones.
        let (report, (), ()) = tokio::join!(worker.run(), ordered, heard(&mut hints));
        assert!(report.error.is_none(), "{report:?}");
    }

    /// Makes all other calls of a program or an operator.
    pub(crate) async fn look_around(&self) {
        let jobs = &self.jobs;
        let _held = jobs.enqueue("later", 1).await.expect("it enqueues");
        jobs.pause().await.expect("it pauses");
        jobs.resume().await.expect("it resumes");
        let listed = jobs.jobs().page().await.expect("it lists").jobs;
        assert!(listed.iter().any(|job| job.id.as_str() == "later"), "{listed:?}");
        let counts = jobs.counts().await.expect("it counts");
        assert_eq!(counts.of(State::Queued), 1, "{counts:?}");
        let info = self.worker_info();
        self.near.announce(info.clone(), LOST).await.expect("it announces");
        assert!(self.far.workers().await.expect("it lists workers").contains(&info));
        self.near.announce(info, Duration::ZERO).await.expect("it retires");
        assert_eq!(self.near.verify().await.expect("it verifies"), Vec::<String>::new());
        self.lead().await;
        assert!(jobs.prune_all(Prune::Everything).await.expect("it prunes") > 0);
    }

    pub(crate) async fn end(self) {
        self.near.close().await.expect("it closes");
        self.far.close().await.expect("it closes");
    }

    async fn lead(&self) {
        let leadership = Leadership::builder(self.far.clone(), self.jobs.name().as_str()).expect("a name");
        let leadership = leadership.build().expect("valid");
        let term = timeout(LOST, leadership.acquire()).await.expect("nobody else leads").expect("it leads");
        assert!(term.confirm().await.expect("it still leads"));
        term.resign().await;
        let all = PruneRequest { queue: leadership.queue().clone(), what: Prune::Everything, limit: 10 };
        self.near.prune(all).await.expect("it prunes");
    }

    fn worker(&self) -> Worker {
        let router = Router::new(()).handle("default", async |number: u32, _| Ok(number + 1));
        self.jobs.worker(router.expect("one handler")).build().expect("valid")
    }

    fn worker_info(&self) -> WorkerInfo {
        let id = queue::WorkerId::new(format!("tour of {}", self.jobs.name())).expect("an id");
        WorkerInfo { queues: vec![self.jobs.name().clone()], host: "here".to_owned(), ..WorkerInfo::new(id) }
    }
}

/// Runs the whole tour.
pub(crate) async fn tour(url: &str, queue: &str) {
    let tour = Tour::begin(url, queue).await;
    tour.work(0).await;
    tour.look_around().await;
    tour.end().await;
}

/// Repeats a call after a failure, as programs whose connections may be cut do: the first call
/// notices the cut.
async fn at_last<T, E: Debug>(mut call: impl AsyncFnMut() -> Result<T, E>) -> T {
    for _ in 1..TRIES_MAX {
        if let Ok(answer) = call().await {
            return answer;
        }
    }
    call().await.expect("it answers at last")
}

/// Waits for a hint that says more than that some may be missing.
async fn heard(hints: &mut EventStream) {
    let heard = async { while hints.next().await.expect("the handle is open") == Hint::Missed {} };
    timeout(LOST, heard).await.expect("a change was heard");
}
