//! Gates and end signals, in the terms of a history.

use queue_core::{
    EndSignal, Gate, NewGate, Span,
    lifecycle::{CloseGate, Requeue, RunAt},
};
use serde::{Deserialize, Serialize};

/// The gate that a job was enqueued with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GateTerms {
    /// The signals that it needs, beside one for each job that raises it.
    pub needs: u64,
    /// Whether it was sealed from the start.
    pub is_sealed: bool,
    /// The longest time for which it is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<i64>,
}

/// How a suspend closed a gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Closing {
    /// The signals that it needs in all, where the suspend set that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<u64>,
    /// Whether it sealed the gate.
    pub seals: bool,
    /// Whether urgent signals open the gate.
    pub heeds_urgent: bool,
    /// The longest time for which it is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<i64>,
}

/// A signal that a job sends at its end, as an enqueue asked for it or as a record shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SignalView {
    /// The id of the job that counts it.
    pub to: String,
    /// The life of that job. A record names it; an enqueue may leave it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub life: Option<u64>,
    /// Whether the gate of that job needs one signal more for it.
    pub raises: bool,
    /// Whether it counts as one of a completed job in any case.
    pub tolerant: bool,
    /// Whether it opens the gate at once if its job does not complete.
    pub urgent: bool,
}

/// A gate as a record shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GateView {
    /// The signals that it needs.
    pub needs: u64,
    /// The signals that it has counted.
    pub signals: u64,
    /// The same by outcome: completed, failed, cancelled.
    pub tally: [u64; 3],
    /// Whether no further job is to raise it.
    pub is_sealed: bool,
    /// Whether urgent signals open it.
    pub heeds_urgent: bool,
    /// Whether the job waits behind it.
    pub is_closed: bool,
}

impl GateTerms {
    pub(super) fn of(gate: &NewGate) -> Self {
        let timeout_ms = gate.timeout.map(Span::as_millis);
        Self { needs: gate.needs, is_sealed: gate.is_sealed, timeout_ms }
    }
}

impl Closing {
    /// What a requeue does to the gate of its job, if it closes it.
    pub(super) fn of(requeue: &Requeue) -> Option<Self> {
        let CloseGate { needs, seals, heeds_urgent, .. } = **requeue.closes.as_ref()?;
        let timeout_ms = match requeue.run_at {
            RunAt::After(span) if span < Span::MAX => Some(span.as_millis()),
            _ => None,
        };
        Some(Self { needs, seals, heeds_urgent, timeout_ms })
    }
}

impl SignalView {
    pub(super) fn all(signals: &[EndSignal]) -> Vec<Self> {
        signals.iter().map(Self::of).collect()
    }

    fn of(signal: &EndSignal) -> Self {
        let EndSignal { to, life, raises, tolerant, urgent } = signal;
        let (to, life) = (to.as_str().to_owned(), life.map(queue_core::Seq::get));
        Self { to, life, raises: *raises, tolerant: *tolerant, urgent: *urgent }
    }
}

impl GateView {
    /// `epoch` is that of the job.
    pub(super) fn of(gate: &Gate, epoch: u64) -> Self {
        let tally = [gate.tally.completed, gate.tally.failed, gate.tally.cancelled];
        let Gate { needs, signals, is_sealed, heeds_urgent, .. } = *gate;
        Self { needs, signals, tally, is_sealed, heeds_urgent, is_closed: gate.is_closed(epoch) }
    }

    /// Whether it has counted all that it needs, and no further job is to raise it.
    pub const fn is_complete(&self) -> bool {
        self.is_sealed && self.signals >= self.needs
    }
}
