//! Partitions: what plain jobs are spared, what a claim reads, and what `verify` finds.

use super::{
    ALL, OF_PARTITIONS, Watched, assert_each_entry_counts, job, open, populate_plain, queue, request, text,
};
use queue_core::{
    ClaimRequest, Kind, Limit, LimitScope, ManualClock, NewJob, Partition, Pause, Prune, PruneRequest,
    Result, Rng, SeededRng, Span, Storage, StorageExt,
    lifecycle::{Amendment, Event, OnProcessing, Policy},
};
use queue_kv::{Kv, KvDatabase, KvStorage, MemoryKv};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

fn key(text: &str) -> Partition {
    Partition::new(text).expect("a valid partition")
}

fn of(partition: &str, id: &str) -> NewJob {
    job(id).with_partition(key(partition))
}

fn at_most(scope: LimitScope, running: u32) -> (LimitScope, Option<Limit>) {
    (scope, Some(Limit { running: Some(running), ..Limit::default() }))
}

fn entries_of_partitions(kv: &MemoryKv) -> usize {
    let view = kv.begin_read().expect("it reads");
    let (first, last) = (*OF_PARTITIONS.start(), *OF_PARTITIONS.end());
    view.scan(&[first][..]..&[last + 1][..], ALL).expect("it scans").len()
}

#[tokio::test]
async fn plain_jobs_look_for_no_partitions() -> Result<()> {
    let kv = Arc::new(Watched::default());
    let store = open(kv.clone()).await?;
    populate_plain(&store).await?;
    store.prune(PruneRequest { queue: queue(), what: Prune::Everything, limit: 9 }).await?;
    assert_eq!(kv.looks_for_partitions.load(Ordering::SeqCst), 0);
    store.enqueue(&queue(), vec![vec![of("acme", "a")]]).await?;
    assert!(kv.looks_for_partitions.load(Ordering::SeqCst) > 0);
    Ok(())
}

#[tokio::test]
async fn a_queue_whose_partitions_are_over_is_like_any_other() -> Result<()> {
    let kv = Arc::new(Watched::default());
    let store = open(kv.clone()).await?;
    store.set_limits(&queue(), vec![at_most(LimitScope::EachPartition, 1)]).await?;
    store.enqueue(&queue(), vec![vec![of("acme", "a"), job("b"), job("c")]]).await?;
    assert_eq!(store.claim(request(2)).await?.jobs.len(), 2, "one of each, and the line still stands");
    store.set_limits(&queue(), vec![(LimitScope::EachPartition, None)]).await?;
    store.prune(PruneRequest { queue: queue(), what: Prune::Everything, limit: 9 }).await?;
    assert_eq!(entries_of_partitions(&kv.kv), 0);
    let looks = kv.looks_for_partitions.load(Ordering::SeqCst);
    populate_plain(&store).await?;
    assert_eq!(kv.looks_for_partitions.load(Ordering::SeqCst), looks);
    Ok(())
}

/// How many entries a claim of three jobs reads beside so many full partitions with blocked jobs.
async fn reads_beside(full: usize) -> Result<usize> {
    let kv = Arc::new(Watched::default());
    let store = open(kv.clone()).await?;
    store.set_limits(&queue(), vec![at_most(LimitScope::EachPartition, 1)]).await?;
    let blocked = |number| [0, 1].map(|nth| of(&format!("p{number}"), &format!("p{number}-{nth}")));
    store.enqueue(&queue(), vec![(0..full).flat_map(blocked).collect()]).await?;
    let mut left = full;
    while left > 0 {
        left -= store.claim(request(left.min(50))).await?.jobs.len();
    }
    store.enqueue(&queue(), vec![["x", "y", "z"].map(|open| of(open, open)).to_vec()]).await?;
    let before = kv.reads.load(Ordering::SeqCst);
    assert_eq!(store.claim(request(9)).await?.jobs.len(), 3);
    Ok(kv.reads.load(Ordering::SeqCst) - before)
}

#[tokio::test]
async fn a_claim_reads_as_much_beside_many_full_partitions_as_beside_few() -> Result<()> {
    assert_eq!(reads_beside(5).await?, reads_beside(300).await?);
    Ok(())
}

#[tokio::test]
async fn verify_misses_any_entry_of_partitions_and_finds_any_that_is_left() -> Result<()> {
    let kv = Arc::new(MemoryKv::default());
    let store = open(kv.clone()).await?;
    let own = |text| LimitScope::Partition(key(text));
    store
        .set_limits(&queue(), vec![at_most(LimitScope::EachPartition, 1), at_most(own("globex"), 0)])
        .await?;
    store.set_limits(&queue(), vec![at_most(own("initech-later"), 3)]).await?;
    let jobs = [of("acme", "a0"), of("acme", "a1"), of("globex", "g"), job("b0"), job("b1")];
    let mail = NewJob { kind: Kind::from_static("mail"), ..of("umbrella", "m") };
    store.set_paused(&queue(), Some(&mail.kind), Pause::UntilResumed).await?;
    let later = of("acme", "later").with_delay(Span::from_secs(60));
    store.enqueue(&queue(), vec![jobs.to_vec(), vec![later, mail, of("hooli", "h")]]).await?;
    // One of each of "acme" and those without one, and the job of a paused kind is set aside.
    let claimed = store.claim(request(2)).await?;
    assert_eq!(claimed.jobs.len(), 2);
    assert_eq!(store.verify().await?, Vec::<String>::new());
    assert_each_entry_counts(&kv, &store).await?;
    assert_eq!(store.verify().await?, Vec::<String>::new());
    Ok(())
}

/// Steps of many kinds in a random order, each of which leaves a store that is whole.
#[tokio::test]
async fn random_steps_leave_partitions_that_add_up() -> Result<()> {
    for seed in 0..20 {
        let clock = Arc::new(ManualClock::default());
        let store = KvStorage::open(KvDatabase::new(MemoryKv::default(), clock.clone())).await?;
        let rng = SeededRng::new(seed);
        let mut held = Vec::new();
        for step in 0..120_u64 {
            random_step(&store, &clock, &rng, step, &mut held).await?;
            assert_eq!(store.verify().await?, Vec::<String>::new(), "seed {seed}, step {step}");
        }
    }
    Ok(())
}

async fn random_step(
    store: &KvStorage,
    clock: &ManualClock,
    rng: &SeededRng,
    step: u64,
    held: &mut Vec<queue_core::ClaimedJob>,
) -> Result<()> {
    let pick = |of: u64| rng.next_u64() % of;
    let partition = ["a", "b", "c"][usize::try_from(pick(3)).expect("it is small")];
    match pick(12) {
        0..=3 => {
            let new = job(&format!("{}", pick(12))).with_priority(i16::from(pick(3) == 0));
            let new = if pick(4) == 0 { new } else { new.with_partition(key(partition)) };
            let new = if pick(4) == 0 { new.with_delay(Span::from_secs(5)) } else { new };
            let kind = Kind::from_static(if pick(3) == 0 { "mail" } else { "report" });
            store.enqueue(&queue(), vec![vec![NewJob { kind, ..new }]]).await?;
        }
        4 | 5 => {
            let limited_max = [0, 1, usize::MAX][usize::try_from(pick(3)).expect("it is small")];
            let limit = usize::try_from(pick(4)).expect("it is small");
            let claimed = store.claim(ClaimRequest { limited_max, ..request(limit) }).await?;
            held.extend(claimed.jobs);
        }
        6 | 7 => {
            let Some(job) = held.pop() else { return Ok(()) };
            let event = match pick(2) {
                0 => Event::release(job.token),
                _ => Event::Complete { token: job.token, result: text("y"), retention: None, then: vec![] },
            };
            store.settle(&job.record.meta, event, &Policy::default()).await?;
        }
        8 => {
            let scope = match pick(3) {
                0 => LimitScope::EachPartition,
                1 => LimitScope::Unpartitioned,
                _ => LimitScope::Partition(key(partition)),
            };
            let running = Some(0).filter(|_| scope != LimitScope::Unpartitioned);
            let running = running.map(|least| least + u32::try_from(pick(3)).expect("it is small"));
            let limit = Limit { running, weight: 1 + u16::try_from(pick(3)).expect("it is small") };
            store.set_limits(&queue(), vec![(scope, Some(limit).filter(|_| pick(3) > 0))]).await?;
        }
        9 => {
            let pause = if pick(2) == 0 { Pause::UntilResumed } else { Pause::Off };
            store.set_paused(&queue(), Some(&Kind::from_static("mail")), pause).await?;
        }
        10 => clock.advance(Duration::from_secs(pick(4))),
        _ => {
            let id = queue_core::JobId::new(format!("{}", pick(12))).expect("valid");
            let event = match step % 3 {
                0 => Event::Amend(Amendment::of_priority(-1)),
                1 => Event::Promote,
                _ => Event::Cancel { processing: OnProcessing::Request },
            };
            store.change(&queue(), &id, event, &Policy::default()).await?;
        }
    }
    Ok(())
}
