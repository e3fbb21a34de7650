//! The end signals of jobs that are read with their large parts.

use crate::{
    call::CallConnection,
    row::{counter, integer, read_signal},
    verb_error::VerbError,
};
use queue_core::{EndSignal, JobRecord, Seq, Signalling};
use std::collections::{BTreeMap, BTreeSet};

/// Adds the end signals of these jobs, if any of them has some.
pub(in crate::verbs) async fn add_end_signals(
    connection: &mut CallConnection<'_>,
    queue: i32,
    records: impl Iterator<Item = &mut JobRecord>,
) -> Result<(), VerbError> {
    let senders: Vec<&mut JobRecord> =
        records.filter(|record| record.meta.signalling != Signalling::None).collect();
    if senders.is_empty() {
        return Ok(());
    }
    // A call may ask for a job more than once.
    let lives: BTreeSet<i64> = senders.iter().map(|record| integer(record.meta.seq.get())).collect();
    let lives: Vec<i64> = lives.into_iter().collect();
    let find = &connection.handle.statements.find_signals;
    let mut signals: BTreeMap<Seq, Vec<EndSignal>> = BTreeMap::new();
    for row in connection.read(find, |query| query.bind(queue).bind(lives)).await? {
        signals.entry(Seq::new(counter(&row, 0)?)).or_default().push(read_signal(&row, 1)?);
    }
    for record in senders {
        if let (Some(body), Some(signals)) = (&mut record.body, signals.get(&record.meta.seq)) {
            body.end_signals.clone_from(signals);
        }
    }
    Ok(())
}
