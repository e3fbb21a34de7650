//! Gates and end signals that no store takes, and stores that take none.

use super::{raising, sender, suspend::suspend, waiting_for};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{END_SIGNALS_MAX, EndSignal, ErrorKind, NewJob, OnWaiting, lifecycle::Event};

cases! { "refused_gates":
    what_contradicts_itself_is_refused_before_anything_is_stored [I17] (Gates);
    as_many_signals_as_a_job_may_have_are_sent [I17 I28] (Gates);
    a_store_without_gates_says_so [I17];
}

fn signals(n: usize) -> Vec<EndSignal> {
    (0..n).map(|n| EndSignal::to(nth(n))).collect()
}

async fn what_contradicts_itself_is_refused_before_anything_is_stored(bench: &Bench) {
    let replace = OnWaiting::Replace { max_wait: None };
    let refused: [(NewJob, &str); 7] = [
        (waiting_for(1).with_delay(MILLI), "delay"),
        (waiting_for(1).with_expires_in(KEPT), "expire"),
        (waiting_for(1).with_on_waiting(replace), "replace"),
        (sender("a").with_on_waiting(replace), "replace"),
        (job("a").with_end_signals(signals(END_SIGNALS_MAX + 1)), "at most 64"),
        (job("a").with_end_signals([raising("b"), EndSignal::to(id("b"))]), "two end signals"),
        (job("a").with_end_signals([raising("a")]), "itself"),
    ];
    for (new, why) in refused {
        let followed = bench.put_and_claim("held").await;
        let error = bench.enqueue_refused(vec![vec![job("first"), new.clone()]]).await;
        assert!(error.kind() == ErrorKind::Invalid && error.to_string().contains(why), "{error}");
        let step = decided(&followed.record.meta, complete_then(followed.token, vec![new]));
        assert_eq!(bench.apply_refused(vec![step]).await.kind(), ErrorKind::Invalid);
        assert_eq!(bench.find("first").await, None);
        bench.complete(&followed).await;
        bench.changed("held", Event::Delete).await;
    }
}

async fn as_many_signals_as_a_job_may_have_are_sent(bench: &Bench) {
    let gated = (0..END_SIGNALS_MAX).map(|n| NewJob { id: nth(n), ..waiting_for(1) });
    bench.enqueue_groups(vec![gated.collect()]).await;
    bench.put_job(job("a").with_end_signals(signals(END_SIGNALS_MAX))).await;
    let held = bench.claim_one().await;
    bench.complete(&held).await;
    assert_eq!(bench.claim(END_SIGNALS_MAX + 1).await.len(), END_SIGNALS_MAX);
}

async fn a_store_without_gates_says_so(bench: &Bench) {
    if bench.store().capabilities().limits.gates {
        return;
    }
    for new in [waiting_for(1), sender("a")] {
        assert_eq!(bench.enqueue_refused(vec![vec![new]]).await.kind(), ErrorKind::Unsupported);
    }
    let held = bench.put_and_claim("a").await;
    let suspended = decided(&held.record.meta, suspend(held.token, Vec::new()));
    assert_eq!(bench.apply_refused(vec![suspended]).await.kind(), ErrorKind::Unsupported);
    assert_eq!(bench.counts().await.gated, 0);
    bench.complete(&held).await;
}
