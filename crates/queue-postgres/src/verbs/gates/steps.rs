//! What a transition does to the gate of its own job, and what it sends when that ends.

use crate::{
    call::{BoundQuery, CallConnection},
    row::{count, integer, read_gate},
    verb_error::VerbError,
};
use queue_core::{
    EndOutcome, JobMeta, Seq, State,
    lifecycle::{CloseGate, Patch, Requeue, Transition},
};

fn closes(patch: &Patch) -> Option<&CloseGate> {
    match patch {
        Patch::Requeue(Requeue { closes, .. }) => closes.as_deref(),
        _ => None,
    }
}

/// Closes or seals the gate of a job, if its patch does. Neither opens it.
pub(in crate::verbs) async fn close_or_seal(
    connection: &mut CallConnection<'_>,
    queue: i32,
    sent: &Transition,
    job: &JobMeta,
) -> Result<(), VerbError> {
    let statements = &connection.handle.statements;
    let seq = integer(sent.seq.get());
    if let Some(to) = closes(&sent.patch) {
        let bind = |query: BoundQuery| {
            let query = query.bind(queue).bind(seq).bind(to.needs.map(count)).bind(to.seals);
            query.bind(to.heeds_urgent).bind(integer(job.epoch))
        };
        connection.mark_gates(queue).await?;
        connection.write(&statements.close_gate, bind).await?;
    } else if matches!(sent.patch, Patch::Seal) {
        connection.write(&statements.seal_gate, |query| query.bind(queue).bind(seq)).await?;
    }
    Ok(())
}

/// Leaves a slip that has a fold look at a gate that was closed or sealed. It comes after the
/// followers.
pub(in crate::verbs) async fn look(
    connection: &mut CallConnection<'_>,
    queue: i32,
    sent: &Transition,
) -> Result<(), VerbError> {
    if !sent.patch.is_of_gate() {
        return Ok(());
    }
    let seen = closes(&sent.patch).map(|to| count(to.not_completed_seen));
    let bind = |query: BoundQuery| {
        let query = query.bind(queue).bind(vec![integer(sent.seq.get())]);
        query.bind(vec![0_i64]).bind(vec![seen])
    };
    connection.write(&connection.handle.statements.add_slips, bind).await.map(drop)
}

/// Sends the end signals of a job after what followed it.
pub(in crate::verbs) async fn send(
    connection: &mut CallConnection<'_>,
    queue: i32,
    seq: Seq,
    outcome: EndOutcome,
) -> Result<(), VerbError> {
    let state = match outcome {
        EndOutcome::Completed => State::Completed,
        EndOutcome::Failed => State::Failed,
        EndOutcome::Cancelled => State::Cancelled,
    };
    let handle = connection.handle;
    let origin = connection.origin();
    let bind = |query: BoundQuery| {
        let query = query.bind(queue).bind(integer(seq.get())).bind(i16::from(state.as_code()));
        query.bind(handle.notify_channel().map(str::to_owned)).bind(origin.clone())
    };
    connection.write(&handle.statements.send, bind).await.map(drop)
}

/// Reads the gate of a job again, after followers that may have raised it.
pub(in crate::verbs) async fn read_again(
    connection: &mut CallConnection<'_>,
    queue: i32,
    job: &mut JobMeta,
) -> Result<(), VerbError> {
    let find = &connection.handle.statements.find_gates;
    let seq = integer(job.seq.get());
    let rows = connection.read(find, |query| query.bind(queue).bind(seq)).await?;
    if let Some(row) = rows.first() {
        job.gate = read_gate(row, 0)?;
    }
    Ok(())
}
