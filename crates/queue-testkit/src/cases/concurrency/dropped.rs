//! Calls whose future is dropped half-way. The effect happens as a whole or not at all, and the
//! call may be repeated.

use super::ROUNDS;
use crate::bench::prelude::*;
use crate::cases::cases;
use futures_util::FutureExt;
use queue_core::{Prune, State};
use tokio::task::yield_now;

/// The claims that are dropped together: some are merged, some not yet sent.
const DROPPED: usize = 4;
/// The moments at which they are dropped, from before the first is sent to after the last is
/// answered.
const MOMENTS: usize = 12;

cases! { "concurrency":
    a_dropped_enqueue_is_whole_or_nothing [I1 I19];
    a_dropped_settle_can_be_sent_again [I5];
    a_dropped_claim_lapses [I3 I15];
    what_dropped_claims_leased_goes_back_uncharged [I7 I22 I23] (DroppedClaims);
}

/// The caller drops its enqueue, and sends it again.
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

/// Either of the two settles did it.
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

/// If the dropped claim leased the job, no other claim gets it before it is given back or lapses.
async fn a_dropped_claim_lapses(bench: &Bench) {
    let mut rescued = 0;
    for round in 0..ROUNDS {
        let text = nth(round).to_string();
        bench.put(&text).await;
        let store = bench.store();
        drop(store.claim(bench.request(1)).now_or_never());
        let mut claimed = bench.claim_ids(1).await;
        while claimed.is_empty() {
            // The dropped claim holds the job, or may be about to: stores with several writers skip
            // jobs that another claim has locked.
            bench.advance(LEASE);
            rescued += bench.rescue().await.len();
            claimed = bench.claim_ids(1).await;
        }
        assert_eq!(claimed, [text.as_str()]);
        // A dropped claim that still runs to its end may lease the job of a later round.
        assert!(rescued <= round + 1, "each lapses once");
        let meta = bench.meta(&text).await;
        assert_eq!((meta.state, meta.lease.is_some()), (State::Processing, true));
        bench.prune(Prune::Everything, 10).await;
    }
}

/// The claim is dropped before it is sent, while it is under way, or with an unread answer. Time
/// stands still, and its job must become claimable again.
async fn what_dropped_claims_leased_goes_back_uncharged(bench: &Bench) {
    for round in 0..ROUNDS {
        let text = nth(round).to_string();
        bench.put(&text).await;
        let store = bench.store();
        let mut heard = Vec::new();
        let mut waiting = Vec::new();
        for mut claim in (0..DROPPED).map(|_| store.claim(bench.request(1))) {
            match (&mut claim).now_or_never() {
                Some(answer) => heard.push(answer.expect("claim answers")),
                None => waiting.push(claim),
            }
        }
        for _ in 0..round % MOMENTS {
            yield_now().await;
        }
        drop(waiting);
        for job in heard.iter().flat_map(|claimed| &claimed.jobs) {
            bench.release(job).await;
        }
        let held = loop {
            match bench.claim(1).await.pop() {
                Some(held) => break held,
                None => yield_now().await,
            }
        };
        let meta = &held.record.meta;
        assert_eq!((meta.id.as_str(), meta.stalls, meta.failures), (text.as_str(), 0, 0));
        bench.complete(&held).await;
    }
}
