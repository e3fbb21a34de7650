//! Several handles, one of which fails: data that its failed flush made the system forget, or that
//! it left at its end, are still in the cache, where the others read them.

use crate::power::disk::{Disk, Failure};
use queue_core::{
    ContentType, Detail, JobId, Kind, NewJob, Pause, Payload, Prune, PruneRequest, QueueName, SeededRng,
    Span, Storage, StorageExt,
};
use queue_fs::{Flush, FsOptions, FsStorage, FsUsage};
use std::sync::Arc;

/// More jobs than one commit relocates.
const STAYING: usize = 8;
const PAYLOAD_BYTES: usize = 20 << 10;
/// Several commits fit into one segment, so that a commit can remove a segment without beginning
/// another.
const SEGMENT_BYTES: u64 = 250 << 10;
/// The rounds after which the first segment has been removed.
const ROUNDS: usize = 8;

fn options(disk: &Disk, flush: Flush) -> FsOptions {
    FsOptions::new("simulated")
        .fs(Arc::new(disk.clone()))
        .rng(Arc::new(SeededRng::new(1)))
        .flush(flush)
        .segment_bytes(SEGMENT_BYTES)
        .reserve_bytes(1 << 10)
}

async fn open(disk: &Disk, flush: Flush) -> FsStorage {
    FsStorage::open(options(disk, flush)).await.expect("it opens")
}

fn job(id: &str) -> NewJob {
    let payload = Payload::new(vec![7; PAYLOAD_BYTES], ContentType::from_static("x/y"));
    NewJob::new(JobId::new(id).expect("a valid id"), Kind::unnamed(), payload)
}

fn staying() -> Vec<JobId> {
    (0..STAYING).map(|n| JobId::new(format!("staying-{n}")).expect("a valid id")).collect()
}

/// Fills the journal with records that leave nothing behind.
async fn churn(store: &FsStorage, rounds: usize) -> queue_core::Result<()> {
    let queue = QueueName::from_static("passing");
    for _ in 0..rounds {
        store.enqueue(&queue, vec![vec![job("passing")]]).await?;
        let what = Prune::Everything;
        store.prune(PruneRequest { queue: queue.clone(), what, limit: 10 }).await?;
    }
    Ok(())
}

/// Durable jobs in the first segment, which is about to be removed.
async fn prepared() -> Disk {
    let disk = Disk::new();
    let store = open(&disk, Flush::Always).await;
    let jobs = staying().iter().map(|id| job(id.as_str()).with_delay(Span::from_secs(3_600))).collect();
    store.enqueue(&QueueName::from_static("q"), vec![jobs]).await.expect("it enqueues");
    let is_full = |usage: FsUsage| usage.journal_bytes + (60 << 10) > 2 * (usage.live_bytes + SEGMENT_BYTES);
    while !is_full(store.usage().await.expect("it measures")) {
        churn(&store, 1).await.expect("it works");
    }
    assert!(!disk.went_round(), "it is yet to be given up");
    store.close().await.expect("it closes");
    disk
}

/// Whether the failure occurred. The other handle continues for this many rounds after it.
async fn is_survived(base: &Disk, flush: Flush, failure: Failure, call: u64, rounds: usize) -> bool {
    let context = format!("{flush:?}, {failure:?} at call {call}, {rounds} rounds");
    let disk = base.copy();
    let (fails, goes_on) = (open(&disk, flush).await, open(&disk, flush).await);
    disk.fail_at(call, failure);
    // The answer of this call does not matter here.
    drop(churn(&fails, ROUNDS).await);
    let has_failed = disk.has_failed();
    drop(fails);
    disk.mend();
    goes_on.set_paused(&QueueName::from_static("q"), None, Pause::UntilResumed).await.expect("it works");
    churn(&goes_on, rounds).await.unwrap_or_else(|error| panic!("{context}: {error}"));
    assert!(rounds == 0 || disk.went_round(), "{context}: {:?}", disk.listing());
    // The cut takes all that it may.
    disk.power_on(&SeededRng::new(0));
    let opened = FsStorage::open(options(&disk, Flush::Always)).await;
    let store = opened.unwrap_or_else(|error| panic!("{context}: {error}"));
    for id in staying() {
        let found = store.get_one(&QueueName::from_static("q"), &id, Detail::Full).await.expect("it reads");
        assert!(found.is_some(), "{context}: {id:?} was durable, and is gone");
    }
    has_failed
}

#[tokio::test]
async fn what_was_durable_stays_so_when_another_process_carries_on_after_a_failure() {
    let base = prepared().await;
    for flush in [Flush::Always, Flush::Never] {
        for (failure, rounds) in
            [(Failure::Error, ROUNDS), (Failure::Error, 0), (Failure::Outage, ROUNDS), (Failure::Outage, 0)]
        {
            let mut call = 1;
            while is_survived(&base, flush, failure, call, rounds).await {
                call += 1;
            }
            assert!(call > 20, "there is something to fail");
        }
    }
}
