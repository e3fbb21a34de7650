//! A schedule that is paused, resumed and removed beside programs that declare it, each with rules
//! of its own: it is there at every moment, so no change may be answered as missing. The store may
//! be behind a service, which stands still now and then.
//!
//! `QUEUE_TESTKIT_CHANGES=1000` makes as many changes of each kind, instead of 20, and prints the
//! answers.

use crate::served::Served;
use queue::{
    Certainty, Change, ErrorKind, Queue, Result, SqliteOptions, SqliteStorage, Storage,
    schedules::{Put, Schedule, ScheduleStatus, Timing},
};
use std::{
    collections::BTreeMap,
    env,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{task::JoinSet, time::sleep};

const NAME: &str = "report";
const CHANGES: &str = "QUEUE_TESTKIT_CHANGES";
const HOUR: Duration = Duration::from_hours(1);

fn reports(store: Arc<dyn Storage>) -> Queue<String> {
    Queue::new(store, "reports").expect("valid")
}

fn every(hours: u32) -> Schedule<String> {
    Schedule::new(NAME, Timing::every(hours * HOUR).expect("a period"), "sales".to_owned())
}

/// Declares the schedule in two versions in turns, until it is told to stop, and returns how often
/// that changed something.
async fn declare(queue: Queue<String>, is_over: Arc<AtomicBool>, first: u32) -> usize {
    let (schedules, mut changed) = (queue.schedules(), 0);
    for n in 0.. {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        let version = every(first + n % 2);
        match insisted(|| schedules.put(&version)).await.0 {
            Ok(put) => changed += usize::from(put != Put::Unchanged),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
        }
    }
    changed
}

/// The answer to a call that is made again while the store stands still, and whether an earlier try
/// may have been carried out.
async fn insisted<T, F: Future<Output = Result<T>>>(call: impl Fn() -> F) -> (Result<T>, bool) {
    let mut in_doubt = false;
    loop {
        match call().await {
            Err(error) if error.kind() == ErrorKind::Unavailable => {
                in_doubt |= error.certainty() == Certainty::Unknown;
            }
            answer => return (answer, in_doubt),
        }
    }
}

/// The answers to the changes of one kind.
#[derive(Debug, Default, PartialEq, Eq)]
struct Answers {
    done: usize,
    /// The bound of tries was reached, which says to try again.
    conflicts: usize,
    wrong: Vec<String>,
}

impl Answers {
    /// Counts an answer, and says whether the change is done.
    fn note(&mut self, answer: Result<Change>) -> bool {
        let is_done = matches!(answer, Ok(Change::Done));
        match answer {
            Ok(Change::Done) => self.done += 1,
            Err(error) if error.kind() == ErrorKind::Conflict => self.conflicts += 1,
            other => self.wrong.push(format!("{other:?}")),
        }
        is_done
    }
}

async fn read(queue: &Queue<String>) -> Option<ScheduleStatus> {
    let schedules = queue.schedules();
    insisted(|| schedules.get(NAME)).await.0.expect("it reads")
}

async fn is_paused(queue: &Queue<String>) -> bool {
    read(queue).await.expect("it is there at every moment").is_paused()
}

async fn changes(queue: &Queue<String>) -> BTreeMap<&'static str, Answers> {
    let (schedules, first) = (queue.schedules(), every(1));
    let mut answers: BTreeMap<&str, Answers> = BTreeMap::new();
    let count = env::var(CHANGES).map_or(20, |text| text.parse().expect("a number"));
    for _ in 0..count {
        let paused = answers.entry("pause").or_default();
        let answer = insisted(|| schedules.pause(NAME)).await.0;
        if paused.note(answer) && !is_paused(queue).await {
            paused.wrong.push("it goes on".to_owned());
        }
        let resumed = answers.entry("resume").or_default();
        let answer = insisted(|| schedules.resume(NAME)).await.0;
        if resumed.note(answer) && is_paused(queue).await {
            resumed.wrong.push("it is still paused".to_owned());
        }
        let (answer, in_doubt) = insisted(|| schedules.remove(NAME)).await;
        let by_the_try_before = in_doubt && matches!(answer, Ok(Change::Missing));
        let answer = if by_the_try_before { Ok(Change::Done) } else { answer };
        answers.entry("remove").or_default().note(answer);
        // Who makes it again does not matter.
        while read(queue).await.is_none() {
            match insisted(|| schedules.put(&first)).await.0 {
                Ok(_) => {}
                Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
            }
        }
    }
    answers
}

async fn race(of: &str, handles: [Arc<dyn Storage>; 3]) {
    let [changer, declarers @ ..] = handles.map(reports);
    let (schedules, first) = (changer.schedules(), every(1));
    insisted(|| schedules.put(&first)).await.0.expect("stored");
    let (is_over, mut declaring) = (Arc::new(AtomicBool::new(false)), JoinSet::new());
    for (declarer, first) in declarers.into_iter().zip([2, 4]) {
        declaring.spawn(declare(declarer, is_over.clone(), first));
    }
    let answers = changes(&changer).await;
    is_over.store(true, Ordering::SeqCst);
    let declared: usize = declaring.join_all().await.into_iter().sum();
    if env::var(CHANGES).is_ok() {
        println!("{of}: beside {declared} changed declarations: {answers:?}");
    }
    assert!(declared > 0, "the declarers never came between");
    assert!(answers.values().all(|answers| answers.wrong.is_empty()), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_schedule_in_a_file_is_never_missing_beside_its_declarers() {
    let directory = tempfile::tempdir().expect("a directory");
    let open = async || {
        let options = SqliteOptions::new(directory.path().join("jobs.db"));
        Arc::new(SqliteStorage::open(options).await.expect("opens")) as Arc<dyn Storage>
    };
    race("sqlite", [open().await, open().await, open().await]).await;
}

/// A server that is silent for longer than this is taken for gone.
const SILENCE_MAX: Duration = Duration::from_millis(300);

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_schedule_behind_a_service_is_never_missing_beside_its_declarers() {
    let served = Served::start();
    let open = async || served.open(Duration::from_secs(30)).await;
    race("service", [open().await, open().await, open().await]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nor_is_it_where_the_service_stands_still_now_and_then() {
    let served = Served::start();
    let open = async || served.open(SILENCE_MAX).await;
    let handles = [open().await, open().await, open().await];
    let stands_still = async {
        loop {
            sleep(SILENCE_MAX).await;
            served.stop();
            sleep(2 * SILENCE_MAX).await;
            served.go_on();
        }
    };
    tokio::select! {
        () = race("service that stands still", handles) => {}
        () = stands_still => {}
    }
}
