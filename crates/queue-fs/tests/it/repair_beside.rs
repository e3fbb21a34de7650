//! A repair beside another process that has the store open and works: that process is shut out, and
//! its acknowledged jobs are saved.
//!
//! The test runs itself as that process.

use crate::common::{Place, assert_sound, enqueue, job, queue};
use queue_core::{Detail, JobId, Storage, StorageExt};
use queue_fs::{FsOptions, FsStorage, check, repair};
use std::{
    env, fs,
    io::{BufRead, BufReader},
    os::unix::fs::FileExt,
    path::Path,
    process::{Child, Command, Stdio},
};

const THIS: &str = "repair_beside::a_repair_shuts_out_another_process";
/// The environment variable that says to the other process where the store is.
const JOBS: &str = "QUEUE_FS_REPAIR_JOBS";
/// The prefix of its lines about accepted jobs.
const ACCEPTED: &str = "accepted ";
const ENDED: &str = "ended ";
/// The jobs that it has enqueued before the store is damaged.
const JOBS_BEFORE: usize = 50;
/// More jobs than the pipe holds lines from before the repair.
const JOBS_MAX: usize = 10_000;
/// An offset in the record of the first job.
const DAMAGED_AT: u64 = 150;

/// The work of the other process: it enqueues until it is refused.
async fn work(path: &Path) {
    let store = FsStorage::open(FsOptions::new(path)).await.expect("it opens");
    for n in 0_u64.. {
        let id = format!("job-{n}");
        let line = match store.enqueue(&queue(), vec![vec![job(&id)]]).await {
            Ok(_) => format!("\n{ACCEPTED}{id}\n"),
            Err(error) => {
                println!("\n{ENDED}{:?}: {error}", error.kind());
                return;
            }
        };
        print!("{line}");
    }
}

/// The other process, which ends with the test on every outcome.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[tokio::test]
async fn a_repair_shuts_out_another_process() {
    if let Some(path) = env::var_os(JOBS) {
        return work(Path::new(&path)).await;
    }
    let place = Place::new();
    let mut command = Command::new(env::current_exe().expect("this test is a file"));
    command.args(["--exact", THIS, "--nocapture"]).env(JOBS, place.path()).stdout(Stdio::piped());
    let mut process = Process(command.spawn().expect("it starts"));
    let mut lines = BufReader::new(process.0.stdout.take().expect("it is piped")).lines();
    let mut accepted = Vec::new();
    let mut next = || loop {
        let line = lines.next().expect("it says how it ended").expect("it can be read");
        if let Some(id) = line.strip_prefix(ACCEPTED) {
            return Ok(JobId::new(id).expect("it was one"));
        } else if let Some(why) = line.strip_prefix(ENDED) {
            return Err(why.to_owned());
        }
    };
    while accepted.len() < JOBS_BEFORE {
        accepted.push(next().expect("nothing is wrong yet"));
    }
    let first =
        fs::File::options().read(true).write(true).open(place.path().join("journal-0000000000000001.log"));
    let first = first.expect("it is there");
    let mut byte = [0];
    first.read_exact_at(&mut byte, DAMAGED_AT).expect("it is there");
    first.write_all_at(&[!byte[0]], DAMAGED_AT).expect("it can be written");
    assert!(!repair(place.path()).expect("it repairs").put_aside.is_empty());

    let why = loop {
        assert!(accepted.len() < JOBS_MAX, "it goes on with a store that was repaired");
        match next() {
            Ok(id) => accepted.push(id),
            Err(why) => break why,
        }
    };
    assert!(why.starts_with("Closed") && why.contains("repaired"), "{why}");
    assert!(check(place.path()).expect("it checks").is_sound());
    let store = place.open().await;
    assert_sound(&store).await;
    // The damaged record is that of the first job.
    for id in &accepted[1..] {
        let found = store.get_one(&queue(), id, Detail::Meta).await.expect("it reads");
        assert!(found.is_some(), "{id:?} was accepted, and is gone");
    }
    enqueue(&store, vec![job("new")]).await;
}
