//! Which ends are counted, once each.

use super::{complete_next, gate, sender, waiting_for};
use crate::{bench::prelude::*, cases::cases};
use queue_core::{
    Applied, Detail, EndSignal, Enqueued, JobMeta, NewJob, OnFailed, Retention, RetentionPolicy, Signalling,
    Span, State, Tally,
    lifecycle::{Cause, Event, OnProcessing},
};

cases! { "end_signals":
    each_way_to_end_is_counted_once_with_its_outcome [I28] (Gates);
    a_job_that_waits_again_signals_nothing [I28] (Gates);
    a_change_that_comes_too_late_signals_nothing [I28] (Gates);
    a_tolerant_signal_counts_as_one_of_a_completed_job [I28] (Gates);
    a_signal_leaves_the_revision_alone_unless_it_opens_the_gate [I28] (Gates);
    many_members_that_end_in_one_call_open_once [I28 I29] (Gates);
    a_record_with_signals_blocks_its_id_and_is_kept [I28 I9] (Gates);
    a_signal_is_to_one_life [I28] (Gates);
    what_is_owed_is_seen [I28] (Gates);
    a_sender_that_is_read_twice_in_one_call_is_shown_twice_alike [I28] (Gates);
}

/// How a member ends; it may be redriven afterwards, or repeated.
#[derive(Clone, Copy, Debug)]
enum Way {
    Completed,
    Failed,
    FailedOften,
    Cancelled,
    CancelledByItsHolder,
    Expired,
    ExpiredAtItsHolder,
    Lapsed,
    Deleted,
}

const WAYS: [(Way, State); 9] = [
    (Way::Completed, State::Completed),
    (Way::Failed, State::Failed),
    (Way::FailedOften, State::Failed),
    (Way::Cancelled, State::Cancelled),
    (Way::CancelledByItsHolder, State::Cancelled),
    (Way::Expired, State::Cancelled),
    (Way::ExpiredAtItsHolder, State::Cancelled),
    (Way::Lapsed, State::Failed),
    (Way::Deleted, State::Cancelled),
];

impl Way {
    async fn happens_to_a(self, bench: &Bench) {
        match self {
            Self::Completed => drop(complete_next(bench).await),
            Self::Failed => drop(bench.fail_terminally(&bench.claim_one().await).await),
            Self::FailedOften => {
                for _ in 0..3 {
                    bench.fail(&bench.claim_one().await).await;
                    bench.advance(KEPT);
                }
            }
            Self::Cancelled => drop(bench.cancel("a").await),
            Self::CancelledByItsHolder => {
                let held = bench.claim_one().await;
                bench.changed("a", Event::Cancel { processing: OnProcessing::Request }).await;
                bench.settle(&held, release(held.token)).await;
            }
            Self::Expired => {
                bench.advance(KEPT);
                bench.changed("a", Event::Expire { now: bench.now(), token: None }).await;
            }
            Self::ExpiredAtItsHolder => {
                let held = bench.claim_for(Span::MAX).await;
                bench.advance(KEPT);
                bench.settled(&held, Event::Expire { now: bench.now(), token: Some(held.token) }).await;
            }
            Self::Lapsed => {
                for _ in 0..3 {
                    bench.claim_one().await;
                    bench.advance(LEASE);
                    bench.rescue().await;
                    bench.advance(KEPT);
                }
            }
            Self::Deleted => drop(bench.changed("a", Event::Delete).await),
        }
    }

    fn job(self) -> NewJob {
        match self {
            Self::Expired | Self::ExpiredAtItsHolder => sender("a").with_expires_in(KEPT),
            _ => sender("a").with_retention(Retention::Remove),
        }
    }
}

async fn each_way_to_end_is_counted_once_with_its_outcome(bench: &Bench) {
    for (way, state) in WAYS {
        let bench = &bench.on_queue(&format!("ends-{way:?}"));
        bench.put_job(waiting_for(2)).await;
        bench.put_job(way.job()).await;
        way.happens_to_a(bench).await;
        let counted = Tally {
            completed: u64::from(state == State::Completed),
            failed: u64::from(state == State::Failed),
            cancelled: u64::from(state == State::Cancelled),
        };
        let gate_once = gate(bench).await;
        assert_eq!((gate_once.signals, gate_once.tally), (1, counted), "{way:?}");
        let Some(ended) = bench.find("a").await else { continue };
        assert_eq!((ended.meta.state, ended.meta.signalling), (state, Signalling::Sent), "{way:?}");
        // It counts once in a life, however often it ends.
        if state != State::Completed {
            bench.changed("a", Event::Redrive { content_type: None }).await;
            complete_next(bench).await;
        }
        assert_eq!(gate(bench).await, gate_once, "{way:?}");
    }
}

async fn a_job_that_waits_again_signals_nothing(bench: &Bench) {
    bench.put_job(waiting_for(1)).await;
    bench.put_job(sender("a")).await;
    for event in [release, snooze, |token| fail_because(token, Cause::Retryable)] {
        let held = bench.claim_one().await;
        bench.settled(&held, event(held.token)).await;
        bench.advance(RETRY);
    }
    bench.claim_one().await;
    bench.advance(LEASE);
    bench.rescue().await;
    assert_eq!((gate(bench).await.signals, bench.meta("a").await.signalling), (0, Signalling::Owed(1)));
}

async fn a_change_that_comes_too_late_signals_nothing(bench: &Bench) {
    bench.put_job(waiting_for(1)).await;
    bench.put_job(sender("a")).await;
    let seen = bench.meta("a").await;
    let held = bench.claim_one().await;
    let cancel = decided(&seen, Event::Cancel { processing: OnProcessing::Leave });
    assert!(matches!(bench.apply(cancel).await, Applied::Stale(_)));
    bench.advance(LEASE);
    bench.rescue().await;
    let late = decided(&held.record.meta, complete(held.token));
    assert!(matches!(bench.apply(late).await, Applied::LeaseLost(_)));
    assert_eq!(gate(bench).await.signals, 0);
}

async fn a_tolerant_signal_counts_as_one_of_a_completed_job(bench: &Bench) {
    bench.put_job(waiting_for(1)).await;
    let tolerant = EndSignal { tolerant: true, urgent: true, ..EndSignal::to(id(super::SUM)) };
    bench.put_job(job("a").with_end_signals([tolerant])).await;
    bench.cancel("a").await;
    assert_eq!(gate(bench).await.tally, Tally { completed: 1, ..Tally::default() });
}

/// Else an operator's change of a job that gets many signals would always be stale.
async fn a_signal_leaves_the_revision_alone_unless_it_opens_the_gate(bench: &Bench) {
    bench.put_job(waiting_for(2)).await;
    let before = bench.meta(super::SUM).await;
    for text in ["a", "b"] {
        bench.put_job(sender(text)).await;
    }
    complete_next(bench).await;
    let counted = bench.meta(super::SUM).await;
    assert_eq!((counted.revision, counted.run_at), (before.revision, before.run_at));
    complete_next(bench).await;
    let opened = bench.meta(super::SUM).await;
    assert_eq!((opened.revision, opened.run_at), (before.revision + 1, bench.now()));
}

async fn many_members_that_end_in_one_call_open_once(bench: &Bench) {
    const MEMBERS: usize = 1_000;
    bench.put_job(waiting_for(MEMBERS as u64)).await;
    let revision = bench.meta(super::SUM).await.revision;
    let members = jobs(MEMBERS).into_iter();
    let members = members.map(|job| job.with_end_signals([EndSignal::to(id(super::SUM))]));
    bench.enqueue_groups(vec![members.collect()]).await;
    let held = bench.claim(MEMBERS).await;
    let ends = held.iter().map(|held| decided(&held.record.meta, complete(held.token)));
    let answers = bench.apply_all(ends.collect()).await;
    assert!(answers.iter().all(Applied::is_done));
    let opened = bench.meta(super::SUM).await;
    assert_eq!((opened.revision, gate(bench).await.signals), (revision + 1, MEMBERS as u64));
    assert_eq!(bench.claim_ids(9).await, [super::SUM]);
}

/// So a producer that repeats its enqueues days later gets duplicates, and counts nothing twice.
async fn a_record_with_signals_blocks_its_id_and_is_kept(bench: &Bench) {
    for (way, state) in WAYS {
        let bench = &bench.on_queue(&format!("kept-{way:?}"));
        bench.put_job(waiting_for(9)).await;
        bench.put_job(way.job()).await;
        way.happens_to_a(bench).await;
        if let Way::Deleted = way {
            continue;
        }
        bench.advance(Span::from_secs(2 * 86_400));
        assert_eq!(bench.meta("a").await.purge_at, None, "{way:?}");
        let again = bench.enqueue(sender("a").with_on_failed(OnFailed::Replace)).await;
        match state {
            State::Completed => assert!(matches!(again, Enqueued::Completed { .. }), "{again:?}"),
            _ => assert!(matches!(again, Enqueued::Duplicate { .. }), "{way:?}: {again:?}"),
        }
        bench.changed("a", Event::SetRetention(Retention::Remove)).await;
        assert_eq!((bench.find("a").await, gate(bench).await.signals), (None, 1), "{way:?}");
    }
}

/// The id begins another life meanwhile, which waits behind a gate of its own.
async fn a_signal_is_to_one_life(bench: &Bench) {
    let gone = RetentionPolicy { completed: Retention::Remove, failed: Retention::Remove };
    bench.put_job(waiting_for(1).with_retention(gone)).await;
    bench.put_job(sender("a")).await;
    bench.cancel(super::SUM).await;
    bench.put_job(waiting_for(1)).await;
    complete_next(bench).await;
    assert_eq!(gate(bench).await.signals, 0);
    let former = EndSignal { life: Some(bench.meta("a").await.seq), ..EndSignal::to(id(super::SUM)) };
    bench.put_job(job("b").with_end_signals([former])).await;
    complete_next(bench).await;
    assert_eq!(gate(bench).await.signals, 0);
}

async fn what_is_owed_is_seen(bench: &Bench) {
    let seq = bench.put_job(waiting_for(1)).await;
    bench.put_job(sender("a")).await;
    let sent = EndSignal { life: Some(seq), ..EndSignal::to(id(super::SUM)) };
    let record = bench.record("a").await;
    assert_eq!(record.body.expect("it was asked for").end_signals, [sent]);
    assert_eq!(record.meta.signalling, Signalling::Owed(1));
    // One to a job that is not there is not kept.
    bench.put_job(job("b").with_end_signals([EndSignal::to(id("nobody"))])).await;
    let JobMeta { signalling, .. } = bench.meta("b").await;
    assert_eq!(signalling, Signalling::Owed(0));
}

async fn a_sender_that_is_read_twice_in_one_call_is_shown_twice_alike(bench: &Bench) {
    bench.put_job(waiting_for(1)).await;
    bench.put_job(sender("a")).await;
    let ids = [id("a"), id(super::SUM), id("a")];
    let reply = bench.store().get(bench.queue(), &ids, Detail::Full).await.expect("it answers");
    let once = [bench.record("a").await, bench.record(super::SUM).await].map(Some);
    assert_eq!(reply.value, [once[0].clone(), once[1].clone(), once[0].clone()]);
}
