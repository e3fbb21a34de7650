//! Batches and members in transactions of the application, and members that come too late from
//! inside.

use crate::{
    on_stores,
    stage::{Stage, Work},
};
use queue::{
    JobOptions, SqliteOptions, SqliteStorage,
    batches::BatchError,
    rusqlite::{Connection, TransactionBehavior},
    worker::WorkerEvent,
};
use std::{
    error::Error as _,
    sync::{Arc, mpsc},
};

on_stores!(a_member_that_is_added_from_inside_of_a_batch_that_is_over_is_reported);

async fn a_member_that_is_added_from_inside_of_a_batch_that_is_over_is_reported(stage: Stage) {
    let batch = stage.batch("a").open().await.unwrap();
    batch.add("parent", Work::Add("child".to_owned())).await.unwrap();
    let _ = stage.queue.batches().abandon("a").await.unwrap();
    let (sender, events) = mpsc::channel();
    let worker = stage.worker().on_event(move |event| drop(sender.send(event.clone())));
    worker.build().unwrap().run().await;
    let orphans: Vec<_> =
        events.try_iter().filter(|event| matches!(event, WorkerEvent::FollowerOrphaned { .. })).collect();
    let [WorkerEvent::FollowerOrphaned { id, follower, batch: Some(name), .. }] = &orphans[..] else {
        panic!("{orphans:?}");
    };
    assert_eq!((id, name.as_str()), (&batch.job("parent").unwrap(), "a"));
    assert_eq!(stage.meta(follower).await, None);
}

#[tokio::test]
async fn a_batch_and_its_first_members_are_one_transaction() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("jobs.db");
    let storage = SqliteStorage::open(SqliteOptions::new(&path)).await.unwrap();
    let stage = Stage::on(Arc::new(storage), Arc::default());
    let mut connection = Connection::open(&path).unwrap();
    for commits in [false, true] {
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        let batch = stage.batch("a").open_in(&begun).unwrap();
        assert!(batch.add_in(&begun, "m", Work::Complete).unwrap().is_new());
        assert!(!batch.add_in_with(&begun, "m", Work::Complete, JobOptions::new()).unwrap().is_new());
        if commits { begun.commit() } else { begun.rollback() }.unwrap();
        assert_eq!(stage.queue.batches().get("a").await.unwrap().is_some(), commits);
    }
    let batch = stage.batch("a").open().await.unwrap();
    assert_eq!(batch.status().await.unwrap().added, 1);
    let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let error = stage.batch("a").open_in(&begun).unwrap_err();
    let taken = error.source().unwrap().downcast_ref();
    assert!(matches!(taken, Some(BatchError::TakenInTransaction { .. })), "{error}");
    begun.rollback().unwrap();

    batch.seal().await.unwrap();
    stage.run().await;
    let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let error = batch.add_in(&begun, "late", Work::Complete).unwrap_err();
    assert!(matches!(error.source().unwrap().downcast_ref(), Some(BatchError::Ended { .. })), "{error}");
}
