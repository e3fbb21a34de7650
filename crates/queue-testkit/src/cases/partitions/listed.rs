//! How partitions and their jobs are listed.

use super::{at_most, key, of, own, partitions, put_of, set, set_each, status};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{Limit, ListFilter, ListQuery, PartitionQuery, PartitionStatus, Walk, lifecycle::Event};

cases! { "listed_partitions":
    a_partition_is_listed_while_a_job_of_it_is_unfinished [I20] (Partitions);
    one_with_a_limit_of_its_own_is_listed_without_jobs [I20] (Partitions);
    its_numbers_are_those_of_its_jobs [I20 I25] (Partitions);
    waiting_jobs_are_counted_up_to_a_bound [I20] (Partitions);
    pages_go_by_the_bytes_of_the_keys [I20] (Partitions);
    a_queue_that_is_not_there_has_none [I20] (Partitions);
    jobs_are_found_by_their_partition [I20] (Partitions);
    blocked_jobs_are_due_and_listed_so [I20 I12] (Partitions);
}

async fn a_partition_is_listed_while_a_job_of_it_is_unfinished(bench: &Bench) {
    assert_eq!(partitions(bench).await, []);
    put_of(bench, "a", 1).await;
    assert!(status(bench, "a").await.is_some(), "it waits");
    let held = bench.claim_one().await;
    assert!(status(bench, "a").await.is_some(), "it is leased");
    bench.fail(&held).await;
    assert!(status(bench, "a").await.is_some(), "it waits for its next attempt");
    bench.advance(RETRY);
    let held = bench.claim_one().await;
    bench.complete(&held).await;
    assert_eq!(partitions(bench).await, [], "a record that is kept is not enough");
}

async fn one_with_a_limit_of_its_own_is_listed_without_jobs(bench: &Bench) {
    set_each(bench, 3).await;
    assert_eq!(partitions(bench).await, []);
    set(bench, own("a"), at_most(7)).await;
    let expected = PartitionStatus {
        partition: key("a"),
        leases: 0,
        waiting: 0,
        oldest_due: None,
        limit: at_most(7),
        has_own_limit: true,
    };
    assert_eq!(partitions(bench).await, [expected]);
    set(bench, own("a"), None).await;
    assert_eq!(partitions(bench).await, []);
}

async fn its_numbers_are_those_of_its_jobs(bench: &Bench) {
    set_each(bench, 2).await;
    let begun = bench.counts().await.now;
    put_of(bench, "a", 4).await;
    bench.advance(RETRY);
    bench.put_job(of("a", 9).with_priority(-1).with_delay(KEPT)).await;
    assert_eq!(bench.claim(2).await.len(), 2);
    let a = status(bench, "a").await.expect("it is listed");
    assert_eq!((a.leases, a.waiting, a.limit, a.has_own_limit), (2, 3, at_most(2), false));
    assert!(a.is_full());
    assert!(a.oldest_due.is_some_and(|due| due >= begun && due < bench.now()), "{a:?}");
    bench.changed("a9", Event::Cancel { processing: queue_core::lifecycle::OnProcessing::Request }).await;
    assert_eq!(status(bench, "a").await.map(|a| a.waiting), Some(2));
    set(bench, own("a"), at_most(3)).await;
    let a = status(bench, "a").await.expect("it is listed");
    assert_eq!((a.limit, a.has_own_limit, a.is_full()), (at_most(3), true, false));
}

async fn waiting_jobs_are_counted_up_to_a_bound(bench: &Bench) {
    let most = usize::try_from(PartitionStatus::WAITING_MAX).expect("it is small");
    put_of(bench, "a", most + 5).await;
    assert_eq!(status(bench, "a").await.map(|a| a.waiting), Some(PartitionStatus::WAITING_MAX));
    assert_eq!(bench.claim(6).await.len(), 6);
    assert_eq!(status(bench, "a").await.map(|a| a.waiting), Some(PartitionStatus::WAITING_MAX - 1));
}

async fn pages_go_by_the_bytes_of_the_keys(bench: &Bench) {
    let keys = ["B", "a", "a b", "ab", "b", "é"];
    for text in ["b", "ab", "é", "a b", "B", "a"] {
        bench.put_job(job(text).with_partition(key(text))).await;
    }
    for limit in [1, 2, 4, 6, 9] {
        let mut found = Vec::new();
        let mut query = Some(PartitionQuery::all(bench.queue().clone(), limit));
        while let Some(next) = query {
            let page = bench.store().partitions(next).await.expect("it lists partitions");
            assert!(page.partitions.len() <= limit);
            found.extend(page.partitions.into_iter().map(|status| status.partition.to_string()));
            query = page.next;
        }
        assert_eq!(found, keys, "in pages of {limit}");
    }
}

async fn a_queue_that_is_not_there_has_none(bench: &Bench) {
    let other = bench.on_queue("another");
    assert_eq!(partitions(&other).await, []);
    assert_eq!(super::limits(&other).await, []);
}

async fn jobs_are_found_by_their_partition(bench: &Bench) {
    put_of(bench, "a", 3).await;
    put_of(bench, "b", 2).await;
    bench.put("plain").await;
    for job in bench.claim(3).await {
        bench.complete(&job).await;
    }
    for (partition, count) in [("a", 3), ("b", 2), ("c", 0)] {
        let filter = ListFilter { partition: Some(key(partition)), ..ListFilter::default() };
        let found = bench.list(ListQuery::all(bench.queue().clone(), 2).matching(filter)).await;
        assert_eq!(found.len(), count, "of {partition}, those that are completed included");
        assert!(found.iter().all(|job| job.partition == Some(key(partition))));
    }
}

async fn blocked_jobs_are_due_and_listed_so(bench: &Bench) {
    set(bench, own("a"), Limit { running: Some(0), weight: 1 }).await;
    put_of(bench, "a", 2).await;
    bench.put_job(job("plain").with_priority(1)).await;
    bench.put_job(of("b", 0).with_priority(-1)).await;
    let due = ListQuery::new(bench.queue().clone(), Walk::Due, 2);
    assert_eq!(bench.list_ids(due).await, ["b0", "a0", "a1", "plain"]);
    let counts = bench.counts().await;
    assert_eq!((counts.due(), counts.scheduled), (4, 0));
    assert!(counts.oldest_due.is_some());
}
