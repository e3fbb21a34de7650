//! Transitions that `decide` never makes.

use queue_core::{
    JobMeta, Span, State,
    lifecycle::{Finish, Guard, Lapse, Patch, Proof, Requeue, RunAt, Transition},
};

/// Another attempt in place of the end.
pub(crate) fn go_on(finish: &Finish) -> Patch {
    let (failures, stalls, error) = (finish.failures, finish.stalls, finish.error.clone());
    Patch::Requeue(Requeue { failures, stalls, error, ..due_now(State::Failing) })
}

fn due_now(state: State) -> Requeue {
    let (run_at, error, content_type) = (RunAt::After(Span::ZERO), None, None);
    Requeue {
        state,
        run_at,
        failures: 0,
        stalls: 0,
        error,
        progress: None,
        fresh: false,
        lifts_expiry: false,
        content_type,
        closes: None,
    }
}

/// Reopens a terminal job of any state.
pub(crate) fn reopening(meta: &JobMeta) -> Transition {
    let fresh = Requeue { fresh: true, ..due_now(State::Queued) };
    forged(meta, Patch::Requeue(fresh))
}

/// Removes a record of any state.
pub(crate) fn removal(meta: &JobMeta) -> Transition {
    forged(meta, Patch::Remove)
}

fn forged(meta: &JobMeta, patch: Patch) -> Transition {
    let guard = Guard { state: meta.state, proof: Proof::Revision(meta.revision), lapse: Lapse::Any };
    Transition {
        queue: meta.queue.clone(),
        id: meta.id.clone(),
        seq: meta.seq,
        guard,
        patch,
        then: Vec::new(),
        signal: None,
    }
}
