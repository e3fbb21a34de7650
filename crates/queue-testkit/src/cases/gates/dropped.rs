//! Calls about gates whose future is dropped half-way, and that are then sent again. Each takes
//! effect once, as a whole.

use super::{SUM, gate, member, sender, suspend::suspend, unsealed, waiting_for};
use crate::{bench::prelude::*, cases::cases};
use futures_util::FutureExt;
use queue_core::{
    Changed,
    lifecycle::{Event, Rejected},
};
use std::{pin::pin, time::Duration};
use tokio::{task::yield_now, time::sleep};

/// The turns of other tasks after which a call is dropped, from before it is sent to long after it
/// is answered.
const MOMENTS: [usize; 12] = [0, 1, 2, 3, 4, 6, 8, 16, 32, 64, 256, 1024];
/// How long a claim that brought nothing is left alone; the limit of a case ends this.
const RETRY: Duration = Duration::from_millis(5);

cases! { "gates":
    a_dropped_enqueue_raises_once [I28 I19] (Gates);
    a_dropped_settle_signals_once [I28 I5] (Gates);
    a_dropped_suspend_closes_once [I28 I29 I5] (Gates);
    a_dropped_seal_opens_once_it_is_sent_again [I29] (Gates);
}

async fn drop_after<T>(turns: usize, call: impl Future<Output = T>) {
    let mut call = pin!(call);
    for _ in 0..turns {
        if call.as_mut().now_or_never().is_some() {
            return;
        }
        yield_now().await;
    }
}

/// Claims the jobs that are due, as soon as there are any. What is left of a dropped call may hold
/// a gate for a moment on a server, and a claim beside it leaves such a gate closed.
async fn claim_when_due(bench: &Bench) -> Vec<String> {
    loop {
        let ids = bench.claim_ids(9).await;
        if !ids.is_empty() {
            return ids;
        }
        sleep(RETRY).await;
    }
}

async fn a_dropped_enqueue_raises_once(bench: &Bench) {
    for turns in MOMENTS {
        let bench = &bench.on_queue(&format!("dropped-{turns}"));
        bench.put_job(unsealed()).await;
        let groups = vec![vec![member("a"), member("b")]];
        let store = bench.store();
        drop_after(turns, store.enqueue(bench.queue(), groups.clone())).await;
        let answers = bench.enqueue_groups(groups).await.remove(0);
        let new = answers.iter().filter(|answer| answer.is_new()).count();
        assert!(new == 0 || new == 2, "{new} of a group of two were new");
        assert_eq!(gate(bench).await.needs, 2, "after {turns} turns");
    }
}

async fn a_dropped_settle_signals_once(bench: &Bench) {
    for turns in MOMENTS {
        let bench = &bench.on_queue(&format!("dropped-{turns}"));
        bench.put_job(waiting_for(1)).await;
        bench.put_job(sender("a")).await;
        let held = bench.claim_one().await;
        let sent = decided(&held.record.meta, complete(held.token));
        let store = bench.store();
        drop_after(turns, store.apply(vec![sent.clone()])).await;
        assert_done!([bench.apply(sent).await]);
        assert_eq!(gate(bench).await.signals, 1, "after {turns} turns");
        assert_eq!(claim_when_due(bench).await, [SUM]);
    }
}

async fn a_dropped_suspend_closes_once(bench: &Bench) {
    for turns in MOMENTS {
        let bench = &bench.on_queue(&format!("dropped-{turns}"));
        let held = bench.put_and_claim(SUM).await;
        let sent = decided(&held.record.meta, suspend(held.token, vec![member("child")]));
        let store = bench.store();
        drop_after(turns, store.apply(vec![sent.clone()])).await;
        assert_done!([bench.apply(sent).await]);
        let closed = gate(bench).await;
        assert_eq!((closed.needs, closed.closed_at), (1, Some(1)), "after {turns} turns");
        assert_eq!(claim_when_due(bench).await, ["child"]);
    }
}

async fn a_dropped_seal_opens_once_it_is_sent_again(bench: &Bench) {
    for turns in MOMENTS {
        let bench = &bench.on_queue(&format!("dropped-{turns}"));
        bench.put_job(unsealed()).await;
        let sent = decided(&bench.meta(SUM).await, Event::Seal);
        let store = bench.store();
        drop_after(turns, store.apply(vec![sent])).await;
        let again = bench.change(SUM, Event::Seal).await;
        let is_sealed = matches!(again, Changed::Done(_) | Changed::Rejected(Rejected::Already(_)));
        assert!(is_sealed, "after {turns} turns: {again:?}");
        assert_eq!(claim_when_due(bench).await, [SUM]);
    }
}
