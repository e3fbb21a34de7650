//! Jobs behind gates: the mark that lets claims look for them, and what plain jobs are spared.

use super::{ALL, Watched, gated, job, open, populate_plain, queue, request, sender, text};
use queue_core::{
    EndSignal, Enqueued, JobId, ManualClock, Pause, Prune, PruneRequest, Result, Span, Storage, StorageExt,
    lifecycle::{Event, Policy},
};
use queue_kv::{Kv, KvDatabase, KvStorage, MemoryKv};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// The first byte of the keys of pauses.
const PAUSED: u8 = 16;

/// Whether claims look for gated jobs in the queue.
fn is_marked(kv: &MemoryKv) -> bool {
    let paused = kv.begin_read().expect("it reads");
    let entries = paused.scan(&[PAUSED][..]..&[PAUSED + 1][..], ALL).expect("it scans");
    entries.iter().any(|(_, value)| value.last() == Some(&2))
}

#[tokio::test]
async fn a_queue_is_marked_for_as_long_as_it_has_gated_jobs() -> Result<()> {
    let kv = Arc::new(MemoryKv::default());
    let store = open(kv.clone()).await?;
    store.enqueue(&queue(), vec![vec![gated(None), sender("a")]]).await?;
    store.set_paused(&queue(), None, Pause::UntilResumed).await?;
    store.set_paused(&queue(), None, Pause::Off).await?;
    assert!(is_marked(&kv), "a resume leaves the mark");
    let held = store.claim(request(9)).await?.jobs.remove(0);
    let done = Event::Complete { token: held.token, result: text("y"), retention: None, then: vec![] };
    store.settle(&held.record.meta, done, &Policy::default()).await?;
    assert!(!is_marked(&kv));
    let held = store.claim(request(9)).await?.jobs.remove(0);
    // It closes the gate and opens it in one step.
    let (token, progress) = (held.token, None);
    let suspend = Event::Suspend {
        token,
        needs: None,
        seals: true,
        heeds_urgent: true,
        timeout: None,
        progress,
        then: vec![],
    };
    store.settle(&held.record.meta, suspend, &Policy::default()).await?;
    assert!(!is_marked(&kv));
    assert_eq!(store.verify().await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn a_time_out_is_due_though_no_claim_was_there_when_it_came() -> Result<()> {
    let clock = Arc::new(ManualClock::default());
    let store = KvStorage::open(KvDatabase::new(MemoryKv::default(), clock.clone())).await?;
    store.enqueue(&queue(), vec![vec![gated(Some(Span::from_secs(10))), job("a").with_priority(9)]]).await?;
    clock.advance(Duration::from_secs(10));
    let counts = store.counts(&queue()).await?;
    assert_eq!((counts.gated, counts.due()), (0, 2));
    let claimed = store.claim(request(1)).await?.jobs;
    assert_eq!(claimed[0].record.meta.id.as_str(), "gated");
    assert_eq!(store.verify().await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn plain_jobs_look_for_no_gates() -> Result<()> {
    let kv = Arc::new(Watched::default());
    let store = open(kv.clone()).await?;
    populate_plain(&store).await?;
    store.prune(PruneRequest { queue: queue(), what: Prune::Everything, limit: 9 }).await?;
    assert_eq!(kv.looks_for_gates.load(Ordering::SeqCst), 0);
    store.enqueue(&queue(), vec![vec![gated(None)]]).await?;
    assert!(kv.looks_for_gates.load(Ordering::SeqCst) > 0);
    Ok(())
}

#[tokio::test]
async fn an_orphan_changes_nothing() -> Result<()> {
    let kv = Arc::new(Watched::default());
    let store = open(kv.clone()).await?;
    let raising = EndSignal { raises: true, ..EndSignal::to(JobId::from_static("gated")) };
    let member = job("a").with_end_signals([raising]);
    let answer = store.enqueue(&queue(), vec![vec![member]]).await?.value;
    assert_eq!((&answer[0][..], kv.commits.load(Ordering::SeqCst)), (&[Enqueued::Orphaned][..], 0));
    Ok(())
}
