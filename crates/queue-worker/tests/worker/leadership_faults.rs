//! Elections over a store that misbehaves.

use crate::support::{Election, FOREVER, Fault, Hints, LEASE_MS, elected, freeze, millis, spawn};
use queue_core::{ErrorKind, Rng, SeededRng};
use queue_worker::Term;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

#[tokio::test(start_paused = true)]
async fn two_heartbeats_in_a_row_may_fail() {
    let election = Election::new();
    let (a, probe) = election.candidate("a");
    let mut beats = 0;
    probe.script().on_heartbeat = Some(Box::new(move |_| {
        beats += 1;
        if beats % 3 == 0 { Fault::None } else { Fault::Refuse(ErrorKind::Unavailable) }
    }));
    let term = elected(&a).await;
    sleep(millis(20 * LEASE_MS)).await;
    assert!(term.is_held());
    assert!(election.log().contains(&"a error: Unavailable".to_owned()), "and it is told");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_late_does_not_shorten_what_a_later_one_gained() {
    let election = Election::new();
    let (a, probe) = election.candidate("a");
    let mut delays = [1990, 0, 500].into_iter();
    probe.script().on_heartbeat =
        Some(Box::new(move |_| delays.next().map_or(Fault::None, |late| Fault::Late(millis(late)))));
    let term = elected(&a).await;
    sleep(millis(2000)).await; // the first heartbeat is on its way
    assert!(term.confirm().await.expect("the store answers"));
    sleep(millis(10 * LEASE_MS)).await;
    assert_eq!(term.lost_reason(), None);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_for_a_while_only_delays_an_election() {
    let election = Election::new();
    let (a, probe) = election.candidate("a");
    let mut claims = 0;
    probe.script().on_claim = Some(Box::new(move || {
        claims += 1;
        if claims <= 5 { Fault::Refuse(ErrorKind::Unavailable) } else { Fault::None }
    }));
    let _term = elected(&a).await;
    assert_eq!(election.log().len(), 6, "five errors and an election");
}

#[tokio::test(start_paused = true)]
async fn what_does_not_pass_is_answered() {
    let election = Election::new();
    let (a, probe) = election.candidate("a");
    probe.script().on_claim = Some(Box::new(|| Fault::Refuse(ErrorKind::Closed)));
    assert_eq!(a.acquire().await.expect_err("the store is closed").kind(), ErrorKind::Closed);
    probe.script().on_claim = Some(Box::new(|| Fault::Panic));
    assert_eq!(a.acquire().await.expect_err("the store panics").kind(), ErrorKind::Internal);
}

#[tokio::test(start_paused = true)]
async fn without_hints_the_seat_is_taken_when_the_lease_lapses_or_at_the_poll() {
    for hints in [Hints::Drop, Hints::End] {
        let election = Election::new();
        let ((a, frozen), (b, deaf)) = (election.candidate("a"), election.candidate("b"));
        deaf.script().hints = hints;
        let term = elected(&a).await;
        freeze(&frozen);
        let started = Instant::now();
        let second = elected(&b).await;
        assert!(started.elapsed() <= millis(2 * LEASE_MS), "{hints:?}: {:?}", started.elapsed());
        drop((term, second));
    }
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_panics_costs_no_term() {
    let election = Election::new();
    let probe = election.handle();
    let leadership = election.builder("a", &probe).on_event(|_| panic!("the test wants it")).build();
    let term = elected(&leadership.expect("valid settings")).await;
    sleep(millis(10 * LEASE_MS)).await;
    assert!(term.is_held());
    term.resign().await;
}

/// The terms in the order in which they were won, to be checked at every moment.
type Terms = Arc<Mutex<Vec<Term>>>;

#[tokio::test(start_paused = true)]
async fn whatever_goes_wrong_no_two_lead_at_once_and_fences_only_grow() {
    let mut elections = 0;
    for seed in 0..40 {
        let (election, terms) = (Election::new(), Terms::default());
        let stop = CancellationToken::new();
        let candidates = ["a", "b", "c"].map(|name| {
            let (leadership, probe) = election.candidate(name);
            let rng = Arc::new(SeededRng::new(seed * 3 + u64::from(name.as_bytes()[0])));
            let (for_claims, for_beats) = (rng.clone(), rng.clone());
            probe.script().on_claim = Some(Box::new(move || any_fault(&*for_claims)));
            probe.script().on_heartbeat = Some(Box::new(move |_| any_fault(&*for_beats)));
            let (terms, stop) = (terms.clone(), stop.clone());
            spawn(async move {
                while let Some(term) = stop.run_until_cancelled(elected(&leadership)).await {
                    let lost = term.lost_token();
                    terms.lock().expect("unpoisoned").push(term);
                    lost.cancelled().await;
                }
            })
        });
        for _ in 0..20_000 {
            sleep(millis(10)).await;
            look(seed, &terms.lock().expect("unpoisoned"));
        }
        stop.cancel();
        elections += terms.lock().expect("unpoisoned").len();
        terms.lock().expect("unpoisoned").clear();
        for candidate in candidates {
            candidate.await.expect("no panic");
        }
    }
    assert!(
        elections > 400,
        "only {elections} elections in 40 runs: the faults were too mild to show anything"
    );
}

fn look(seed: u64, terms: &[Term]) {
    let held = terms.iter().filter(|term| term.is_held()).count();
    assert!(held <= 1, "seed {seed}: {held} lead at once");
    let fences: Vec<_> = terms.iter().map(Term::fence).collect();
    assert!(fences.is_sorted_by(|a, b| a < b), "seed {seed}: {fences:?}");
}

/// Six calls in ten succeed.
fn any_fault(rng: &dyn Rng) -> Fault {
    match rng.next_u64() % 10 {
        0 => Fault::Refuse(ErrorKind::Unavailable),
        1 => Fault::LoseReply,
        2 => Fault::Late(millis(rng.next_u64() % (2 * LEASE_MS))),
        3 => Fault::Late(millis(rng.next_u64() % 100)),
        _ => Fault::None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_never_answered_keeps_nobody_from_the_lead() {
    let election = Election::new();
    let (candidate, probe) = election.candidate("a");
    probe.script().hints = Hints::Late(FOREVER);
    let started = Instant::now();
    elected(&candidate).await.resign().await;
    assert_eq!(started.elapsed(), Duration::ZERO);
}

/// A subscription that is not polled would keep the connection that the candidate's own claim
/// needs.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_late_does_not_delay_an_election_beyond_itself() {
    let election = Election::new();
    let (a, probe) = election.candidate("a");
    probe.script().hints = Hints::InTheWay(millis(200));
    let started = Instant::now();
    let _term = elected(&a).await;
    assert!(started.elapsed() <= millis(300), "{:?}", started.elapsed());
}
