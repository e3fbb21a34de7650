//! Gates and end signals: a job that waits for the ends of other jobs.

pub(super) mod dropped;
pub(super) mod moved;
pub(super) mod one_call;
pub(super) mod opening;
pub(super) mod raises;
pub(super) mod refused;
pub(super) mod signals;
pub(super) mod suspend;

use crate::bench::prelude::*;
use queue_core::{ClaimedJob, EndSignal, Gate, NewGate, NewJob, Span, lifecycle::Event};

/// The job that waits in most cases.
const SUM: &str = "sum";

/// A job behind a sealed gate that needs this many signals.
fn waiting_for(needs: u64) -> NewJob {
    job(SUM).with_gate(NewGate { needs, is_sealed: true, timeout: None })
}

/// A job behind a gate that is sealed later.
fn unsealed() -> NewJob {
    job(SUM).with_gate(NewGate::default())
}

fn timed_out_after(timeout: Span) -> NewJob {
    job(SUM).with_gate(NewGate { needs: 1, is_sealed: true, timeout: Some(timeout) })
}

/// A job that signals its end to the waiting one.
fn sender(text: &str) -> NewJob {
    job(text).with_end_signals([EndSignal::to(id(SUM))])
}

/// One that also raises the gate.
fn member(text: &str) -> NewJob {
    job(text).with_end_signals([raising(SUM)])
}

fn raising(to: &str) -> EndSignal {
    EndSignal { raises: true, ..EndSignal::to(id(to)) }
}

fn urgent(text: &str) -> NewJob {
    job(text).with_end_signals([EndSignal { urgent: true, ..EndSignal::to(id(SUM)) }])
}

async fn gate(bench: &Bench) -> Gate {
    *bench.meta(SUM).await.gate.expect("it has a gate")
}

/// Claims the one job that is due and completes it.
async fn complete_next(bench: &Bench) -> ClaimedJob {
    let held = bench.claim_one().await;
    bench.complete(&held).await;
    held
}

/// Nothing but this job is due; it is completed.
async fn complete_the_only(bench: &Bench, text: &str) {
    let held = bench.claim(9).await;
    assert_eq!(ids_of(&held), [text]);
    bench.complete(&held[0]).await;
}

async fn seal(bench: &Bench) {
    bench.changed(SUM, Event::Seal).await;
}
