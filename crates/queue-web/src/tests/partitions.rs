//! The partitions of a queue on its page, and a job that waits for a slot.

use super::{ask, client, dashboard, enqueue, fail_one, get, memory, new_job, principal};
use http::Method;
use queue_core::{Failure, Limit, LimitScope, NewJob, Partition, QueueName, Storage, lifecycle::Cause};
use queue_http::Scope;
use std::{sync::Arc, time::Duration};

async fn enqueue_of(store: &Arc<dyn Storage>, partition: &str, count: usize) {
    let job = |number| NewJob {
        partition: Some(Partition::new(partition).unwrap()),
        ..new_job(&format!("{partition}-{number}"), "k", "1")
    };
    enqueue(store, "mail", (0..count).map(job).collect()).await;
}

/// The keys in the order of the table.
fn keys(text: &str) -> Vec<&str> {
    let (_, table) = text.split_once(r#"id="partitions-title""#).expect("there is a table");
    let (table, _) = table.split_once("</section>").expect("it ends");
    let links = table.split("partition=").skip(1);
    links.map(|link| link.split('"').next().unwrap()).collect()
}

#[tokio::test]
async fn partitions_are_shown_with_their_limits_and_lead_to_their_jobs() {
    let store = memory();
    enqueue_of(&store, "acme", 4).await;
    enqueue_of(&store, "zeta", 1).await;
    let mail = client(&store, "mail");
    mail.limits().each_partition(5).partition("acme", 3).set().await.unwrap();
    let weight = Limit { running: None, weight: 2 };
    mail.limits().limit(LimitScope::Unpartitioned, weight).set().await.unwrap();
    mail.dequeue_many(3, Duration::ZERO).await.unwrap();
    let text = get(&dashboard(store.clone()), "/queue?queue=mail").await.text;
    assert_eq!(keys(&text), ["acme", "zeta"], "the fullest first: {text}");
    for part in ["./jobs?queue=mail&#38;partition=acme", "2 of 3", "full", "its own", "1 of 5", "of each"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("Each partition: 5 at once, weight 1."), "{text}");
    assert!(text.contains("Jobs without a partition: weight 2."), "{text}");
    let by_key = get(&dashboard(store.clone()), "/queue?queue=mail&partitions=key").await.text;
    assert!(by_key.contains(r#"aria-sort="ascending""#), "{by_key}");
}

#[tokio::test]
async fn a_blocked_job_says_for_what_it_waits() {
    let store = memory();
    enqueue_of(&store, "acme", 1).await;
    client(&store, "mail").limits().partition("acme", 0).set().await.unwrap();
    let viewer = principal(&[Scope::View], "*");
    let path = "/job?queue=mail&id=acme-0";
    let text = ask(&dashboard(store), Method::GET, path, Some(&viewer), "").await.text;
    assert!(text.contains("waits for a slot of") && text.contains("(0 of 0)"), "{text}");
    assert!(text.contains("Due, but its partition is full"), "{text}");
}

#[tokio::test]
async fn a_queue_without_partitions_and_limits_has_no_table() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    fail_one(&store, "mail", "w", Failure::new("E", "no"), Cause::Terminal).await;
    let text = get(&dashboard(store.clone()), "/queue?queue=mail").await.text;
    assert!(!text.contains("Partitions"), "{text}");
    let each = (LimitScope::EachPartition, Some(Limit { running: Some(1), weight: 1 }));
    store.set_limits(&QueueName::from_static("mail"), vec![each]).await.unwrap();
    let text = get(&dashboard(store), "/queue?queue=mail").await.text;
    assert!(text.contains("No job of a partition waits or runs."), "{text}");
}

#[tokio::test]
async fn a_hostile_key_is_text() {
    let store = memory();
    enqueue_of(&store, "<script>&\"'", 1).await;
    let text = get(&dashboard(store), "/queue?queue=mail").await.text;
    assert!(!text.contains("<script>&") && text.contains("partition=%3Cscript%3E%26%22%27"), "{text}");
}
