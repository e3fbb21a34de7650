//! Which queues are listed, and in what order.

use super::{assert_counted, listed, names, page, status};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{ListQuery, Pause, Prune, QueueStatus, QueuesQuery, Retention, Span, State, StorageExt};
use std::collections::BTreeSet;

/// More than a page, and few enough to be quick.
const MANY: usize = 23;

cases! { "queues":
    an_empty_store_lists_nothing [I20];
    a_queue_is_listed_from_its_first_job_on [I20];
    reads_and_refusals_list_nothing [I20];
    queues_stand_in_the_order_of_their_names [I20];
    hostile_names_are_listed_as_they_are [I20];
    pages_show_every_queue_once [I20];
    a_walk_meets_what_came_behind_it_and_nothing_twice [I20];
    a_queue_is_found_by_its_name [I20];
    a_queue_whose_last_record_is_gone_stays_listed [I20];
}

async fn an_empty_store_lists_nothing(bench: &Bench) {
    assert_eq!(listed(bench, 10).await, []);
    assert_eq!(bench.store().status_of(bench.queue()).await.expect("queues answers"), None);
}

async fn a_queue_is_listed_from_its_first_job_on(bench: &Bench) {
    bench.put("a").await;
    let found = listed(bench, 10).await;
    let expected = QueueStatus {
        name: bench.queue().clone(),
        pause: Pause::Off,
        paused_kinds: vec![],
        counts: bench.counts().await,
    };
    assert_eq!(found, [expected]);
    assert_eq!(found[0].counts.of(State::Queued), 1);
}

/// Looking for a queue does not create it.
async fn reads_and_refusals_list_nothing(bench: &Bench) {
    bench.counts().await;
    assert_eq!(bench.find("a").await, None);
    assert!(bench.list(ListQuery::all(bench.queue().clone(), 9)).await.is_empty());
    assert!(bench.claim(9).await.is_empty());
    assert_eq!(bench.prune(Prune::Everything, 9).await, 0);
    let refused = job("a").with_delay(Span::from_secs(5)).with_expires_in(Span::from_secs(1));
    assert_refused(&bench.enqueue_refused(vec![vec![refused]]).await);
    assert_eq!(listed(bench, 10).await, []);
}

/// The order is that of the bytes, independent of language and of creation.
async fn queues_stand_in_the_order_of_their_names(bench: &Bench) {
    let in_order = ["A", "B", "Z", "a", "a b", "a-b", "ab", "b", "z", "\u{E9}", "\u{65E5}", "\u{1F600}"];
    for name in in_order.iter().rev() {
        bench.on_queue(name).put("job").await;
    }
    assert_eq!(names(bench, 5).await, in_order);
}

async fn hostile_names_are_listed_as_they_are(bench: &Bench) {
    let hostile: BTreeSet<String> = hostile().into_iter().collect();
    for name in &hostile {
        bench.on_queue(name).put("job").await;
    }
    assert_eq!(names(bench, 7).await, Vec::from_iter(hostile));
}

/// The case tries every page size.
async fn pages_show_every_queue_once(bench: &Bench) {
    let expected: Vec<String> = (0..MANY).map(|n| format!("queue-{n:02}")).collect();
    for name in &expected {
        bench.on_queue(name).put("job").await;
    }
    for limit in [0, 1, 2, 7, MANY - 1, MANY, MANY + 1, usize::MAX] {
        assert_eq!(names(bench, limit).await, expected, "in pages of {limit}");
    }
    let (_, next) = page(bench, QueuesQuery::all(MANY + 1)).await;
    assert_eq!(next, None, "a page with room is the last");
}

async fn a_walk_meets_what_came_behind_it_and_nothing_twice(bench: &Bench) {
    for name in ["b", "d", "f"] {
        bench.on_queue(name).put("job").await;
    }
    let (first, next) = page(bench, QueuesQuery::all(2)).await;
    for name in ["a", "c", "e", "f"] {
        bench.on_queue(name).put("another").await;
    }
    let (rest, _) = page(bench, next.expect("there is more")).await;
    let seen: Vec<&str> = first.iter().chain(&rest).map(|status| status.name.as_str()).collect();
    assert_eq!(seen, ["b", "d", "e", "f"]);
    assert_eq!(rest[1].counts.total(), 2, "as it is by now");
}

/// The names of several queues begin alike.
async fn a_queue_is_found_by_its_name(bench: &Bench) {
    for (n, name) in ["mail", "mail ", "mailer"].into_iter().enumerate() {
        bench.on_queue(name).put_many(n + 1).await;
    }
    for (n, name) in ["mail", "mail ", "mailer"].into_iter().enumerate() {
        assert_eq!(status(&bench.on_queue(name)).await.counts.total(), n as u64 + 1, "{name:?}");
    }
    for name in ["m", "mail  ", "maile", "nail"] {
        let found = bench.store().status_of(bench.on_queue(name).queue()).await;
        assert_eq!(found.expect("queues answers"), None, "{name:?}");
    }
}

/// Otherwise a dashboard would lose a queue whenever its work is done.
async fn a_queue_whose_last_record_is_gone_stays_listed(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Remove)).await;
    bench.complete(&bench.claim_one().await).await;
    assert_counted(bench, [0; 6], "when nothing is left").await;
    bench.put("b").await;
    bench.prune(Prune::Everything, 9).await;
    assert_counted(bench, [0; 6], "when nothing is left again").await;
    assert_eq!(names(bench, 10).await, [bench.queue().as_str()]);
}
