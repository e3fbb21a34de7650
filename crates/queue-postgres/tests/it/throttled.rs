//! A slow link that carries data all the time.

use crate::common::{self, Place, assert_sound, enqueue, job, request, settle};
use crate::storm;
use queue_core::{NewJob, Span, Storage};
use queue_postgres::{Listen, PostgresOptions, PostgresStorage};
use queue_testkit::proxy::{Rates, Traffic};
use std::time::Duration;

/// As many jobs as one answer has room for.
const JOBS: usize = 16;
const BYTES: usize = 1 << 20;
/// At this rate all of them take four times as long as the server may be silent.
const PER_SECOND: u64 = 2 << 20;
const CALL_TIMEOUT: Duration = Duration::from_secs(2);

fn large(n: usize) -> NewJob {
    let mut job = job(&n.to_string());
    job.payload.bytes = vec![7; BYTES].into();
    job
}

#[tokio::test]
async fn an_answer_that_takes_longer_than_a_call_may_be_silent_arrives() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    for n in 0..=JOBS {
        enqueue(&store, vec![large(n)]).await;
    }
    let proxy = storm::proxy_of(&place.schema.url);
    let options = PostgresOptions::new(&storm::through(&proxy, &place.schema.url)).unwrap();
    let options = options.schema(&place.schema.name).unwrap().call_timeout(CALL_TIMEOUT).listen(Listen::Off);
    let slow = PostgresStorage::open(options).await.unwrap();
    slow.counts(&common::queue()).await.unwrap();
    proxy.set(Traffic::Throttle(Rates::default().to_client(PER_SECOND))).await.unwrap();
    let claimed = slow.claim(request(100, Span::from_secs(60))).await.expect("it is heard all the time");
    assert_eq!(claimed.jobs.len(), JOBS, "and it is no longer than it may be");
    assert!(claimed.next_due.is_some_and(|at| at <= claimed.now), "there is more");
    for held in claimed.jobs {
        settle(&slow, &held.record.meta, common::complete(held.token)).await;
    }
    slow.close().await.unwrap();
    assert_sound(&store).await;
    store.close().await.unwrap();
    place.remove().await;
}
