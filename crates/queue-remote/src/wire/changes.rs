//! Transitions: what was decided about a job, and under which condition it applies.

use super::{Source, Wire, hash, mix};
use bytes::Bytes;
use queue_core::{
    ContentType, EndOutcome, Failure, JobId, LeaseToken, NewJob, Payload, QueueName, Reason, Seq,
    SharedTerms, Span, State,
    lifecycle::{
        Amend, CloseGate, Finish, Flags, Guard, Lapse, Patch, Proof, Purge, Requeue, RunAt, Settle, Signals,
        Transition,
    },
    wire::{Malformed, Writer},
};

numbered! { Settle }

record! {
    Transition {
        queue: QueueName,
        id: JobId,
        seq: Seq,
        guard: Guard,
        patch: Patch,
        then: Vec<NewJob>,
        signal: Option<Signals>,
    }
    Signals { outcome: EndOutcome, count: u8 }
    CloseGate { needs: Option<u64>, seals: bool, heeds_urgent: bool, not_completed_seen: u64 }
    Guard { state: State, proof: Proof, lapse: Lapse }
    Flags { cancel_requested: bool, awaited: bool }
    Requeue {
        state: State,
        run_at: RunAt,
        failures: u32,
        stalls: u32,
        error: Option<Failure>,
        progress: Option<Bytes>,
        fresh: bool,
        lifts_expiry: bool,
        content_type: Option<ContentType>,
        closes: Option<Box<CloseGate>>,
    }
    Finish {
        state: State,
        reason: Option<Reason>,
        failures: u32,
        stalls: u32,
        result: Option<Payload>,
        error: Option<Failure>,
        purge: Purge,
    }
    Amend { payload: Option<Payload>, priority: Option<i16>, run_at: RunAt, terms: Option<SharedTerms> }
}

choice! {
    Proof {
        0 = Lease { token: LeaseToken, epoch: u64, flags: Option<Flags>, settle: Option<Settle> },
        1 = Revision(revision: u64),
    }
    Lapse { 0 = Any, 1 = Lapsed, 2 = Live }
    Patch {
        0 = Requeue(requeue: Requeue),
        1 = Finish(finish: Finish),
        2 = Remove,
        3 = Extend { by: Span, progress: Option<Bytes> },
        4 = Flag(flags: Flags),
        5 = Retain(purge: Purge),
        6 = Amend(amend: Amend),
        7 = Seal,
    }
    RunAt { 0 = Keep, 1 = Soonest, 2 = After(span: Span) }
    Purge { 0 = After(span: Span), 1 = Never }
}
