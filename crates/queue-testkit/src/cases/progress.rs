//! Progress that a holder leaves for the next attempt, written in the step that gives the job back.

use super::cases;
use crate::bench::prelude::*;
use bytes::Bytes;
use queue_core::{
    Applied, ClaimedJob, LeaseToken, ListQuery, Span, State,
    lifecycle::{Event, Transition},
};

cases! { "progress":
    a_snooze_and_an_interruption_carry_progress_to_the_next_attempt [I2 I13];
    a_job_that_is_given_back_without_any_keeps_what_it_had [I13];
    later_progress_replaces_earlier_whoever_wrote_it [I13];
    progress_of_no_bytes_is_progress [I13];
    progress_goes_with_what_follows [I13 I19];
    progress_that_is_sent_again_is_written_once [I5];
    progress_of_a_zombie_is_not_kept [I4];
    progress_under_flags_that_moved_is_not_kept_until_it_is_decided_again [I10 I13];
    a_job_that_is_cancelled_instead_keeps_the_progress_of_before [I10 I13];
    the_largest_progress_of_a_snooze_is_stored_and_one_byte_more_refused [I17];
    progress_outlives_failures_and_lapses_and_goes_with_a_redrive [I13];
    progress_of_a_snooze_is_kept_in_every_reopening [I21] (Reopen);
}

const HALF: Bytes = Bytes::from_static(b"half");

type Carry = fn(LeaseToken, Option<Bytes>) -> Event;

/// Both ways to give a job back half-way.
const CARRIES: [Carry; 2] = [snooze_with, interrupt_with];

fn snooze_with(token: LeaseToken, progress: Option<Bytes>) -> Event {
    Event::Snooze { token, delay: RETRY, progress, then: Vec::new() }
}

fn interrupt_with(token: LeaseToken, progress: Option<Bytes>) -> Event {
    Event::Interrupt { token, progress, then: Vec::new() }
}

async fn claim_next(bench: &Bench) -> ClaimedJob {
    bench.advance(RETRY);
    bench.claim_one().await
}

/// Readers and the next holder see the progress.
async fn a_snooze_and_an_interruption_carry_progress_to_the_next_attempt(bench: &Bench) {
    for carry in CARRIES {
        let held = bench.put_and_claim("a").await;
        let meta = bench.settled(&held, carry(held.token, Some(HALF))).await;
        assert_eq!((meta.state, meta.progress()), (State::Queued, Some(&HALF[..])));
        let revision = held.record.meta.revision + 1;
        let found = bench.meta("a").await;
        assert_eq!((found.progress(), found.revision), (Some(&HALF[..]), revision));
        let listed = bench.list(ListQuery::all(bench.queue().clone(), 10)).await;
        assert_eq!(listed[0].progress(), Some(&HALF[..]));
        let meta = claim_next(bench).await.record.meta;
        assert_eq!((meta.attempt(), meta.progress()), (1, Some(&HALF[..])));
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// The job is given back in the same ways, and by a release.
async fn a_job_that_is_given_back_without_any_keeps_what_it_had(bench: &Bench) {
    let mut held = bench.put_and_claim("a").await;
    bench.settled(&held, snooze_with(held.token, Some(HALF))).await;
    let put_back = |token, _| Event::PutBack { token, delay: RETRY };
    let given_back: [Carry; 4] = [snooze_with, interrupt_with, |token, _| release(token), put_back];
    for (n, carry) in given_back.into_iter().enumerate() {
        held = claim_next(bench).await;
        let meta = bench.settled(&held, carry(held.token, None)).await;
        assert_eq!(meta.progress(), Some(&HALF[..]), "way {n}");
        assert_eq!(bench.meta("a").await.progress(), Some(&HALF[..]), "way {n}");
    }
}

/// A heartbeat, a snooze, and a heartbeat of the next attempt follow each other.
async fn later_progress_replaces_earlier_whoever_wrote_it(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let beat = |token, text: &'static str| Event::Extend { token, by: LEASE, progress: Some(text.into()) };
    bench.settled(&held, beat(held.token, "first")).await;
    bench.settled(&held, snooze_with(held.token, Some("second".into()))).await;
    let held = claim_next(bench).await;
    assert_eq!(held.record.meta.progress(), Some(&b"second"[..]));
    bench.settled(&held, beat(held.token, "third")).await;
    bench.settled(&held, interrupt_with(held.token, None)).await;
    let held = claim_next(bench).await;
    assert_eq!(held.record.meta.progress(), Some(&b"third"[..]));
    bench.settled(&held, interrupt_with(held.token, Some("fourth, and the longest of them".into()))).await;
    let found = claim_next(bench).await.record.meta;
    assert_eq!(found.progress(), Some(&b"fourth, and the longest of them"[..]));
}

/// Empty progress differs from none, and replaces what was there.
async fn progress_of_no_bytes_is_progress(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, snooze_with(held.token, Some(Bytes::new()))).await;
    assert_eq!(bench.meta("a").await.progress(), Some(&b""[..]));
    let held = claim_next(bench).await;
    bench.settled(&held, snooze_with(held.token, Some(HALF))).await;
    let held = claim_next(bench).await;
    bench.settled(&held, interrupt_with(held.token, Some(Bytes::new()))).await;
    assert_eq!(claim_next(bench).await.record.meta.progress(), Some(&b""[..]));
}

/// A schedule notes the tick that it enqueues.
async fn progress_goes_with_what_follows(bench: &Bench) {
    bench.put("schedule").await;
    for tick in 0..5_u8 {
        let held = bench.claim_one().await;
        let before = tick.checked_sub(1).map(|last| vec![last]);
        assert_eq!(held.record.meta.progress(), before.as_deref());
        let name = format!("tick {tick}");
        let progress = Some(Bytes::from(vec![tick]));
        let then = vec![job(&name).with_delay(KEPT)];
        let event = Event::Snooze { token: held.token, delay: RETRY, progress, then };
        bench.settled(&held, event).await;
        assert_eq!(bench.state(&name).await, Some(State::Queued));
        bench.advance(RETRY);
    }
}

/// A repeat does not overwrite the progress of a later heartbeat.
async fn progress_that_is_sent_again_is_written_once(bench: &Bench) {
    for carry in CARRIES {
        let held = bench.put_and_claim("a").await;
        let sent = decided(&held.record.meta, carry(held.token, Some(HALF)));
        assert_done!([bench.apply(sent.clone()).await]);
        let before = bench.record("a").await;
        assert_eq!(bench.apply(sent.clone()).await, Applied::Done(before.meta.clone()));
        assert_eq!(bench.record("a").await, before);
        let heir = claim_next(bench).await;
        let beat = Event::Extend { token: heir.token, by: LEASE, progress: Some("more".into()) };
        bench.settled(&heir, beat).await;
        assert!(matches!(bench.apply(sent).await, Applied::LeaseLost(_)));
        assert_eq!(bench.meta("a").await.progress(), Some(&b"more"[..]));
        bench.prune(queue_core::Prune::Everything, 10).await;
    }
}

/// The heir does not get the progress of the old holder.
async fn progress_of_a_zombie_is_not_kept(bench: &Bench) {
    for carry in CARRIES {
        let zombie = bench.put_and_claim("a").await;
        bench.advance(LEASE);
        bench.rescue().await;
        let late = decided(&zombie.record.meta, carry(zombie.token, Some(HALF)));
        assert!(matches!(bench.apply(late).await, Applied::LeaseLost(_)));
        assert_eq!(bench.meta("a").await.progress(), None);
        bench.changed("a", Event::Delete).await;
    }
}

/// A caller has begun to wait for the job.
async fn progress_under_flags_that_moved_is_not_kept_until_it_is_decided_again(bench: &Bench) {
    for carry in CARRIES {
        let held = bench.put_and_claim("a").await;
        let early = decided(&held.record.meta, carry(held.token, Some(HALF)));
        bench.changed("a", Event::Await).await;
        assert!(matches!(bench.apply(early).await, Applied::Stale(_)));
        assert_eq!(bench.meta("a").await.progress(), None);
        bench.settled(&held, carry(held.token, Some(HALF))).await;
        assert_eq!(bench.meta("a").await.progress(), Some(&HALF[..]));
        bench.changed("a", Event::Delete).await;
    }
}

/// No attempt follows that could use it.
async fn a_job_that_is_cancelled_instead_keeps_the_progress_of_before(bench: &Bench) {
    for carry in CARRIES {
        let held = bench.put_and_claim("a").await;
        let beat = Event::Extend { token: held.token, by: LEASE, progress: Some(HALF) };
        bench.settled(&held, beat).await;
        bench.cancel("a").await;
        let meta = bench.settled(&held, carry(held.token, Some("more".into()))).await;
        assert_eq!((meta.state, meta.progress()), (State::Cancelled, Some(&HALF[..])));
        bench.changed("a", Event::Delete).await;
    }
}

async fn the_largest_progress_of_a_snooze_is_stored_and_one_byte_more_refused(bench: &Bench) {
    let most = bench.store().capabilities().limits.note_bytes_max;
    let held = bench.put_and_claim("a").await;
    for carry in CARRIES {
        let more = carry(held.token, Some(vec![7; most + 1].into()));
        assert_refused(&bench.apply_refused(vec![decided(&held.record.meta, more)]).await);
    }
    assert_eq!(bench.record("a").await, held.record);
    bench.settled(&held, snooze_with(held.token, Some(vec![7; most].into()))).await;
    assert_eq!(claim_next(bench).await.record.meta.progress(), Some(&vec![7; most][..]));
}

/// Progress belongs to the life, and a redrive starts without it.
async fn progress_outlives_failures_and_lapses_and_goes_with_a_redrive(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    bench.settled(&held, snooze_with(held.token, Some(HALF))).await;
    let held = claim_next(bench).await;
    assert_eq!(bench.fail(&held).await.progress(), Some(&HALF[..]));
    claim_next(bench).await;
    bench.advance(LEASE);
    assert_eq!(bench.rescue().await[0].progress(), Some(&HALF[..]));
    let held = bench.claim_one().await;
    assert_eq!(bench.fail_terminally(&held).await.progress(), Some(&HALF[..]));
    assert_eq!(bench.changed("a", Event::Redrive { content_type: None }).await.progress(), None);
    assert_eq!(bench.claim_one().await.record.meta.progress(), None);
}

/// The store is reopened with and without a claim in between, and after a replacement.
async fn progress_of_a_snooze_is_kept_in_every_reopening(bench: &Bench) {
    let held = bench.put_and_claim("a").await;
    let sent: Transition = decided(&held.record.meta, snooze_with(held.token, Some(HALF)));
    assert_done!([bench.apply(sent.clone()).await]);
    let before = bench.record("a").await;
    bench.reopen().await;
    assert_eq!(bench.record("a").await, before);
    assert_eq!(bench.apply(sent).await, Applied::Done(before.meta));
    let held = claim_next(bench).await;
    assert_eq!(held.record.meta.progress(), Some(&HALF[..]));
    bench.settled(&held, interrupt_with(held.token, Some("more".into()))).await;
    bench.reopen().await;
    bench.advance(Span::from_millis(1));
    assert_eq!(bench.claim_one().await.record.meta.progress(), Some(&b"more"[..]));
}
