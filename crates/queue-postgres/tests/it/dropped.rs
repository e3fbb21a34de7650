//! Calls whose future is dropped at every point: the next call on the same connection is still
//! committed (I1).

use crate::common::{Place, enqueue, job, queue};
use futures_util::FutureExt;
use queue_core::{Detail, Interest, JobId, Storage, StorageExt};
use sqlx::{AssertSqlSafe, Row};
use std::{
    pin::{Pin, pin},
    task::{Context, Poll},
};

/// More polls than a call needs.
const POLLS_MAX: usize = 40;

/// Polls a future at most this many times.
struct PolledFor<'a, F> {
    future: Pin<&'a mut F>,
    left: usize,
}

impl<F: Future> Future for PolledFor<'_, F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.left -= 1;
        self.future.as_mut().poll(context).map(Some)
    }
}

#[tokio::test]
async fn who_subscribes_after_one_that_gave_up_is_listened_for_too() {
    let Some(place) = Place::new().await else { return };
    let (store, mut watcher) = (place.open().await, place.schema.connect().await.unwrap());
    let queue = queue();
    // The store knows the queue, so a subscriber first waits for the connection that listens.
    enqueue(&store, vec![job("first")]).await;
    let text = format!(
        "SELECT count(*) FROM pg_stat_activity
         WHERE query LIKE 'LISTEN%queue_' || to_regnamespace('{}')::oid || '%'",
        place.schema.quoted()
    );
    drop(store.subscribe(&queue, Interest::Wake).now_or_never());
    let _hints = store.subscribe(&queue, Interest::Wake).await.unwrap();
    let row = sqlx::query(AssertSqlSafe(text)).fetch_one(&mut watcher).await.unwrap();
    assert_eq!(row.get::<i64, _>(0), 1, "what is committed from now on is hinted at");
    place.finish(&store).await;
}

#[tokio::test]
async fn what_follows_a_dropped_call_on_its_connection_is_committed() {
    let Some(place) = Place::new().await else { return };
    let (store, other) = (place.open_with(|options| options.connections_max(1)).await, place.open().await);
    let queue = queue();
    enqueue(&store, vec![job("first")]).await;
    for polls in 0..POLLS_MAX {
        {
            // A group with a taken id is stored in a transaction.
            let group = vec![job("first"), job(&format!("{polls}-dropped"))];
            let enqueue = pin!(store.enqueue(&queue, vec![group]));
            PolledFor { future: enqueue, left: polls }.await;
        }
        let id = polls.to_string();
        enqueue(&store, vec![job(&id)]).await;
        let id = JobId::new(&id).unwrap();
        let found = other.get_one(&queue, &id, Detail::Meta).await.unwrap();
        assert!(found.is_some(), "dropped after {polls} polls");
    }
    place.finish(&store).await;
}
