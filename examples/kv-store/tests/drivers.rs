//! What [`Kv`] promises, on both drivers.

use kv_store_example::{Check, Key, Kv, MemoryKv, Outcome, RedbKv, Write};
use queue_core::Result;
use std::sync::Arc;
use tempfile::TempDir;

/// Both drivers, each with what must outlive it.
fn drivers() -> Vec<(Arc<dyn Kv>, Option<TempDir>)> {
    let directory = tempfile::tempdir().expect("a directory");
    let redb = RedbKv::open(directory.path().join("queue.redb")).expect("a new file");
    vec![(Arc::new(MemoryKv::default()), None), (Arc::new(redb), Some(directory))]
}

fn key(text: &str) -> Key {
    text.as_bytes().to_vec()
}

fn put(text: &str) -> Write {
    Write { key: key(text), value: Some("value".into()) }
}

fn delete(text: &str) -> Write {
    Write { key: key(text), value: None }
}

async fn version(kv: &dyn Kv, text: &str) -> Option<u64> {
    let found = kv.get(&[key(text)]).await.expect("get answers").remove(0);
    found.map(|found| found.version)
}

async fn commit_if(kv: &dyn Kv, text: &str, version: Option<u64>, writes: Vec<Write>) -> Outcome {
    kv.commit(vec![Check { key: key(text), version }], writes).await.expect("commit answers")
}

#[tokio::test]
async fn a_commit_is_done_when_all_checks_hold_and_otherwise_not_at_all() -> Result<()> {
    for (kv, _kept) in drivers() {
        assert_eq!(commit_if(&*kv, "a", None, vec![put("a"), put("b")]).await, Outcome::Done);
        let seen = version(&*kv, "a").await;
        assert_eq!(commit_if(&*kv, "a", None, vec![put("c"), delete("b")]).await, Outcome::Conflict);
        assert!(version(&*kv, "c").await.is_none() && version(&*kv, "b").await.is_some());
        assert_eq!(commit_if(&*kv, "a", seen, vec![put("c"), delete("b")]).await, Outcome::Done);
        assert!(version(&*kv, "c").await.is_some() && version(&*kv, "b").await.is_none());
        let one_fails = vec![Check { key: key("a"), version: seen }, Check { key: key("c"), version: None }];
        assert_eq!(kv.commit(one_fails, vec![delete("a")]).await?, Outcome::Conflict);
        assert_eq!(version(&*kv, "a").await, seen);
    }
    Ok(())
}

#[tokio::test]
async fn a_version_never_comes_back_not_even_after_a_delete() {
    for (kv, _kept) in drivers() {
        commit_if(&*kv, "a", None, vec![put("a")]).await;
        let first = version(&*kv, "a").await;
        commit_if(&*kv, "a", first, vec![delete("a")]).await;
        commit_if(&*kv, "a", None, vec![put("a")]).await;
        assert_ne!(version(&*kv, "a").await, first);
        assert_eq!(commit_if(&*kv, "a", first, vec![delete("a")]).await, Outcome::Conflict);
    }
}

#[tokio::test]
async fn a_commit_without_writes_only_compares() {
    for (kv, _kept) in drivers() {
        commit_if(&*kv, "a", None, vec![put("a")]).await;
        let seen = version(&*kv, "a").await;
        assert_eq!(commit_if(&*kv, "a", seen, vec![]).await, Outcome::Done);
        assert_eq!(commit_if(&*kv, "a", None, vec![]).await, Outcome::Conflict);
        assert_eq!(version(&*kv, "a").await, seen);
    }
}

#[tokio::test]
async fn a_scan_gives_the_first_of_a_range_in_order() -> Result<()> {
    for (kv, _kept) in drivers() {
        kv.commit(vec![], ["b", "ab", "a", "c"].map(put).to_vec()).await?;
        let scan = async |from: &str, to: &str, limit| -> Result<Vec<Key>> {
            let found = kv.scan(key(from)..key(to), limit).await?;
            Ok(found.into_iter().map(|(key, _)| key).collect())
        };
        assert_eq!(scan("a", "c", 9).await?, ["a", "ab", "b"].map(key));
        assert_eq!(scan("aa", "d", 2).await?, ["ab", "b"].map(key));
        assert!(scan("a", "c", 0).await?.is_empty());
        assert!(scan("b", "a", 9).await?.is_empty() && scan("b", "b", 9).await?.is_empty());
    }
    Ok(())
}
