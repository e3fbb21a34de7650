//! Records that a caller waits for.

use super::purge_at;
use crate::bench::prelude::*;
use crate::cases::cases;
use queue_core::{
    Changed, JobMeta, Retention, Span, State,
    lifecycle::{Event, Rejected},
};

cases! { "retention":
    an_awaited_record_stays_a_minute_at_least [I13];
    an_awaited_record_stays_as_long_as_asked_beyond_that [I13];
    an_await_while_it_waits_counts [I13];
    an_await_of_a_terminal_job_is_refused [I6];
    an_await_twice_says_that_it_is [I13];
    awaiting_nothing_is_missing [I14];
}

/// The retention may be any, including one given with the settle.
async fn an_awaited_record_stays_a_minute_at_least(bench: &Bench) {
    let minute = Some(Some(bench.now() + Span::from_secs(60)));
    let short = [Retention::Remove, Retention::Keep(Span::ZERO), Retention::Keep(Span::from_millis(59_999))];
    for (n, retention) in short.into_iter().enumerate() {
        let text = nth(n).to_string();
        bench.put_job(job(&text).with_retention(retention).awaited()).await;
        bench.complete(&bench.claim_one().await).await;
        assert_eq!(purge_at(bench, &text).await, minute, "{retention:?}");
    }
    bench.put_job(job("cancelled").with_retention(Retention::Remove).awaited()).await;
    bench.cancel("cancelled").await;
    assert_eq!(purge_at(bench, "cancelled").await, minute);
}

async fn an_awaited_record_stays_as_long_as_asked_beyond_that(bench: &Bench) {
    for (text, retention) in [("a", Retention::Keep(KEPT)), ("b", Retention::Forever)] {
        bench.put_job(job(text).with_retention(retention).awaited()).await;
        bench.complete(&bench.claim_one().await).await;
    }
    assert_eq!(purge_at(bench, "a").await, Some(Some(bench.now() + KEPT)));
    assert_eq!(purge_at(bench, "b").await, Some(None));
}

/// The waiter need not be the producer.
async fn an_await_while_it_waits_counts(bench: &Bench) {
    bench.put_job(job("a").with_retention(Retention::Remove)).await;
    let before = bench.meta("a").await;
    let marked = bench.changed("a", Event::Await).await;
    assert_eq!(marked, JobMeta { awaited: true, revision: before.revision + 1, ..before });
    bench.complete(&bench.claim_one().await).await;
    assert_eq!(bench.result("a").await.as_deref(), Some(RESULT));
}

/// The purge time of a terminal job is set already.
async fn an_await_of_a_terminal_job_is_refused(bench: &Bench) {
    bench.complete(&bench.put_and_claim("a").await).await;
    assert_eq!(
        bench.change("a", Event::Await).await,
        Changed::Rejected(Rejected::NotAllowed(State::Completed))
    );
}

async fn an_await_twice_says_that_it_is(bench: &Bench) {
    bench.put_job(job("a").awaited()).await;
    assert_eq!(bench.change("a", Event::Await).await, Changed::Rejected(Rejected::Already(State::Queued)));
}

/// A wait for an absent job can end at once.
async fn awaiting_nothing_is_missing(bench: &Bench) {
    assert_eq!(bench.change("a", Event::Await).await, Changed::Missing);
}
