//! Guards as a caller may build them, beyond those that a decision makes.

use crate::{
    axes::CLOCKS,
    world::{BOUNDARY, MINE, record_in},
};
use queue_core::{
    State,
    lifecycle::{Flags, Guard, Lapse, Patch, Proof, Transition, Verdict, apply},
};

#[test]
fn the_clock_is_compared_whatever_the_proof() {
    let proofs = [
        (Proof::Lease { token: MINE, flags: None, settle: None }, Verdict::LeaseLost),
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
                let transition = Transition { queue, id, seq: job.meta.seq, guard, patch, then: Vec::new() };
                let written = matches!(apply(&mut job, &transition, now), Verdict::Written(_));
                assert_eq!(written, holds, "{proof:?} {lapse:?} at {now}");
                if !holds {
                    assert_eq!(apply(&mut job, &transition, now), refusal, "{proof:?} {lapse:?} at {now}");
                }
            }
        }
    }
}
