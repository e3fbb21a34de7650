//! The floor of each store: the least work by which its engine stores a job, and by which a second
//! connection learns of one. It is no queue: a job has no state and no lease, and no worker drains.
//! The drivers are the ones that our stores use, so that a row that no queue can win shows why.
//!
//! Each call does its own work and shares none with other callers. A queue that gives 64 callers
//! one commit is therefore faster than this where a commit is what takes the time.

mod files;
mod postgres;
mod redis;
mod sqlite;
mod writer;

use std::process::ExitCode;

use anyhow::Result;
use peers_common::{Job, NotOffered, Profile, Setup, Workload};

use crate::files::FilesFloor;
use crate::postgres::PostgresFloor;
use crate::redis::RedisFloor;
use crate::sqlite::SqliteFloor;

/// The rows in which jobs are stored without a worker.
const ENQUEUE: &[Workload] = &[Workload::EnqueueSeq, Workload::EnqueueC64, Workload::EnqueueBatch];

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("files") => peers_common::main::<FilesFloor>(),
        Some("sqlite") => peers_common::main::<SqliteFloor>(),
        Some("postgres") => peers_common::main::<PostgresFloor>(),
        Some("redis") => peers_common::main::<RedisFloor>(),
        other => {
            eprintln!("no floor for the store {other:?}");
            ExitCode::FAILURE
        }
    }
}

/// Ends a measurement before its first job where the row has no floor.
fn require(setup: &Setup, offered: &[&[Workload]]) -> Result<()> {
    let is_offered = offered.concat().contains(&setup.workload());
    if is_offered { Ok(()) } else { Err(NotOffered.into()) }
}

/// The bytes that a queue would store.
fn json(n: u64) -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(&Job::new(n))?)
}

/// Nothing of a floor can be tuned.
fn settings(profile: Profile, words: &str) -> String {
    match profile {
        Profile::Default => words.to_owned(),
        Profile::Tuned => "the same".to_owned(),
    }
}
