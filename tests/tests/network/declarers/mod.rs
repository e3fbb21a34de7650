//! A schedule that is changed beside programs that declare it, each with rules of its own: it is
//! there at every moment, so no change may be answered as missing. The store may be behind a
//! service, which stands still now and then.
//!
//! `QUEUE_TESTKIT_CHANGES=1000` makes as many changes of each kind, instead of 20, and prints the
//! answers.

mod changer;
mod stores;

use changer::Changer;
use queue::{
    Certainty, ErrorKind, Queue, Result, Storage,
    schedules::{Put, Schedule, Timing},
};
use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::task::{JoinSet, yield_now};

const NAME: &str = "report";
const CHANGES: &str = "QUEUE_TESTKIT_CHANGES";
const HOUR: Duration = Duration::from_hours(1);

fn reports(store: Arc<dyn Storage>) -> Queue<String> {
    Queue::new(store, "reports").expect("valid")
}

fn every(hours: u32) -> Schedule<String> {
    Schedule::new(NAME, Timing::every(hours * HOUR).expect("a period"), "sales".to_owned())
}

/// Declares the schedule in two versions in turns, until it is asked to stop, and returns how often
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
        // Memory answers at once, so that the loop would keep its thread, and the timers with it.
        yield_now().await;
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

async fn race(of: &str, handles: [Arc<dyn Storage>; 3]) {
    let [changer, declarers @ ..] = handles.map(reports);
    let mut changer = Changer::new(changer);
    changer.make_sure_of_it().await;
    let (is_over, mut declaring) = (Arc::new(AtomicBool::new(false)), JoinSet::new());
    for (declarer, first) in declarers.into_iter().zip([2, 4]) {
        declaring.spawn(declare(declarer, is_over.clone(), first));
    }
    let count = env::var(CHANGES).map_or(20, |text| text.parse().expect("a number"));
    for _ in 0..count {
        changer.change_each_way().await;
    }
    is_over.store(true, Ordering::SeqCst);
    let declared: usize = declaring.join_all().await.into_iter().sum();
    let answers = changer.answers();
    if env::var(CHANGES).is_ok() {
        println!("{of}: beside {declared} changed declarations: {answers:?}");
    }
    assert!(declared > 0, "the declarers never came between");
    assert!(answers.values().all(|answers| answers.wrong.is_empty()), "{answers:?}");
}
