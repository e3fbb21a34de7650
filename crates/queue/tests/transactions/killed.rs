//! The process that is killed, and checks of what it leaves.

use futures_util::TryStreamExt as _;
use queue::{Queue, State};
use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

/// The variable that says to the child where its data are.
pub(crate) const CHILD: &str = "QUEUE_TRANSACTIONS_CHILD";
/// The variable that gives the child its turn, so that no id is used twice.
pub(crate) const TURN: &str = "QUEUE_TRANSACTIONS_TURN";
/// The least number of transactions that a child ends before it is killed.
const EACH: usize = 100;
const WANTED: &str = "QUEUE_TEST_TRANSACTIONS";

/// The number of transactions that must have ended.
pub(crate) fn wanted() -> usize {
    std::env::var(WANTED).map_or(300, |wanted| wanted.parse().expect("a number"))
}

/// Runs this test as a child until it has ended enough transactions, and kills it at an arbitrary
/// point. Returns how many ended.
pub(crate) fn run_and_kill(test: &str, place: &str, turn: usize, mut at: impl FnMut(usize)) -> usize {
    let mut child = Command::new(std::env::current_exe().expect("this test is a file"))
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, place)
        .env(TURN, turn.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let ended = lines.map_while(Result::ok).filter(|line| line == "ended");
    // The number differs from turn to turn, so that kills hit every point.
    let count = ended.take(EACH + turn % 17).enumerate().inspect(|(number, _)| at(*number)).count();
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    count
}

/// Reports that one transaction of the child has ended, by a commit or a rollback.
pub(crate) fn say_ended() {
    println!("ended");
}

/// Asserts that the application's rows and the queue's jobs agree one by one.
pub(crate) async fn check(queue: &Queue<u64>, mut made: Vec<String>, mut charged: Vec<String>) {
    let ids = async |states: Vec<State>| {
        let asked = states.into_iter().fold(queue.jobs(), queue::Jobs::in_state);
        let jobs: Vec<_> = asked.all().try_collect().await.expect("it lists");
        jobs.into_iter().map(|job| job.meta.id.to_string()).collect::<BTreeSet<_>>()
    };
    made.sort();
    charged.sort();
    assert_eq!(made, ids(Vec::new()).await.into_iter().collect::<Vec<_>>(), "each row has its job");
    let completed = ids(vec![State::Completed]).await;
    assert_eq!(charged, completed.into_iter().collect::<Vec<_>>(), "each completion has its row, once");
    assert_eq!(queue.storage().verify().await.expect("it verifies"), Vec::<String>::new());
}
