//! A transaction in another database than the queue's, with tables of the same names.

use crate::common::{claim_one, enqueue, job, queue, text};
use crate::database::Database;
use queue_core::{Certainty, ErrorKind, Storage};
use sqlx::Connection;

#[tokio::test]
async fn a_transaction_in_another_database_is_refused_with_nothing_written() {
    let (Some(ours), Some(other)) = (Database::new().await, Database::new().await) else { return };
    let (store, stranger) = (ours.open().await, other.open().await);
    enqueue(&*store, vec![job("held")]).await;
    let held = claim_one(&store).await;
    let mut transaction = other.hold("SELECT").await;
    let enqueued = store.enqueue_in(&mut transaction, &queue(), &[job("a")]).await.map(drop);
    let completed =
        store.complete_in(&mut transaction, &held.record.meta, held.token, text("x")).await.map(drop);
    for refused in [enqueued, completed] {
        let error = refused.expect_err("the queue is elsewhere");
        assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied), "{error}");
        assert!(error.message().contains("another database"), "{error}");
    }
    sqlx::raw_sql("COMMIT").execute(&mut transaction).await.expect("it goes on");
    assert_eq!(stranger.counts(&queue()).await.expect("it counts").total(), 0);
    transaction.close().await.expect("it closes");
    for store in [store, stranger] {
        store.close().await.expect("it closes");
    }
    ours.assert_none().await;
    other.assert_none().await;
}
