//! Gates and end signals as rows, and back. What the columns mean is said in
//! `sql/0002_initial.sql`.

use crate::row::{counter, foreign, integer, name};
use queue_core::{EndSignal, Gate, JobId, Seq, Signalling, Tally};
use rusqlite::{Params, Row};

const SEALED: u8 = 1;
const HEEDS_URGENT: u8 = 2;

const RAISES: u8 = 1;
const TOLERANT: u8 = 2;
const URGENT: u8 = 4;

/// Reads what the columns of marks have above their bits.
pub(crate) fn signalling(column: usize, code: u16) -> rusqlite::Result<Signalling> {
    Signalling::from_code(code).ok_or_else(|| foreign(column, format!("{code} is no number of signals")))
}

/// Reads the columns of `load_gate`.
pub(crate) fn read_gate(row: &Row<'_>) -> rusqlite::Result<Gate> {
    let count = |column| counter(column, row.get(column)?);
    let tally = Tally { completed: count(1)?, failed: count(2)?, cancelled: count(3)? };
    let flags: u8 = row.get(4)?;
    Ok(Gate {
        needs: row.get::<_, i64>(0)?.cast_unsigned(),
        signals: tally.completed.saturating_add(tally.not_completed()),
        tally,
        is_sealed: flags & SEALED != 0,
        heeds_urgent: flags & HEEDS_URGENT != 0,
        closed_at: row.get::<_, Option<i64>>(5)?.map(|epoch| counter(5, epoch)).transpose()?,
    })
}

/// The columns of `save_gate`.
pub(crate) fn gate_columns(seq: Seq, gate: &Gate) -> impl Params {
    let Gate { needs, signals: _, tally, is_sealed, heeds_urgent, closed_at } = *gate;
    let flags = u8::from(is_sealed) * SEALED + u8::from(heeds_urgent) * HEEDS_URGENT;
    (
        integer(seq.get()),
        needs.cast_signed(),
        integer(tally.completed),
        integer(tally.failed),
        integer(tally.cancelled),
        flags,
        closed_at.map(integer),
    )
}

/// Reads the columns of `load_end_signals`.
pub(crate) fn read_end_signal(row: &Row<'_>) -> rusqlite::Result<EndSignal> {
    let life = row.get::<_, Option<i64>>(1)?.map(|life| counter(1, life)).transpose()?;
    let flags: u8 = row.get(2)?;
    Ok(EndSignal {
        to: name::<JobId>(row, 0)?,
        life: life.map(Seq::new),
        raises: flags & RAISES != 0,
        tolerant: flags & TOLERANT != 0,
        urgent: flags & URGENT != 0,
    })
}

/// The columns of `insert_end_signal`.
pub(crate) fn end_signal_columns(sender: Seq, nth: usize, signal: &EndSignal) -> impl Params {
    let EndSignal { to, life, raises, tolerant, urgent } = signal;
    let flags = u8::from(*raises) * RAISES + u8::from(*tolerant) * TOLERANT + u8::from(*urgent) * URGENT;
    let life = life.map(|life| integer(life.get()));
    (integer(sender.get()), integer(nth as u64), to.as_str().to_owned(), life, flags)
}
