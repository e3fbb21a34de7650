//! Workers as they present themselves, for people to look at.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{QueueName, Span, WorkerInfo};
use std::time::Duration;

cases! { "presence":
    nobody_is_there_at_first [I16] (Presence);
    a_worker_is_shown_as_it_announced_itself [I16] (Presence);
    an_announcement_replaces_the_one_before [I16] (Presence);
    several_workers_are_shown [I16] (Presence);
    a_worker_expires_on_the_millisecond [I16] (Presence);
    an_announcement_prolongs [I16] (Presence);
    no_time_at_all_retires_a_worker [I22] (Presence);
    retiring_a_stranger_is_fine [I22] (Presence);
    hostile_names_are_shown_as_they_are [I16] (Presence);
    presence_is_shared_by_handles [I16] (Presence SecondHandle);
}

const TTL: Duration = Duration::from_secs(10);

fn info(name: &str) -> WorkerInfo {
    let queues = vec![QueueName::from_static("emails"), QueueName::from_static("a:b'\"")];
    WorkerInfo { id: worker(name), queues, concurrency: 64, running: 3, host: "host-a (17)".to_owned() }
}

async fn announce(bench: &Bench, info: WorkerInfo, ttl: Duration) {
    bench.store().announce(info, ttl).await.expect("it keeps presence");
}

async fn names(bench: &Bench) -> Vec<String> {
    let mut names: Vec<_> = workers(bench).await.into_iter().map(|info| info.id.to_string()).collect();
    names.sort();
    names
}

async fn workers(bench: &Bench) -> Vec<WorkerInfo> {
    bench.store().workers().await.expect("it keeps presence")
}

/// An empty list.
async fn nobody_is_there_at_first(bench: &Bench) {
    assert_eq!(workers(bench).await, []);
}

/// Every part of it.
async fn a_worker_is_shown_as_it_announced_itself(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    assert_eq!(workers(bench).await, [info("a")]);
    let bare =
        WorkerInfo { id: worker("a"), queues: vec![], concurrency: 0, running: 0, host: String::new() };
    announce(bench, bare.clone(), TTL).await;
    assert_eq!(workers(bench).await, [bare]);
}

/// How much it runs changes all the time.
async fn an_announcement_replaces_the_one_before(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    let busier = WorkerInfo { running: u32::MAX, queues: vec![], ..info("a") };
    announce(bench, busier.clone(), TTL).await;
    assert_eq!(workers(bench).await, [busier]);
}

/// Each once.
async fn several_workers_are_shown(bench: &Bench) {
    for name in ["b", "a", "c", "a"] {
        announce(bench, info(name), TTL).await;
    }
    assert_eq!(names(bench).await, ["a", "b", "c"]);
}

/// One before it is there, on it it is not.
async fn a_worker_expires_on_the_millisecond(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    announce(bench, info("b"), TTL * 2).await;
    bench.advance(Span::from_millis(9_999));
    assert_eq!(names(bench).await, ["a", "b"]);
    bench.advance(MILLI);
    assert_eq!(names(bench).await, ["b"]);
}

/// Counted from then.
async fn an_announcement_prolongs(bench: &Bench) {
    for _ in 0..5 {
        announce(bench, info("a"), TTL).await;
        bench.advance(Span::from_secs(9));
    }
    assert_eq!(names(bench).await, ["a"]);
}

/// A worker says goodbye.
async fn no_time_at_all_retires_a_worker(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    announce(bench, info("b"), TTL).await;
    announce(bench, info("a"), Duration::ZERO).await;
    assert_eq!(names(bench).await, ["b"]);
}

/// Goodbye may come twice.
async fn retiring_a_stranger_is_fine(bench: &Bench) {
    announce(bench, info("a"), Duration::ZERO).await;
    assert_eq!(workers(bench).await, []);
}

/// Host texts are anything at all.
async fn hostile_names_are_shown_as_they_are(bench: &Bench) {
    let texts = ["'", "\"", "a:b", "{}", "\u{1F600}", "\u{5E9}\u{5DC}", "%s", "\\"];
    for text in texts {
        let odd = WorkerInfo {
            queues: vec![QueueName::new(text).expect("valid")],
            host: format!("{text}\n{text}"),
            ..info(text)
        };
        announce(bench, odd.clone(), TTL).await;
        assert!(workers(bench).await.contains(&odd), "{odd:?}");
    }
    assert_eq!(workers(bench).await.len(), texts.len());
}

/// Or people would see only themselves.
async fn presence_is_shared_by_handles(bench: &Bench) {
    let other = bench.second().await;
    announce(bench, info("a"), TTL).await;
    announce(&other, info("b"), TTL).await;
    assert_eq!(names(bench).await, ["a", "b"]);
    assert_eq!(names(&other).await, ["a", "b"]);
}
