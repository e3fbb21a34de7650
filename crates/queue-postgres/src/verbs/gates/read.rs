//! The end signals of jobs that are read with their large parts.

use crate::{
    call::CallConnection,
    row::{counter, integer, read_signal},
    verb_error::VerbError,
};
use queue_core::{JobRecord, Seq, Signalling};

/// Adds the end signals of these jobs, if any of them has some.
pub(in crate::verbs) async fn add_end_signals(
    connection: &mut CallConnection<'_>,
    queue: i32,
    records: impl Iterator<Item = &mut JobRecord>,
) -> Result<(), VerbError> {
    let mut senders: Vec<&mut JobRecord> =
        records.filter(|record| record.meta.signalling != Signalling::None).collect();
    if senders.is_empty() {
        return Ok(());
    }
    let lives: Vec<i64> = senders.iter().map(|record| integer(record.meta.seq.get())).collect();
    let find = &connection.handle.statements.find_signals;
    for row in connection.read(find, |query| query.bind(queue).bind(lives)).await? {
        let seq = Seq::new(counter(&row, 0)?);
        let record = senders.iter_mut().find(|record| record.meta.seq == seq);
        if let Some(body) = record.and_then(|record| record.body.as_mut()) {
            body.end_signals.push(read_signal(&row, 1)?);
        }
    }
    Ok(())
}
