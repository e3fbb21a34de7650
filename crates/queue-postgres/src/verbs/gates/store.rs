//! Storing the gates and end signals of jobs that were just stored.

use super::raise::Judged;
use crate::{
    call::{BoundQuery, CallConnection},
    row::{count, integer, signal_bits},
    verb_error::VerbError,
};
use queue_core::{Gate, NewJob, Seq, Span, Timestamp};
use std::collections::BTreeMap;

/// A job that was just stored, and what was judged of its signals.
pub(in crate::verbs) struct NewLife<'a> {
    pub(in crate::verbs) seq: Seq,
    pub(in crate::verbs) job: &'a NewJob,
    pub(in crate::verbs) judged: &'a Judged,
}

/// Stores gates and end signals, and raises the gates that these are to. `holder` is the job whose
/// own step enqueues them.
pub(in crate::verbs) async fn store(
    connection: &mut CallConnection<'_>,
    queue: i32,
    lives: &[NewLife<'_>],
    holder: Option<Seq>,
    now: Timestamp,
) -> Result<(), VerbError> {
    store_gates(connection, queue, lives, now).await?;
    let signals: Vec<_> = lives
        .iter()
        .flat_map(|life| (0_i16..).zip(&life.judged.signals).map(|(n, signal)| (life.seq, n, signal)))
        .collect();
    if signals.is_empty() {
        return Ok(());
    }
    let bind = |query: BoundQuery| {
        let target = |life: Option<Seq>| life.map(|life| integer(life.get()));
        query
            .bind(queue)
            .bind(signals.iter().map(|(seq, ..)| integer(seq.get())).collect::<Vec<_>>())
            .bind(signals.iter().map(|(_, n, _)| *n).collect::<Vec<_>>())
            .bind(signals.iter().map(|(.., signal)| target(signal.life)).collect::<Vec<_>>())
            .bind(signals.iter().map(|(.., signal)| signal.to.to_string()).collect::<Vec<_>>())
            .bind(signals.iter().map(|(.., signal)| signal_bits(signal)).collect::<Vec<_>>())
    };
    connection.write(&connection.handle.statements.add_signals, bind).await?;
    let mut raises: BTreeMap<Seq, i64> = BTreeMap::new();
    for life in signals.iter().filter(|(.., signal)| signal.raises).filter_map(|(.., signal)| signal.life) {
        *raises.entry(life).or_default() += 1;
    }
    if raises.is_empty() {
        return Ok(());
    }
    if let Some(holder) = holder.filter(|holder| raises.contains_key(holder)) {
        connection.mark_gates(queue).await?;
        let give = &connection.handle.statements.give_gate;
        connection.write(give, |query| query.bind(queue).bind(integer(holder.get()))).await?;
    }
    let bind = |query: BoundQuery| {
        query
            .bind(queue)
            .bind(raises.keys().map(|life| integer(life.get())).collect::<Vec<_>>())
            .bind(raises.values().copied().collect::<Vec<_>>())
            .bind(vec![None::<i64>; raises.len()])
    };
    connection.write(&connection.handle.statements.add_slips, bind).await.map(drop)
}

async fn store_gates(
    connection: &mut CallConnection<'_>,
    queue: i32,
    lives: &[NewLife<'_>],
    now: Timestamp,
) -> Result<(), VerbError> {
    let gates: Vec<_> = lives.iter().filter_map(|life| Some((life.seq, life.job.gate?))).collect();
    if gates.is_empty() {
        return Ok(());
    }
    connection.mark_gates(queue).await?;
    let bind = |query: BoundQuery| {
        query
            .bind(queue)
            .bind(gates.iter().map(|(seq, _)| integer(seq.get())).collect::<Vec<_>>())
            .bind(gates.iter().map(|(_, gate)| count(gate.needs)).collect::<Vec<_>>())
            .bind(gates.iter().map(|(_, gate)| gate.is_sealed).collect::<Vec<_>>())
            .bind(
                gates
                    .iter()
                    .map(|(_, gate)| {
                        let timeout = now + gate.timeout.unwrap_or(Span::MAX);
                        Gate::begin(*gate).is_closed(0).then_some(timeout.as_millis())
                    })
                    .collect::<Vec<_>>(),
            )
    };
    connection.write(&connection.handle.statements.add_gates, bind).await.map(drop)
}
