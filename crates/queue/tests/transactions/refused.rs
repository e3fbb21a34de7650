//! Transactions that a store cannot join.

use async_trait::async_trait;
use queue::{
    ErrorKind, Queue, Storage, open,
    queue_core::StorageLayer,
    rusqlite::{Connection, TransactionBehavior},
};
use std::{path::Path, sync::Arc};

fn connect(path: &Path) -> Connection {
    Connection::open(path).expect("it opens")
}

#[tokio::test]
async fn a_store_of_another_kind_says_that_it_cannot_join() {
    let emails: Queue<String> =
        Queue::new(open("memory:").await.expect("it opens"), "emails").expect("valid");
    let mut connection = Connection::open_in_memory().expect("it opens");
    let transaction = connection.transaction().expect("it begins");
    let error = emails.enqueue_in(&transaction, "a", "ada".to_owned()).expect_err("it cannot");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.message().contains("SQLite") && error.message().contains("`memory`"), "{error}");
    assert_eq!(emails.counts().await.expect("it counts").total(), 0);
}

/// A layer in front of a store, such as one for metrics.
#[derive(Debug)]
struct Layer(Arc<dyn Storage>);

#[async_trait]
impl StorageLayer for Layer {
    type Inner = dyn Storage;

    fn inner(&self) -> &dyn Storage {
        &*self.0
    }
}

#[tokio::test]
async fn a_store_is_found_behind_layers() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("app.db");
    let store = open(&format!("sqlite:{}", path.display())).await.expect("it opens");
    let store: Arc<dyn Storage> = Arc::new(Layer(Arc::new(Layer(store))));
    let emails: Queue<String> = Queue::new(store, "emails").expect("valid");
    let mut connection = connect(&path);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).expect("it begins");
    let accepted = emails.enqueue_in(&transaction, "a", "ada".to_owned()).expect("it enqueues");
    assert!(accepted.is_new());
    let again = emails.enqueue_in(&transaction, "a", "ada".to_owned()).expect("it enqueues");
    assert!(!again.is_new(), "the transaction sees its own job");
    transaction.commit().expect("it commits");
    assert_eq!(emails.counts().await.expect("it counts").total(), 1);
}
