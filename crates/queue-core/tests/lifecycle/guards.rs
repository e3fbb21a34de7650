//! Guards that a caller may build beyond the guards of `decide`.

use crate::{
    axes::CLOCKS,
    world::{BOUNDARY, MINE, record_in},
};
use queue_core::{
    State,
    lifecycle::{Flags, Guard, Lapse, LastSettle, Patch, Proof, Settle, Transition, Verdict, apply},
};

#[test]
fn the_clock_is_compared_whatever_the_proof() {
    let epoch = record_in(State::Processing).meta.epoch;
    let proofs = [
        (Proof::Lease { token: MINE, epoch, flags: None, settle: None }, Verdict::LeaseLost),
        (Proof::Revision(40), Verdict::Stale),
    ];
    for (proof, refusal) in proofs {
        for lapse in [Lapse::Any, Lapse::Live, Lapse::Lapsed] {
            for now in CLOCKS {
                let holds = match lapse {
                    Lapse::Any => true,
                    Lapse::Live => now < BOUNDARY,
                    Lapse::Lapsed => now >= BOUNDARY,
                };
                let mut job = record_in(State::Processing);
                let (queue, id) = (job.meta.queue.clone(), job.meta.id.clone());
                let guard = Guard { state: State::Processing, proof: proof.clone(), lapse };
                let patch = Patch::Flag(Flags::default());
                let transition =
                    Transition { queue, id, seq: job.meta.seq, guard, patch, then: Vec::new(), signal: None };
                let written = matches!(apply(&mut job, &transition, now), Verdict::Written { .. });
                assert_eq!(written, holds, "{proof:?} {lapse:?} at {now}");
                if !holds {
                    assert_eq!(apply(&mut job, &transition, now), refusal, "{proof:?} {lapse:?} at {now}");
                }
            }
        }
    }
}

/// If two claims have the same token, the first of them cannot settle a job of the second, nor pass
/// for a repeat.
#[test]
fn a_token_that_was_used_twice_settles_the_lease_of_its_own_claim_alone() {
    let held = record_in(State::Processing);
    let mut settled = held.clone();
    (settled.meta.state, settled.token, settled.meta.lease) = (State::Queued, None, None);
    settled.last_settle = Some(LastSettle { token: MINE, settle: Settle::Release });
    for (job, taken) in [(held, Verdict::Removed), (settled, Verdict::Replayed)] {
        for (epoch, verdict) in [(job.meta.epoch, taken.clone()), (job.meta.epoch - 1, Verdict::LeaseLost)] {
            let mut job = job.clone();
            let (queue, id, seq) = (job.meta.queue.clone(), job.meta.id.clone(), job.meta.seq);
            let proof = Proof::Lease { token: MINE, epoch, flags: None, settle: Some(Settle::Release) };
            let guard = Guard { state: State::Processing, proof, lapse: Lapse::Any };
            let transition =
                Transition { queue, id, seq, guard, patch: Patch::Remove, then: Vec::new(), signal: None };
            assert_eq!(apply(&mut job, &transition, BOUNDARY), verdict, "epoch {epoch} of {:?}", job.meta);
        }
    }
}
