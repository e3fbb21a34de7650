//! Callers that gave up half-way. The effect happens whole or not at all, and the call may be repeated.

use super::ROUNDS;
use crate::bench::prelude::*;
use crate::cases::cases;
use futures_util::FutureExt;
use queue_core::{Prune, State};

cases! { "concurrency":
    a_dropped_enqueue_is_whole_or_nothing [I1 I19];
    a_dropped_settle_can_be_sent_again [I5];
    a_dropped_claim_lapses [I3 I15];
}

/// A caller that gave up, and asks again.
async fn a_dropped_enqueue_is_whole_or_nothing(bench: &Bench) {
    for round in 0..ROUNDS {
        let group: Vec<_> = (0..10).map(|n| job(&format!("{round}-{n}"))).collect();
        let store = bench.store();
        drop(store.enqueue(bench.queue(), vec![group.clone()]).now_or_never());
        let answers = bench.enqueue_groups(vec![group]).await.remove(0);
        let new = answers.iter().filter(|answer| answer.is_new()).count();
        assert!(new == 0 || new == 10, "{new} of a group of ten were new");
    }
    assert_eq!(bench.counts().await.of(State::Queued), ROUNDS as u64 * 10);
}

/// Done, whichever of the two it was that did it.
async fn a_dropped_settle_can_be_sent_again(bench: &Bench) {
    for round in 0..ROUNDS {
        let text = nth(round).to_string();
        let held = bench.put_and_claim(&text).await;
        let sent = decided(&held.record.meta, complete(held.token));
        let store = bench.store();
        drop(store.apply(vec![sent.clone()]).now_or_never());
        assert_done!([bench.apply(sent).await]);
        assert_eq!(bench.meta(&text).await.revision, 3);
    }
}

/// Nobody holds what it leased, if it did, and nobody else gets it before the lapse.
async fn a_dropped_claim_lapses(bench: &Bench) {
    for round in 0..ROUNDS {
        let text = nth(round).to_string();
        bench.put(&text).await;
        let store = bench.store();
        drop(store.claim(bench.request(1)).now_or_never());
        let mut claimed = bench.claim_ids(1).await;
        let mut rescued = 0;
        while claimed.is_empty() {
            // The dropped one holds it, or may be about to: stores with several writers pass over what it looks at.
            bench.advance(LEASE);
            rescued += bench.rescue().await.len();
            claimed = bench.claim_ids(1).await;
        }
        assert_eq!(claimed, [text.as_str()]);
        assert!(rescued <= 1, "it lapses once");
        let meta = bench.meta(&text).await;
        assert_eq!((meta.state, meta.lease.is_some()), (State::Processing, true));
        bench.prune(Prune::Everything, 10).await;
    }
}
