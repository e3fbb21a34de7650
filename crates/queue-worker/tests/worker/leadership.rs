//! Elections: one leader at a time, and how a term ends.

use crate::support::{Election, FOREVER, LEASE_MS, elected, freeze, id, millis, spawn};
use futures_util::FutureExt;
use queue_core::{
    ErrorKind, Pause, Prune, PruneRequest, Storage, StorageExt,
    lifecycle::{Event, OnProcessing, Policy},
};
use queue_worker::{Leadership, LostReason};
use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

#[tokio::test(start_paused = true)]
async fn one_of_many_candidates_leads_and_a_resignation_elects_the_next_at_once() {
    let election = Election::new();
    let leaders = Arc::new(AtomicUsize::new(0));
    let candidates = ["a", "b", "c", "d", "e"].map(|name| {
        let (candidate, leaders) = (election.candidate(name).0, leaders.clone());
        spawn(async move {
            let term = elected(&candidate).await;
            assert_eq!(leaders.fetch_add(1, Ordering::Relaxed), 0, "somebody else leads");
            sleep(millis(60_000)).await;
            assert!(term.is_held(), "many leases later");
            leaders.fetch_sub(1, Ordering::Relaxed);
            let fence = term.fence();
            term.resign().await;
            fence
        })
    });
    let started = Instant::now();
    let mut fences = Vec::new();
    for candidate in candidates {
        fences.push(candidate.await.expect("no assertion failed"));
    }
    assert_eq!(started.elapsed(), millis(5 * 60_000), "no moment without a leader");
    fences.sort_unstable();
    fences.dedup();
    assert_eq!(fences.len(), 5, "every term has a number of its own");
}

#[tokio::test(start_paused = true)]
async fn a_dropped_term_is_a_resignation() {
    let election = Election::new();
    let ((a, _), (b, _)) = (election.candidate("a"), election.candidate("b"));
    let started = Instant::now();
    drop(elected(&a).await);
    elected(&b).await.resign().await;
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert_eq!(election.log(), ["a elected", "a lost: Resigned", "b elected", "b lost: Resigned"]);
}

#[tokio::test(start_paused = true)]
async fn a_candidate_that_gives_up_leads_nothing() {
    let election = Election::new();
    let ((a, slow), (b, _)) = (election.candidate("a"), election.candidate("b"));
    elected(&b).await.resign().await;
    slow.script().on_claim = Some(Box::new(|| crate::support::Fault::Late(millis(500))));
    assert!(timeout(millis(100), a.acquire()).await.is_err(), "its claim is under way");
    let started = Instant::now();
    let _term = elected(&b).await;
    assert!(started.elapsed() <= millis(500), "what the claim brought went back when it came");
}

#[tokio::test(start_paused = true)]
async fn a_frozen_leader_loses_its_lease_and_cannot_act_in_its_old_term() {
    let election = Election::new();
    let ((a, frozen), (b, _)) = (election.candidate("a"), election.candidate("b"));
    let old = elected(&a).await;
    freeze(&frozen);
    let started = Instant::now();
    let new = elected(&b).await;
    assert_eq!(started.elapsed(), millis(LEASE_MS), "exactly when the lease lapsed");
    assert!(!old.is_held() && new.is_held());
    assert!(new.fence() > old.fence());
    frozen.script().on_heartbeat = None;
    assert!(!old.confirm().await.expect("the store answers again"), "it is told that it lost");
    old.lost().await;
    assert_eq!(old.lost_reason(), Some(LostReason::Lapsed));
    drop(old);
    sleep(millis(10 * LEASE_MS)).await;
    assert!(new.is_held(), "the end of the old term did not touch the new one");
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_wakes_up_knows_at_once_before_any_task_has_run() {
    let election = Election::new();
    let term = elected(&election.candidate("a").0).await;
    // One poll moves the clock and lets no other task run, as if the whole process had been frozen.
    assert!(tokio::time::advance(millis(LEASE_MS)).now_or_never().is_none());
    assert_eq!(term.lost_reason(), None, "nobody noticed yet");
    assert!(!term.is_held());
}

#[tokio::test(start_paused = true)]
async fn leaders_may_die_any_number_of_times() {
    let election = Election::new();
    let mut fences = Vec::new();
    for _ in 0..20 {
        let (candidate, probe) = election.candidate("a");
        let term = elected(&candidate).await;
        freeze(&probe);
        fences.push(term.fence());
        term.lost().await;
    }
    assert!(fences.is_sorted_by(|a, b| a < b), "{fences:?}");
    assert!(fences.iter().all(|fence| fence.seq == fences[0].seq), "one life, never failed: {fences:?}");
}

#[tokio::test(start_paused = true)]
async fn cancelling_the_elections_job_asks_the_leader_to_step_down() {
    let election = Election::new();
    let ((a, store), (b, _)) = (election.candidate("a"), election.candidate("b"));
    let term = elected(&a).await;
    let cancel = Event::Cancel { processing: OnProcessing::Request };
    store.change(a.queue(), &id("leader"), cancel, &Policy::default()).await.expect("the probe applies");
    timeout(millis(LEASE_MS), term.lost()).await.expect("the next heartbeat brings it");
    assert_eq!(term.lost_reason(), Some(LostReason::Revoked));
    assert!(election.claim(&a).await.jobs.is_empty(), "it may wind up first");
    let old = term.fence();
    term.resign().await;
    let new = elected(&b).await;
    assert!(new.fence() > old && new.fence().seq > old.seq, "a new life of the election");
}

#[tokio::test(start_paused = true)]
async fn a_leader_whose_job_is_purged_is_told_and_the_election_begins_anew() {
    let election = Election::new();
    let ((a, store), (b, _)) = (election.candidate("a"), election.candidate("b"));
    let term = elected(&a).await;
    let everything = PruneRequest { queue: a.queue().clone(), what: Prune::Everything, limit: 10 };
    store.prune(everything).await.expect("the probe prunes");
    timeout(millis(LEASE_MS), term.lost()).await.expect("the next heartbeat brings it");
    assert_eq!(term.lost_reason(), Some(LostReason::Taken));
    assert!(elected(&b).await.fence() > term.fence());
}

#[tokio::test(start_paused = true)]
async fn a_paused_election_elects_nobody_until_it_is_resumed() {
    let election = Election::new();
    let (a, store) = election.candidate("a");
    elected(&a).await.resign().await;
    store.set_paused(a.queue(), None, Pause::UntilResumed).await.expect("the probe pauses");
    assert!(timeout(millis(600_000), a.acquire()).await.is_err());
    store.set_paused(a.queue(), None, Pause::Off).await.expect("the probe resumes");
    elected(&a).await.resign().await;
}

#[tokio::test(start_paused = true)]
async fn lead_works_once_per_term_and_ends_with_the_stop() {
    let election = Election::new();
    let (a, frozen) = election.candidate("a");
    let stop = CancellationToken::new();
    let terms = AtomicUsize::new(0);
    let work = |_| {
        let (term, frozen, stop) = (terms.fetch_add(1, Ordering::Relaxed), frozen.clone(), stop.clone());
        async move {
            match term {
                0 => {}               // done: it resigns and stands again
                1 => freeze(&frozen), // the next heartbeats are lost, and with them the term
                _ => return stop.cancel(),
            }
            if term == 1 {
                pending::<()>().await;
            }
        }
    };
    let leading = async {
        a.lead(&stop, work).await.expect("the store works");
    };
    timeout(FOREVER, leading).await.expect("it ends");
    assert_eq!(terms.load(Ordering::Relaxed), 3);
    let told =
        ["a elected", "a lost: Resigned", "a elected", "a lost: Lapsed", "a elected", "a lost: Resigned"];
    assert_eq!(election.log(), told);
    assert_eq!(election.claim(&a).await.jobs.len(), 1, "the seat is vacant");
}

#[tokio::test(start_paused = true)]
async fn elections_of_other_names_do_not_touch_each_other() {
    let election = Election::new();
    let probe = election.handle();
    let of = |name| Leadership::builder(probe.clone(), name).expect("a name").build().expect("valid");
    let (_one, _two) = (elected(&of("one")).await, elected(&of("two")).await);
}

#[tokio::test]
async fn bad_names_and_settings_are_refused_before_anything_is_stored() {
    let election = Election::new();
    let probe = election.handle();
    for name in ["", "a\nb", &"x".repeat(249)] {
        let error = Leadership::builder(probe.clone(), name).expect_err("a bad name");
        assert_eq!(error.kind(), ErrorKind::Invalid, "{name:?}");
    }
    let build = |lease, poll| election.builder("a", &probe).lease(lease).poll_interval(poll).build();
    let (fine, short) = (millis(1000), millis(9));
    for (lease, poll) in
        [(Duration::ZERO, fine), (short, fine), (Duration::MAX, fine), (fine, Duration::ZERO)]
    {
        assert_eq!(build(lease, poll).expect_err("a bad setting").kind(), ErrorKind::Invalid);
    }
}
