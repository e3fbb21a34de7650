//! A schedule that is paused, resumed and removed beside programs that declare it, each with rules
//! of its own: it is there at every moment, so no change may be answered as missing.
//!
//! `QUEUE_TESTKIT_CHANGES=1000` makes as many changes of each kind, instead of 20, and prints the
//! answers.

use queue::{
    Change, ErrorKind, Queue, Result, SqliteOptions, SqliteStorage, Storage,
    schedules::{Put, Schedule, Timing},
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
use tokio::task::JoinSet;

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
    let mut changed = 0;
    for n in 0.. {
        if is_over.load(Ordering::SeqCst) {
            break;
        }
        match queue.schedules().put(&every(first + n % 2)).await {
            Ok(put) => changed += usize::from(put != Put::Unchanged),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
        }
    }
    changed
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

async fn is_paused(queue: &Queue<String>) -> bool {
    let status = queue.schedules().get(NAME).await.expect("it reads");
    status.expect("it is there at every moment").is_paused()
}

async fn changes(queue: &Queue<String>) -> BTreeMap<&'static str, Answers> {
    let mut answers: BTreeMap<&str, Answers> = BTreeMap::new();
    let count = env::var(CHANGES).map_or(20, |text| text.parse().expect("a number"));
    for _ in 0..count {
        let paused = answers.entry("pause").or_default();
        if paused.note(queue.schedules().pause(NAME).await) && !is_paused(queue).await {
            paused.wrong.push("it goes on".to_owned());
        }
        let resumed = answers.entry("resume").or_default();
        if resumed.note(queue.schedules().resume(NAME).await) && is_paused(queue).await {
            resumed.wrong.push("it is still paused".to_owned());
        }
        answers.entry("remove").or_default().note(queue.schedules().remove(NAME).await);
        // Who makes it again does not matter.
        while queue.schedules().get(NAME).await.expect("it reads").is_none() {
            match queue.schedules().put(&every(1)).await {
                Ok(_) => {}
                Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
            }
        }
    }
    answers
}

async fn race(of: &str, handles: [Arc<dyn Storage>; 3]) {
    let [changer, declarers @ ..] = handles.map(reports);
    changer.schedules().put(&every(1)).await.expect("stored");
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
