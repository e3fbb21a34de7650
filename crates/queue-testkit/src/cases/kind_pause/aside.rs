//! Jobs that claims set aside: where they go, and how many a claim sets aside.

use super::{claimed, kind, of_kind, put_in_turn, resume, stop, stop_for};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    ListQuery, Pause, PausedKind, Prune, Span, State, StorageExt, Walk,
    lifecycle::{Amendment, Event, OnProcessing},
};

cases! { "kind_pause":
    what_is_set_aside_is_listed_and_counted_as_due [I20] (Pause);
    what_is_set_aside_is_changed_as_any_waiting_job [I10 I20] (Pause);
    what_is_set_aside_is_pruned_with_everything [I20] (Pause);
    a_job_that_is_set_aside_expires [I6] (Pause);
    many_jobs_of_a_paused_kind_hold_up_none_behind_them [I16] (Pause);
    too_many_kinds_are_refused [I17] (Pause);
    pauses_of_kinds_are_listed_with_the_queue [I20] (Pause);
    a_pause_of_a_kind_and_what_it_set_aside_are_kept_across_a_reopen [I12 I21] (Pause Reopen);
}

async fn what_is_set_aside_is_listed_and_counted_as_due(bench: &Bench) {
    put_in_turn(bench, 6).await;
    let listing = || ListQuery { walk: Walk::Due, ..ListQuery::all(bench.queue().clone(), 2) };
    let (before, counts) = (bench.list_ids(listing()).await, bench.counts().await);
    assert_eq!(before, ["m0", "r1", "m2", "r3", "m4", "r5"]);
    stop(bench, "mail").await;
    stop(bench, "report").await;
    assert_eq!(bench.claim(9).await.len(), 0);
    assert_eq!(bench.list_ids(listing()).await, before, "in the order of claims");
    assert_eq!(bench.counts().await, counts);
}

async fn what_is_set_aside_is_changed_as_any_waiting_job(bench: &Bench) {
    let names = ["cancelled", "promoted", "deleted", "later", "urgent", "last"];
    for name in names {
        bench.put_job(of_kind("mail", name)).await;
    }
    stop(bench, "mail").await;
    assert_eq!(bench.claim(9).await.len(), 0);
    bench.changed("cancelled", Event::Cancel { processing: OnProcessing::Leave }).await;
    bench.changed("promoted", Event::Promote).await;
    bench.change("deleted", Event::Delete).await;
    bench.changed("later", Event::Reschedule { delay: Span::from_secs(9) }).await;
    bench.changed("urgent", Event::Amend(Amendment::of_priority(-1))).await;
    assert_eq!(bench.claim(9).await.len(), 0, "a change resumes nothing");
    resume(bench, "mail").await;
    let mut got = bench.claim_ids(9).await;
    got.sort_unstable();
    assert_eq!(got, ["last", "promoted", "urgent"]);
    bench.advance(Span::from_secs(9));
    assert_eq!(bench.claim_ids(9).await, ["later"]);
}

async fn what_is_set_aside_is_pruned_with_everything(bench: &Bench) {
    put_in_turn(bench, 4).await;
    stop(bench, "mail").await;
    assert_eq!(bench.claim(1).await.len(), 1);
    assert_eq!(bench.prune(Prune::Everything, 9).await, 4);
    resume(bench, "mail").await;
    assert_eq!(bench.claim(9).await.len(), 0);
}

/// A worker ends it, as any that a pause has kept waiting.
async fn a_job_that_is_set_aside_expires(bench: &Bench) {
    bench.put_job(of_kind("mail", "m").with_expires_in(Span::from_secs(1))).await;
    stop(bench, "mail").await;
    assert_eq!(bench.claim(1).await.len(), 0);
    bench.advance(Span::from_secs(1));
    bench.changed("m", Event::Expire { now: bench.now(), token: None }).await;
    assert_eq!(bench.state("m").await, Some(State::Cancelled));
    resume(bench, "mail").await;
    assert_eq!(bench.claim(1).await.len(), 0);
}

/// Each claim sets some aside, says so, and no later claim meets them.
async fn many_jobs_of_a_paused_kind_hold_up_none_behind_them(bench: &Bench) {
    let many = PausedKind::SET_ASIDE_MAX * 2 + PausedKind::SET_ASIDE_MAX / 2;
    let in_front: Vec<_> = (0..many).map(|n| of_kind("mail", nth(n).as_str())).collect();
    for part in in_front.chunks(500) {
        bench.enqueue_groups(vec![part.to_vec()]).await;
    }
    bench.put_job(of_kind("report", "r")).await;
    stop(bench, "mail").await;
    let (mut claims, mut set_aside) = (0, 0);
    loop {
        let answer = claimed(bench, 1).await;
        claims += 1;
        set_aside += answer.set_aside;
        assert!(answer.set_aside <= PausedKind::SET_ASIDE_MAX, "{}", answer.set_aside);
        if !answer.jobs.is_empty() {
            assert_eq!(ids_of(&answer.jobs), ["r"]);
            break;
        }
        let is_due = answer.next_due.is_some_and(|due| due <= answer.now);
        assert!(is_due && (answer.set_aside > 0 || claims == 1), "it goes on at once: {answer:?}");
        assert!(claims < 20, "it does not get through");
    }
    assert_eq!(claimed(bench, 1).await.set_aside, 0, "no claim meets them again");
    assert!(set_aside == 0 || set_aside == many, "{set_aside}");
    resume(bench, "mail").await;
    assert_eq!(bench.claim_ids(2).await, [nth(0).as_str(), nth(1).as_str()]);
}

async fn too_many_kinds_are_refused(bench: &Bench) {
    let name = |nth: usize| format!("kind-{nth:02}");
    for nth in 0..PausedKind::KINDS_MAX {
        stop(bench, &name(nth)).await;
    }
    let one_more = kind("one-more");
    let refused = bench.store().set_paused(bench.queue(), Some(&one_more), Pause::UntilResumed).await;
    assert_refused(&refused.expect_err("there are too many"));
    stop(bench, &name(0)).await;
    resume(bench, "another").await;
    resume(bench, &name(0)).await;
    stop(bench, "one-more").await;
    assert_eq!(claimed(bench, 0).await.paused_kinds.len(), PausedKind::KINDS_MAX);
}

async fn pauses_of_kinds_are_listed_with_the_queue(bench: &Bench) {
    let listed = async || {
        let status = bench.store().status_of(bench.queue()).await.expect("it lists queues");
        let status = status.expect("a kind of it was paused");
        (status.pause, status.paused_kinds)
    };
    let end = stop_for(bench, "report", 1_000).await;
    let report = PausedKind { kind: kind("report"), pause: Pause::Until(end) };
    assert_eq!(listed().await, (Pause::Off, vec![report.clone()]));
    stop(bench, "mail").await;
    let mail = PausedKind { kind: kind("mail"), pause: Pause::UntilResumed };
    assert_eq!(listed().await, (Pause::Off, vec![mail.clone(), report]));
    bench.advance(Span::from_secs(1));
    assert_eq!(listed().await, (Pause::Off, vec![mail]));
    resume(bench, "mail").await;
    assert_eq!(listed().await, (Pause::Off, vec![]));
}

async fn a_pause_of_a_kind_and_what_it_set_aside_are_kept_across_a_reopen(bench: &Bench) {
    put_in_turn(bench, 4).await;
    stop(bench, "mail").await;
    assert_eq!(bench.claim_ids(1).await, ["r1"]);
    bench.reopen().await;
    assert_eq!(bench.claim_ids(9).await, ["r3"]);
    resume(bench, "mail").await;
    bench.reopen().await;
    assert_eq!(bench.claim_ids(9).await, ["m0", "m2"]);
}
