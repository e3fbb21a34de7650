//! Store time where jobs of full partitions come due.

use super::{assert_sound, at_most, claim, enqueue, of, set_each};
use crate::harness::{REDIS, Space, clean_up, fresh_namespace};
use queue_core::{ManualClock, Span, Storage, Timestamp};
use queue_redis::RedisStorage;
use std::sync::Arc;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

/// A claim that gets nothing has moved a job to the due ones of its partition by its own time. A
/// handle whose clock is behind sees no job that is due before its time.
#[tokio::test]
async fn a_claim_that_finds_only_a_full_partition_leaves_its_time_to_other_handles() {
    let Some(url) = REDIS.url() else { return };
    let namespace = fresh_namespace();
    let at = |now: Timestamp| {
        let clock = Some(Arc::new(ManualClock::new(now)) as Arc<dyn queue_core::Clock>);
        Space { url: url.clone(), namespace: namespace.clone(), clock }
    };
    let behind = RedisStorage::open(at(NOW).options()).await.expect("it opens");
    set_each(&behind, Some(at_most(0))).await;
    enqueue(&behind, vec![of("a", 0).with_delay(Span::from_secs(60))]).await;
    assert_eq!(claim(&behind, 9).await.len(), 0, "it is not due");
    let ahead = at(Timestamp::from_millis(NOW.as_millis() + 60_000));
    let ahead = RedisStorage::open(ahead.options()).await.expect("it opens");
    assert_eq!(claim(&ahead, 9).await.len(), 0);
    ahead.close().await.expect("it closes");
    assert_sound(&behind).await;
    let counts = behind.counts(&super::queue()).await.expect("it counts");
    assert_eq!((counts.scheduled, counts.due()), (0, 1));
    clean_up(&url, &namespace).await.expect("it cleans up");
}
