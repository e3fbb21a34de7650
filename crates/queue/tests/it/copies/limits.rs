//! The partitions of jobs are copied with them, and the limits of a queue too.

use super::{claim, job, jobs, put};
use queue::{
    MemoryStorage, Storage, StoreCopy,
    queue_core::{Limit, LimitScope, Partition, PartitionQuery, Pause},
};
use std::sync::Arc;

#[tokio::test]
async fn limits_hold_in_the_copy_as_in_the_source() {
    let (from, to) = (Arc::new(MemoryStorage::new()), Arc::new(MemoryStorage::new()));
    let acme = Partition::from_static("acme");
    let limits = vec![
        (LimitScope::EachPartition, Limit { running: Some(1), weight: 2 }),
        (LimitScope::Partition(acme.clone()), Limit { running: Some(0), weight: 1 }),
    ];
    let set = limits.iter().map(|(scope, limit)| (scope.clone(), Some(*limit))).collect();
    from.set_limits(&jobs(), set).await.expect("it sets limits");
    for (number, partition) in ["acme", "zeta", "zeta"].into_iter().enumerate() {
        let new = job(&number.to_string()).with_partition(Partition::from_static(partition));
        put(&*from, &jobs(), new).await;
    }
    for _ in 0..2 {
        let copy = StoreCopy::new(from.clone(), to.clone()).again();
        assert!(copy.run(&mut |_| ()).await.expect("it copies").is_verified());
        assert_eq!(to.limits(&jobs()).await.expect("it answers"), limits);
    }
    to.set_paused(&jobs(), None, Pause::Off).await.expect("it resumes");
    let held = claim(&*to, &jobs()).await;
    assert_eq!(held.record.meta.partition, Some(Partition::from_static("zeta")));
    let page = to.partitions(PartitionQuery::all(jobs(), 9)).await.expect("it lists");
    let numbers: Vec<_> = page.partitions.iter().map(|status| (status.leases, status.waiting)).collect();
    assert_eq!(numbers, [(0, 1), (1, 1)]);
}
