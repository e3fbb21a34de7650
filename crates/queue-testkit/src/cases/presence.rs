//! Workers as they announce themselves, for people to look at.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{Duty, QueueName, Span, WorkerInfo};
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
    what_a_worker_tells_of_itself_is_any_bytes [I16] (Presence);
    more_than_is_kept_is_refused_whole [I16] (Presence);
    a_worker_that_is_asked_to_drain_hears_it_each_time [I22] (Presence);
    asking_twice_is_once [I22] (Presence);
    other_workers_are_not_asked [I22] (Presence);
    nobody_drains_a_worker_that_is_not_there [I22] (Presence);
    an_announcement_cannot_ask_by_itself [I22] (Presence);
    a_wish_is_gone_with_the_worker [I22] (Presence);
    a_wish_lasts_no_longer_than_the_announcement [I22] (Presence);
    a_wish_is_heard_by_every_handle [I22] (Presence SecondHandle);
    a_wish_survives_reopening [I21] (Presence Reopen);
    a_worker_is_paused_until_it_is_to_work_again [I22] (Presence);
    a_worker_that_drains_goes_on_draining [I22] (Presence);
}

const TTL: Duration = Duration::from_secs(10);

fn info(name: &str) -> WorkerInfo {
    let queues = vec![QueueName::from_static("emails"), QueueName::from_static("a:b'\"")];
    let host = "host-a (17)".to_owned();
    let about = r#"{"pid":17}"#.into();
    WorkerInfo { queues, concurrency: 64, held: 3, host, about, ..WorkerInfo::new(worker(name)) }
}

async fn announce(bench: &Bench, info: WorkerInfo, ttl: Duration) -> Duty {
    bench.store().announce(info, ttl).await.expect("it keeps presence")
}

async fn ask(bench: &Bench, name: &str, duty: Duty) -> Option<Duty> {
    bench.store().set_duty(&worker(name), duty).await.expect("it keeps presence")
}

async fn drain(bench: &Bench, name: &str) -> bool {
    ask(bench, name, Duty::Drain).await == Some(Duty::Drain)
}

async fn names(bench: &Bench) -> Vec<String> {
    let mut names: Vec<_> = workers(bench).await.into_iter().map(|info| info.id.to_string()).collect();
    names.sort();
    names
}

async fn workers(bench: &Bench) -> Vec<WorkerInfo> {
    bench.store().workers().await.expect("it keeps presence")
}

async fn nobody_is_there_at_first(bench: &Bench) {
    assert_eq!(workers(bench).await, []);
}

/// Every field is shown.
async fn a_worker_is_shown_as_it_announced_itself(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    assert_eq!(workers(bench).await, [info("a")]);
    let bare = WorkerInfo::new(worker("a"));
    announce(bench, bare.clone(), TTL).await;
    assert_eq!(workers(bench).await, [bare]);
}

/// The number of running jobs changes all the time.
async fn an_announcement_replaces_the_one_before(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    let busier = WorkerInfo { held: u32::MAX, queues: vec![], ..info("a") };
    announce(bench, busier.clone(), TTL).await;
    assert_eq!(workers(bench).await, [busier]);
}

async fn several_workers_are_shown(bench: &Bench) {
    for name in ["b", "a", "c", "a"] {
        announce(bench, info(name), TTL).await;
    }
    assert_eq!(names(bench).await, ["a", "b", "c"]);
}

/// A millisecond before its expiry the worker is present; at the expiry it is not.
async fn a_worker_expires_on_the_millisecond(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    announce(bench, info("b"), TTL * 2).await;
    bench.advance(Span::from_millis(9_999));
    assert_eq!(names(bench).await, ["a", "b"]);
    bench.advance(MILLI);
    assert_eq!(names(bench).await, ["b"]);
}

/// The time counts from the last announcement.
async fn an_announcement_prolongs(bench: &Bench) {
    for _ in 0..5 {
        announce(bench, info("a"), TTL).await;
        bench.advance(Span::from_secs(9));
    }
    assert_eq!(names(bench).await, ["a"]);
}

/// A worker retires when it ends.
async fn no_time_at_all_retires_a_worker(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    announce(bench, info("b"), TTL).await;
    announce(bench, info("a"), Duration::ZERO).await;
    assert_eq!(names(bench).await, ["b"]);
}

/// A worker may retire twice.
async fn retiring_a_stranger_is_fine(bench: &Bench) {
    announce(bench, info("a"), Duration::ZERO).await;
    assert_eq!(workers(bench).await, []);
}

/// Names of hosts may be any text.
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

/// Otherwise a process would see only its own workers.
async fn presence_is_shared_by_handles(bench: &Bench) {
    let other = bench.second().await;
    announce(bench, info("a"), TTL).await;
    announce(&other, info("b"), TTL).await;
    assert_eq!(names(bench).await, ["a", "b"]);
    assert_eq!(names(&other).await, ["a", "b"]);
}

/// The description is arbitrary bytes up to a limit; a store does not interpret them.
async fn what_a_worker_tells_of_itself_is_any_bytes(bench: &Bench) {
    let every: Vec<u8> = (0..=u8::MAX).collect();
    let longest = every.iter().copied().cycle().take(WorkerInfo::ABOUT_BYTES_MAX).collect();
    for about in [vec![], vec![0], vec![0xFF, 0xFE], b"\n{}:'\"\\x41".to_vec(), every, longest] {
        let odd = WorkerInfo { about: about.into(), ..info("a") };
        announce(bench, odd.clone(), TTL).await;
        assert_eq!(workers(bench).await, [odd]);
    }
}

/// Nothing is written: the announcement before stays.
async fn more_than_is_kept_is_refused_whole(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    let about = vec![b'x'; WorkerInfo::ABOUT_BYTES_MAX + 1].into();
    let refused = bench.store().announce(WorkerInfo { about, held: 9, ..info("a") }, TTL).await;
    assert_refused(&refused.expect_err("it is too long"));
    assert_eq!(workers(bench).await, [info("a")]);
}

/// The request is in the record, and stays there while the worker announces itself.
async fn a_worker_that_is_asked_to_drain_hears_it_each_time(bench: &Bench) {
    assert_eq!(announce(bench, info("a"), TTL).await, Duty::Work);
    assert!(drain(bench, "a").await);
    let asked = WorkerInfo { duty: Duty::Drain, ..info("a") };
    assert_eq!(workers(bench).await, std::slice::from_ref(&asked), "everybody sees it at once");
    for _ in 0..2 {
        bench.advance(Span::from_secs(9));
        assert_eq!(announce(bench, info("a"), TTL).await, Duty::Drain);
        assert_eq!(workers(bench).await, std::slice::from_ref(&asked));
    }
}

async fn asking_twice_is_once(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    assert!(drain(bench, "a").await && drain(bench, "a").await);
    assert_eq!(workers(bench).await, [WorkerInfo { duty: Duty::Drain, ..info("a") }]);
}

async fn other_workers_are_not_asked(bench: &Bench) {
    for name in ["a", "ab", "b"] {
        announce(bench, info(name), TTL).await;
    }
    assert!(drain(bench, "a").await);
    assert_eq!(announce(bench, info("ab"), TTL).await, Duty::Work);
    assert_eq!(announce(bench, info("b"), TTL).await, Duty::Work);
    assert_eq!(announce(bench, info("c"), TTL).await, Duty::Work);
}

/// A request does not make a worker present that never came, has retired or has expired.
async fn nobody_drains_a_worker_that_is_not_there(bench: &Bench) {
    assert!(!drain(bench, "a").await);
    announce(bench, info("b"), TTL).await;
    announce(bench, info("b"), Duration::ZERO).await;
    assert!(!drain(bench, "b").await);
    announce(bench, info("c"), TTL).await;
    bench.advance(Span::from_secs(10));
    assert!(!drain(bench, "c").await);
    assert_eq!(workers(bench).await, []);
}

/// The store decides the duty, not the worker.
async fn an_announcement_cannot_ask_by_itself(bench: &Bench) {
    let asking = WorkerInfo { duty: Duty::Drain, ..info("a") };
    for _ in 0..2 {
        assert_eq!(announce(bench, asking.clone(), TTL).await, Duty::Work);
        assert_eq!(workers(bench).await, [info("a")]);
    }
}

/// A worker that starts again has no such duty, whether or not its name is the same.
async fn a_wish_is_gone_with_the_worker(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    assert!(drain(bench, "a").await);
    assert_eq!(announce(bench, info("a"), Duration::ZERO).await, Duty::Work);
    assert_eq!(announce(bench, info("b"), TTL).await, Duty::Work);
    assert_eq!(announce(bench, info("a"), TTL).await, Duty::Work);
    assert_eq!(workers(bench).await, [info("a"), info("b")]);
}

/// A worker that died is forgotten, whether or not its record was removed.
async fn a_wish_lasts_no_longer_than_the_announcement(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    assert!(drain(bench, "a").await);
    bench.advance(Span::from_secs(10));
    assert_eq!(announce(bench, info("a"), TTL).await, Duty::Work);
    assert_eq!(workers(bench).await, [info("a")]);
}

/// One process asks, and another answers the worker.
async fn a_wish_is_heard_by_every_handle(bench: &Bench) {
    let other = bench.second().await;
    announce(bench, info("a"), TTL).await;
    assert!(drain(&other, "a").await);
    assert_eq!(announce(bench, info("a"), TTL).await, Duty::Drain);
}

/// Otherwise a worker would run for ever if the store was restarted meanwhile.
async fn a_wish_survives_reopening(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    assert!(drain(bench, "a").await);
    bench.reopen().await;
    assert_eq!(workers(bench).await, [WorkerInfo { duty: Duty::Drain, ..info("a") }]);
    assert_eq!(announce(bench, info("a"), TTL).await, Duty::Drain);
}

/// Unlike a request to drain, one to pause can be taken back.
async fn a_worker_is_paused_until_it_is_to_work_again(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    for duty in [Duty::Pause, Duty::Work, Duty::Pause] {
        assert_eq!(ask(bench, "a", duty).await, Some(duty));
        assert_eq!(workers(bench).await, [WorkerInfo { duty, ..info("a") }]);
        assert_eq!(announce(bench, info("a"), TTL).await, duty);
    }
    assert_eq!(ask(bench, "a", Duty::Drain).await, Some(Duty::Drain));
    for duty in [Duty::Pause, Duty::Work] {
        assert_eq!(ask(bench, "stranger", duty).await, None);
    }
}

/// The worker may know already that it should drain, and be about to end.
async fn a_worker_that_drains_goes_on_draining(bench: &Bench) {
    announce(bench, info("a"), TTL).await;
    assert!(drain(bench, "a").await);
    for duty in [Duty::Pause, Duty::Work] {
        assert_eq!(ask(bench, "a", duty).await, Some(Duty::Drain));
        assert_eq!(announce(bench, info("a"), TTL).await, Duty::Drain);
    }
}
