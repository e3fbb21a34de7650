//! Opening stores by their URLs.

use crate::support::on;
use queue::{ErrorKind, Settled, open};

#[tokio::test]
async fn memory_stores_are_fresh_unless_they_have_a_name() {
    let (fresh, other) = (open("memory:").await.unwrap(), open("memory:").await.unwrap());
    assert!(on(fresh).enqueue("a", String::new()).await.unwrap().is_new());
    assert!(on(other).enqueue("a", String::new()).await.unwrap().is_new());
    let (named, same) = (open("memory:named").await.unwrap(), open("memory://named").await.unwrap());
    assert!(on(named.clone()).enqueue("a", String::new()).await.unwrap().is_new());
    named.close().await.unwrap();
    assert!(
        !on(same).enqueue("a", String::new()).await.unwrap().is_new(),
        "closing one handle closes no other"
    );
    drop(named);
    let later = open("memory:named").await.unwrap();
    assert!(
        !on(later).enqueue("a", String::new()).await.unwrap().is_new(),
        "a named store outlives its handles"
    );
}

#[tokio::test]
async fn what_cannot_be_opened_is_refused_with_advice() {
    for (url, says) in [
        ("", "scheme:path"),
        ("jobs.db", "scheme:path"),
        ("mysql://user:hunter2@host/db", "memory:"),
        ("memory:?a=b", "no options"),
        ("memory:a?b", "key=value"),
    ] {
        let error = open(url).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{url}");
        assert!(error.message().contains(says), "{url}: {error}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn a_job_goes_through_an_opened_store() {
    let queue = on(open("memory:").await.unwrap());
    queue.enqueue("a", "in".to_owned()).await.unwrap();
    let job = crate::support::take(&queue).await;
    assert_eq!(job.ack(&"out".to_owned()).await.unwrap(), Settled::Done);
    assert_eq!(queue.result("a").await.unwrap().as_deref(), Some("out"));
}

#[tokio::test]
async fn a_file_keeps_jobs_between_handles_whatever_its_name() {
    let directory = tempfile::tempdir().unwrap();
    for (url_name, file_name) in [("jobs.db", "jobs.db"), ("é #&=%3F%25.db", "é #&=?%.db")] {
        let url = format!("sqlite:{}/{url_name}", directory.path().display());
        let store = open(&url).await.unwrap();
        on(store.clone()).enqueue("a", "in".to_owned()).await.unwrap();
        store.close().await.unwrap();
        assert!(directory.path().join(file_name).is_file());

        let with_slashes = url.replace("sqlite:", "sqlite://") + "?synchronous=normal&create=never";
        let store = open(&with_slashes).await.unwrap();
        let job = crate::support::take(&on(store.clone())).await;
        assert_eq!(job.payload(), "in");
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_opened_as_asked_is_refused_and_not_made() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("jobs.db");
    for (query, says) in [
        ("?create=never", "there is no store, and none was made"),
        ("?create=maybe", "missing"),
        ("?synchronous=off", "normal"),
        ("?mode=ro", "synchronous, create"),
    ] {
        let error = open(&format!("sqlite:{}{query}", path.display())).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{query}: {error}");
        assert!(error.message().contains(says), "{query}: {error}");
        assert!(!path.exists(), "{query}");
    }
    assert!(open("sqlite:").await.unwrap_err().message().contains("memory:"));
}

#[tokio::test]
async fn a_call_is_answered_by_a_consumer_on_another_handle_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}/jobs.db", directory.path().display());
    let (caller, consumer) = (on(open(&url).await.unwrap()), on(open(&url).await.unwrap()));
    let call = crate::support::spawn(async move {
        caller.enqueue_and_wait("a", "in".to_owned(), std::time::Duration::from_secs(30)).await
    });
    let job = consumer.dequeue(std::time::Duration::from_secs(30)).await.unwrap().unwrap();
    assert_eq!(job.ack(&"out".to_owned()).await.unwrap(), Settled::Done);
    assert_eq!(call.await.unwrap().unwrap(), "out");
}

#[tokio::test]
async fn a_directory_keeps_jobs_between_handles() {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("file:{}/jobs", directory.path().display());
    let store = open(&url).await.unwrap();
    assert_eq!(store.capabilities().name, "file");
    on(store.clone()).enqueue("a", "in".to_owned()).await.unwrap();
    store.close().await.unwrap();
    for query in ["?flush=always", "?flush=never&create=never", "?flush=20ms"] {
        let store = open(&(url.replace("file:", "file://") + query)).await.unwrap();
        let status = on(store.clone()).status("a").await.unwrap();
        assert!(status.is_some(), "{query}");
        store.close().await.unwrap();
    }
    let missing = format!("file:{}/missing", directory.path().display());
    for (query, says) in [
        ("?create=never", ""),
        ("?create=maybe", "missing"),
        ("?flush=often", "100ms"),
        ("?synchronous=off", "flush, create"),
    ] {
        let error = open(&format!("{missing}{query}")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{query}: {error}");
        assert!(error.message().contains(says), "{query}: {error}");
        assert!(!directory.path().join("missing").exists(), "{query}");
    }
    assert!(open("file:").await.unwrap_err().message().contains("directory"));
}
