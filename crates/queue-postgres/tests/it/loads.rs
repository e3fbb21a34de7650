//! Loads in real time while sessions are ended, replies are lost and connections are scarce, judged
//! by the checker of the test kit: no acknowledged job is lost, and no caller without a lease
//! changes anything.
//!
//! Each fault lasts two seconds; `QUEUE_TEST_FAULT_ROUNDS=300` repeats it 300 times, with a fresh
//! history each time.

use crate::common::Place;
use crate::load::{LASTS, again_and_again, params, under};
use crate::storm::{application, proxy_of, rounds, through};
use bytes::Bytes;
use queue_postgres::PostgresOptions;
use queue_testkit::{
    history::Params,
    proxy::{Proxy, Traffic},
};
use sqlx::PgConnection;
use std::{cell::Cell, time::Duration};
use tokio::time::sleep;

/// The options of a schema from a URL without parameters, with a name under which the server lists
/// the sessions.
fn named(place: &Place, url: &str) -> PostgresOptions {
    let url = format!("{url}?application_name={}", application(&place.schema));
    PostgresOptions::new(&url).expect("a URL").schema(&place.schema.name).expect("a name")
}

/// Ends one session of the stores, whether it works, idles or listens; returns whether there was
/// one.
async fn end_one(connection: &mut PgConnection, place: &Place) -> usize {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = $1 ORDER BY random() LIMIT 1";
    let ended = sqlx::query(end).bind(application(&place.schema)).fetch_all(connection).await;
    ended.expect("a superuser may").len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions_that_are_ended_every_200_milliseconds_break_no_invariant() {
    for seed in 0..rounds() {
        let Some(place) = Place::new().await else { return };
        let mut killer = place.schema.connect().await.expect("the server answers");
        let fault = again_and_again(Duration::from_millis(200), async || end_one(&mut killer, &place).await);
        let options = named(&place, &place.schema.url).connections_max(4);
        under(&options, params(seed), fault).await;
        place.remove().await;
    }
}

/// Lets the server execute the next request of some kind, and cuts the connection in place of the
/// answer.
async fn lose_a_reply(proxy: &Proxy, request: &'static str) -> usize {
    let before = proxy.counts().withheld;
    proxy.set(Traffic::CutBeforeReply(Bytes::from_static(request.as_bytes()))).await.expect("it runs");
    let after = proxy.wait_for(|counts| counts.withheld > before).await.withheld;
    proxy.set(Traffic::Pass).await.expect("it runs");
    usize::try_from(after - before).expect("few")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn replies_that_are_lost_all_the_time_break_no_invariant() {
    // The requests are commits of transactions, statements that commit by themselves, and anything
    // at all.
    const REQUESTS: [&str; 3] = ["COMMIT", "sqlx_s_", ""];
    for seed in 0..rounds() {
        let Some(place) = Place::new().await else { return };
        let proxy = proxy_of(&place.schema.url);
        let options = named(&place, &through(&proxy, &place.schema.url)).connections_max(4);
        let lost = Cell::new(0);
        let fault = again_and_again(Duration::from_millis(20), async || {
            lost.set(lost.get() + 1);
            lose_a_reply(&proxy, REQUESTS[lost.get() % REQUESTS.len()]).await
        });
        under(&options, params(seed), fault).await;
        place.remove().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_tasks_on_two_connections_are_all_answered() {
    for seed in 0..rounds() {
        let Some(place) = Place::new().await else { return };
        let options = named(&place, &place.schema.url).connections_max(1);
        let tasks = Params { producers: 8, workers: 40, meddlers: 8, ..Params::default() };
        let many = queue_testkit::history::LoadParams { tasks, waiters: 8, ..params(seed) };
        let report = under(&options, many, async {
            sleep(LASTS).await;
            1
        })
        .await;
        assert_eq!(report.unanswered(), 0, "everybody had a turn");
        place.remove().await;
    }
}
