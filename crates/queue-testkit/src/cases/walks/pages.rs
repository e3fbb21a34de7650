//! Where a page begins and ends, and how much it reads.

use super::{along, fail_finally, ids, tag};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Direction::{NewestFirst, OldestFirst},
    ErrorKind, Kind, ListFilter, ListQuery, Span, State, Walk,
    lifecycle::Event,
};
use std::collections::BTreeSet;

cases! { "list":
    jobs_that_move_between_pages_are_listed_once_and_hide_none [I20];
    the_job_at_which_a_page_ended_may_go [I20];
    a_cursor_of_another_listing_is_refused [I20];
    a_cursor_is_good_for_another_limit [I20];
    the_failed_are_found_among_many_that_are_done [I20];
    a_small_queue_is_found_beside_a_large_one [I20];
    a_page_tells_what_it_looked_at [I20];
}

/// Jobs leave the index and come back, on both sides of the position.
async fn jobs_that_move_between_pages_are_listed_once_and_hide_none(bench: &Bench) {
    let texts: Vec<String> = (0..12).map(|n| nth(n).to_string()).collect();
    for text in &texts {
        let held = bench.put_and_claim(text).await;
        bench.fail_terminally(&held).await;
        bench.advance(MILLI);
    }
    let query = along(bench, Walk::State(State::Failed, NewestFirst));
    let first = bench.page(query.clone()).await;
    assert_eq!(ids(&first.jobs), [11, 10, 9].map(|n| nth(n).to_string()));
    for n in [10, 9, 8, 3] {
        bench.changed(nth(n).as_str(), Event::Redrive { content_type: None }).await;
    }
    let again = bench.claim_one().await;
    bench.fail_terminally(&again).await;
    let rest = bench.list_ids(ListQuery { after: first.next, ..query }).await;
    assert_eq!(rest, [7, 6, 5, 4, 2, 1, 0].map(|n| nth(n).to_string()));
}

/// A cursor is a position, not a job.
async fn the_job_at_which_a_page_ended_may_go(bench: &Bench) {
    for (n, ms) in (0..6).enumerate() {
        bench.put_job(job(nth(n).as_str()).with_tags(tags(["t"])).with_delay(Span::from_millis(ms))).await;
    }
    bench.advance(RETRY);
    for walk in [Walk::All(NewestFirst), Walk::Due, Walk::Tagged(tag("t"), NewestFirst)] {
        let query = along(bench, walk.clone());
        let first = bench.page(query.clone()).await;
        let last = first.jobs.last().expect("a page of three").id.clone();
        bench.changed(last.as_str(), Event::Delete).await;
        let rest = bench.list_ids(ListQuery { after: first.next, ..query }).await;
        let shown: BTreeSet<_> = ids(&first.jobs).into_iter().chain(rest).collect();
        assert_eq!(shown.len(), 6, "along {walk:?}");
        bench.put_job(job(last.as_str()).with_tags(tags(["t"]))).await;
    }
}

/// The cursor belongs to another queue, index or filter.
async fn a_cursor_of_another_listing_is_refused(bench: &Bench) {
    for n in 0..4 {
        bench.put_job(job(nth(n).as_str()).with_tags(tags(["t"]))).await;
    }
    let all = ListQuery { limit: 1, ..along(bench, Walk::All(OldestFirst)) };
    let after = bench.page(all.clone()).await.next;
    assert!(after.is_some());
    let others = [
        ListQuery { queue: bench.on_queue("other").queue().clone(), ..all.clone() },
        ListQuery { walk: Walk::All(NewestFirst), ..all.clone() },
        ListQuery { walk: Walk::Due, ..all.clone() },
        ListQuery { walk: Walk::Tagged(tag("t"), OldestFirst), ..all.clone() },
        all.clone().matching(ListFilter::in_states([State::Queued])),
        all.clone().matching(ListFilter { tag: Some(tag("t")), ..ListFilter::default() }),
    ];
    for query in others {
        let refused = bench.store().list(ListQuery { after: after.clone(), ..query }).await;
        assert_eq!(refused.expect_err("it is of another listing").kind(), ErrorKind::Invalid);
    }
}

async fn a_cursor_is_good_for_another_limit(bench: &Bench) {
    bench.put_many(5).await;
    let query = ListQuery { limit: 2, ..along(bench, Walk::All(NewestFirst)) };
    let after = bench.page(query.clone()).await.next;
    assert_eq!(
        bench.list_ids(ListQuery { after, limit: 100, ..query }).await,
        [2, 1, 0].map(|n| nth(n).to_string())
    );
}

/// The listing does not read the others.
async fn the_failed_are_found_among_many_that_are_done(bench: &Bench) {
    bench.put_many(300).await;
    let held = bench.claim(300).await;
    let settle = |n: usize| if n == 7 { fail_finally } else { complete };
    bench
        .apply_all(
            held.iter().enumerate().map(|(n, job)| decided(&job.record.meta, settle(n)(job.token))).collect(),
        )
        .await;
    for end in [OldestFirst, NewestFirst] {
        let page = bench.page(along(bench, Walk::State(State::Failed, end))).await;
        assert_eq!((ids(&page.jobs), page.looked_at, page.next), (vec![nth(7).to_string()], 1, None));
    }
}

/// The small queue's jobs were enqueued before, between and after the others.
async fn a_small_queue_is_found_beside_a_large_one(bench: &Bench) {
    let small = bench.on_queue("small");
    for n in 0..3 {
        small.put_job(job(nth(n).as_str()).with_tags(tags(["t"]))).await;
        let jobs = (0..100).map(|k| vec![job(&format!("{n}-{k}")).with_tags(tags(["t"]))]).collect();
        bench.enqueue_groups(jobs).await;
    }
    for walk in [
        Walk::All(OldestFirst),
        Walk::All(NewestFirst),
        Walk::Due,
        Walk::Tagged(tag("t"), NewestFirst),
        Walk::State(State::Queued, NewestFirst),
    ] {
        let page = small.page(ListQuery { limit: 10, ..along(&small, walk.clone()) }).await;
        assert_eq!((page.jobs.len(), page.looked_at, page.next), (3, 3, None), "along {walk:?}");
    }
}

/// A page reads no more than it needs.
async fn a_page_tells_what_it_looked_at(bench: &Bench) {
    bench.put_many(50).await;
    let page = bench.page(ListQuery { limit: 10, ..along(bench, Walk::Due) }).await;
    assert!((10..=11).contains(&page.looked_at), "{}", page.looked_at);
    let nothing = ListFilter { kind: Some(Kind::from_static("nothing")), ..ListFilter::default() };
    let page = bench.page(along(bench, Walk::All(NewestFirst)).matching(nothing)).await;
    assert_eq!((page.jobs, page.looked_at, page.next), (vec![], 50, None));
}
