//! The greatest length of a journal, and the writes that keep it so short.

use crate::power::disk::Disk;
use queue_core::{
    ContentType, JobId, Kind, NewJob, Pause, Payload, Prune, PruneRequest, QueueName, SeededRng, Span,
    Storage,
};
use queue_fs::{FsOptions, FsStorage, FsUsage};
use std::sync::Arc;

const SEGMENT_BYTES: u64 = 16 << 10;

async fn open(disk: &Disk) -> FsStorage {
    let options = FsOptions::new("simulated").fs(Arc::new(disk.clone())).rng(Arc::new(SeededRng::new(1)));
    let options = options.segment_bytes(SEGMENT_BYTES).reserve_bytes(1);
    FsStorage::open(options).await.expect("it opens")
}

fn job(n: usize, bytes: usize) -> NewJob {
    let payload = Payload::new(vec![0; bytes], ContentType::from_static("x/y"));
    NewJob::new(JobId::new(n.to_string()).expect("a valid id"), Kind::from_static("kind"), payload)
        .with_delay(Span::from_secs(3_600))
}

async fn usage(store: &FsStorage) -> FsUsage {
    store.usage().await.expect("it tells")
}

/// The number of the last segment, which is the number of segments written.
fn segments_written(disk: &Disk) -> u64 {
    let name = disk.listing().into_iter().map(|(name, _)| name).rfind(|name| name.starts_with("journal-"));
    let name = name.expect("there is a segment");
    u64::from_str_radix(&name["journal-".len()..name.len() - ".log".len()], 16).expect("a number")
}

/// The worst case: all jobs that stay come before all that are removed, and records are so long
/// that compaction relocates no more with each than its own length.
#[tokio::test]
async fn a_journal_is_at_most_three_times_as_long_as_what_is_in_it() {
    let disk = Disk::new();
    let store = open(&disk).await;
    let (staying, passing) = (QueueName::from_static("staying"), QueueName::from_static("passing"));
    let jobs = |count| (0..count).map(|n| job(n, 700)).collect::<Vec<_>>();
    for n in 0..10 {
        let batch = jobs(1_000).split_off(n * 100).into_iter().take(100).collect();
        store.enqueue(&staying, vec![batch]).await.expect("it enqueues");
    }
    let record_bytes = usage(&store).await.journal_bytes / 10;
    let mut longest = 0;
    for _ in 0..100 {
        store.enqueue(&passing, vec![jobs(100)]).await.expect("it enqueues");
        let everything = PruneRequest { queue: passing.clone(), what: Prune::Everything, limit: 1_000 };
        assert_eq!(store.prune(everything).await.expect("it prunes"), 100);
        let FsUsage { journal_bytes, live_bytes, .. } = usage(&store).await;
        let bound = 3 * (live_bytes + SEGMENT_BYTES) + 2 * record_bytes;
        assert!(journal_bytes <= bound, "{journal_bytes} bytes for {live_bytes}");
        longest = longest.max(journal_bytes * 10 / live_bytes);
    }
    assert!(longest > 25, "the bound is no wider than it must be: {longest} tenths");
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}

/// Compaction also writes the name of a job's queue, which may be longer than the job.
#[tokio::test]
async fn jobs_whose_queues_have_long_names_are_not_carried_on_for_ever() {
    let disk = Disk::new();
    let store = open(&disk).await;
    let queues = ["a", "b"].map(|letter| QueueName::new(letter.repeat(255)).expect("a valid name"));
    for n in 0..1_000 {
        store.enqueue(&queues[n % 2], vec![vec![job(n, 1)]]).await.expect("it enqueues");
    }
    // Each job takes about half a KiB.
    let own = 1_000 * 512 / SEGMENT_BYTES;
    let written = segments_written(&disk);
    assert!(written <= 2 * own, "{written} segments where {own} hold all jobs");
    assert_eq!(store.verify().await.expect("it verifies"), Vec::<String>::new());
}

/// Compaction writes everything that belongs to no job again with each removed segment.
#[tokio::test]
async fn many_queues_that_are_paused_are_not_carried_on_for_ever() {
    let disk = Disk::new();
    let store = open(&disk).await;
    for n in 0..400 {
        let queue = QueueName::new(format!("{n:0255}")).expect("a valid name");
        store.set_paused(&queue, None, Pause::UntilResumed).await.expect("it pauses");
    }
    let queue = QueueName::from_static("q");
    for n in 0..1_000 {
        store.enqueue(&queue, vec![vec![job(n, 1)]]).await.expect("it enqueues");
    }
    let own = (400 * 512 + 1_000 * 256) / SEGMENT_BYTES;
    let written = segments_written(&disk);
    assert!(written <= 2 * own, "{written} segments where {own} hold everything");
}
