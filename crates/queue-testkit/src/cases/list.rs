//! Listings, page by page.

use super::cases;
use crate::bench::prelude::*;
use queue_core::{
    Cursor, ErrorKind, Kind, ListFilter, ListQuery, NewJob, Retention, Span, State, lifecycle::Event,
};

cases! { "list":
    an_empty_queue_lists_nothing [I20];
    jobs_are_listed_in_the_order_of_their_lives [I20];
    every_state_can_be_asked_for [I20];
    several_states_are_listed_together [I20];
    jobs_of_a_kind_are_listed [I20];
    jobs_of_a_worker_are_listed [I20];
    filters_are_joined [I20];
    pages_of_any_size_give_each_job_once [I20];
    a_page_is_never_larger_than_asked_for [I17];
    the_last_page_says_so [I20];
    a_filtered_listing_goes_on_over_pages [I20];
    jobs_that_come_meanwhile_repeat_none [I20];
    jobs_that_go_meanwhile_hide_none [I20];
    a_foreign_cursor_is_refused [I20];
    lapsed_leases_are_listed_longest_first [I15];
    lapsed_leases_are_listed_over_pages [I15];
    leases_of_one_claim_lapse_over_pages_too [I15];
    a_listing_is_about_one_queue [I20];
    a_listing_carries_the_time_of_the_store [I24];
    a_listing_shows_what_a_read_shows [I20];
}

fn all(bench: &Bench, limit: usize) -> ListQuery {
    ListQuery::all(bench.queue().clone(), limit)
}

fn filtered(
    bench: &Bench,
    states: &[State],
    worker_name: Option<&str>,
    kind: Option<&'static str>,
) -> ListQuery {
    let filter = ListFilter {
        states: states.to_vec(),
        worker: worker_name.map(worker),
        kind: kind.map(Kind::from_static),
        ..ListFilter::default()
    };
    ListQuery { filter, ..all(bench, 3) }
}

/// The listing ends at once.
async fn an_empty_queue_lists_nothing(bench: &Bench) {
    let page = bench.page(all(bench, 10)).await;
    assert_eq!((page.jobs, page.next), (vec![], None));
    let page = bench.page(ListQuery::lapsed(bench.queue().clone(), 10)).await;
    assert_eq!((page.jobs, page.next), (vec![], None));
}

/// Id, time and priority play no part.
async fn jobs_are_listed_in_the_order_of_their_lives(bench: &Bench) {
    bench.put_job(job("c").with_delay(RETRY)).await;
    bench.put_job(job("a").with_priority(9)).await;
    bench.put_job(job("b").with_priority(-9)).await;
    assert_eq!(bench.list_ids(all(bench, 10)).await, ["c", "a", "b"]);
}

async fn every_state_can_be_asked_for(bench: &Bench) {
    bench.put_one_of_each().await;
    for state in State::ALL {
        assert_eq!(bench.list_ids(filtered(bench, &[state], None, None)).await, [state.as_str()]);
    }
}

/// The order is still that of the lives.
async fn several_states_are_listed_together(bench: &Bench) {
    bench.put_one_of_each().await;
    let states = [State::Queued, State::Completed, State::Cancelled];
    assert_eq!(
        bench.list_ids(filtered(bench, &states, None, None)).await,
        ["completed", "cancelled", "queued"]
    );
    assert_eq!(bench.list(filtered(bench, &State::ALL, None, None)).await.len(), 6);
    assert_eq!(bench.list(filtered(bench, &[], None, None)).await.len(), 6);
}

async fn jobs_of_a_kind_are_listed(bench: &Bench) {
    for (n, kind) in ["email", "Email", "email2", "email"].into_iter().enumerate() {
        bench.put_job(NewJob::new(nth(n), Kind::from_static(kind), text_payload("x"))).await;
    }
    let found = bench.list_ids(filtered(bench, &[], None, Some("email"))).await;
    assert_eq!(found, [nth(0).to_string(), nth(3).to_string()]);
}

async fn jobs_of_a_worker_are_listed(bench: &Bench) {
    bench.put_many(6).await;
    for name in ["worker-1", "worker-2", "worker-1"] {
        bench.send(bench.request_of(name, 2, LEASE)).await;
    }
    let expected = [0, 1, 4, 5].map(|n| nth(n).to_string());
    assert_eq!(bench.list_ids(filtered(bench, &[], Some("worker-1"), None)).await, expected);
    assert_eq!(bench.list_ids(filtered(bench, &[], Some("worker-3"), None)).await, [""; 0]);
}

/// A job must match all filters.
async fn filters_are_joined(bench: &Bench) {
    bench.put_one_of_each().await;
    let both = filtered(bench, &[State::Processing], Some("worker-1"), Some("email"));
    assert_eq!(bench.list_ids(both).await, ["processing"]);
    let none = filtered(bench, &[State::Queued], Some("worker-1"), None);
    assert_eq!(bench.list_ids(none).await, [""; 0]);
    let none = filtered(bench, &[State::Processing], Some("worker-1"), Some("sms"));
    assert_eq!(bench.list_ids(none).await, [""; 0]);
}

/// The page sizes lie around the number of jobs.
async fn pages_of_any_size_give_each_job_once(bench: &Bench) {
    bench.put_many(10).await;
    let expected: Vec<_> = (0..10).map(|n| nth(n).to_string()).collect();
    for limit in [1, 2, 3, 5, 9, 10, 11, 1000] {
        assert_eq!(bench.list_ids(all(bench, limit)).await, expected, "pages of {limit}");
    }
}

/// A page may be smaller.
async fn a_page_is_never_larger_than_asked_for(bench: &Bench) {
    bench.put_many(10).await;
    for limit in [1, 4, 9] {
        assert!(bench.page(all(bench, limit)).await.jobs.len() <= limit);
    }
}

/// Otherwise a reader would go on for ever.
async fn the_last_page_says_so(bench: &Bench) {
    bench.put_many(3).await;
    let mut query = all(bench, 3);
    for _ in 0..5 {
        match bench.page(query.clone()).await.next {
            Some(cursor) => query.after = Some(cursor),
            None => return,
        }
    }
    panic!("the listing does not end");
}

/// The matching jobs may be far apart.
async fn a_filtered_listing_goes_on_over_pages(bench: &Bench) {
    bench.put_many(300).await;
    for n in [5, 100, 101, 102, 250, 299] {
        bench.cancel(nth(n).as_str()).await;
    }
    let found = bench.list_ids(filtered(bench, &[State::Cancelled], None, None)).await;
    assert_eq!(found, [5, 100, 101, 102, 250, 299].map(|n| nth(n).to_string()));
}

/// New jobs come at the end.
async fn jobs_that_come_meanwhile_repeat_none(bench: &Bench) {
    bench.put_many(6).await;
    let first = bench.page(all(bench, 3)).await;
    bench.put("new").await;
    let rest = ListQuery { after: first.next, ..all(bench, 100) };
    let mut seen: Vec<_> = first.jobs.iter().map(|meta| meta.id.to_string()).collect();
    seen.extend(bench.list_ids(rest).await);
    let expected: Vec<_> = (0..6).map(|n| nth(n).to_string()).chain(["new".to_owned()]).collect();
    assert_eq!(seen, expected);
}

/// A cursor is a position, not a count; even its own job may be removed.
async fn jobs_that_go_meanwhile_hide_none(bench: &Bench) {
    bench.put_many(6).await;
    let first = bench.page(all(bench, 3)).await;
    for n in [0, 1, 2] {
        bench.changed(nth(n).as_str(), Event::Delete).await;
    }
    let rest = ListQuery { after: first.next, ..all(bench, 100) };
    assert_eq!(bench.list_ids(rest).await, [3, 4, 5].map(|n| nth(n).to_string()));
}

async fn a_foreign_cursor_is_refused(bench: &Bench) {
    bench.put("a").await;
    for text in ["no cursor of mine", "\u{1F600}", "'; --", "1:2", "elsewhere:1:2"] {
        for query in [all(bench, 10), ListQuery::lapsed(bench.queue().clone(), 10)] {
            let query = ListQuery { after: Some(Cursor(text.to_owned())), ..query };
            let refused = bench.store().list(query).await.expect_err("it is no cursor");
            assert_eq!(refused.kind(), ErrorKind::Invalid);
        }
    }
}

/// The longest lapsed jobs need help most.
async fn lapsed_leases_are_listed_longest_first(bench: &Bench) {
    for (text, secs) in [("a", 5), ("b", 2), ("c", 9), ("d", 2), ("e", 60)] {
        bench.put(text).await;
        bench.claim_for(Span::from_secs(secs)).await;
    }
    bench.advance(Span::from_secs(10));
    assert_eq!(bench.list_ids(ListQuery::lapsed(bench.queue().clone(), 10)).await, ["b", "d", "a", "c"]);
}

async fn lapsed_leases_are_listed_over_pages(bench: &Bench) {
    bench.put_many(20).await;
    for n in 0..20 {
        bench.claim_for(Span::from_secs(1 + (n * 7) % 20)).await;
    }
    bench.advance(LEASE);
    let found = bench.list(ListQuery::lapsed(bench.queue().clone(), 3)).await;
    let ends: Vec<_> =
        found.iter().filter_map(|meta| meta.lease.as_ref()).map(|lease| lease.expires_at).collect();
    assert_eq!(ends.len(), 20);
    assert!(ends.is_sorted(), "{ends:?}");
}

/// The times of these leases are equal, so a cursor needs more than a time.
async fn leases_of_one_claim_lapse_over_pages_too(bench: &Bench) {
    bench.put_many(10).await;
    bench.claim(10).await;
    bench.advance(LEASE);
    let mut found = bench.list_ids(ListQuery::lapsed(bench.queue().clone(), 3)).await;
    found.sort();
    assert_eq!(found, (0..10).map(|n| nth(n).to_string()).collect::<Vec<_>>());
}

async fn a_listing_is_about_one_queue(bench: &Bench) {
    let other = bench.on_queue("other");
    bench.put_many(3).await;
    other.put_job(job(nth(0).as_str()).with_retention(Retention::Forever)).await;
    assert_eq!(bench.list(all(bench, 2)).await.len(), 3);
    let found = other.list(all(&other, 2)).await;
    assert_eq!(found.iter().map(|meta| &meta.queue).collect::<Vec<_>>(), [other.queue()]);
}

/// Readers need it for ages and countdowns.
async fn a_listing_carries_the_time_of_the_store(bench: &Bench) {
    bench.advance(MILLI);
    assert_eq!(bench.page(all(bench, 1)).await.now, bench.now());
}

async fn a_listing_shows_what_a_read_shows(bench: &Bench) {
    bench.put_one_of_each().await;
    for meta in bench.list(all(bench, 10)).await {
        assert_eq!(bench.meta(meta.id.as_str()).await, meta);
    }
}
