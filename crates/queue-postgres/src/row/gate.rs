//! Gates and end signals as columns, and back.

use super::{name, optional};
use queue_core::{EndSignal, Gate, JobId, Seq, Signalling, Tally, WholeJob};
use sqlx::{Row, postgres::PgRow};

const HAS_GATE: i16 = 16;
pub(crate) const OWES_SIGNALS: i16 = 32;
/// As many as a job may have ([`queue_core::END_SIGNALS_MAX`]).
const SIGNALS_MAX: i16 = 64;
const SENT_SIGNALS: i16 = 64;
/// From which bit on stands how many end signals there are.
const SIGNALS_AT: u32 = 7;

/// The marks of a new job with a gate and end signals.
pub(crate) fn gate_flags(has_gate: bool, signals: Option<usize>) -> i16 {
    i16::from(has_gate) * HAS_GATE + signals.map_or(0, owing)
}

/// The marks of a record of another store.
pub(super) fn imported_gate_flags(job: &WholeJob) -> i16 {
    let signals = job.body.end_signals.len();
    let has_gate = gate_flags(job.meta.gate.is_some(), None);
    match job.meta.signalling {
        Signalling::None => has_gate,
        Signalling::Owed(_) => has_gate + owing(signals),
        Signalling::Sent => has_gate + SENT_SIGNALS + (owing(signals) & !OWES_SIGNALS),
    }
}

fn owing(signals: usize) -> i16 {
    OWES_SIGNALS + (i16::try_from(signals).unwrap_or(SIGNALS_MAX) << SIGNALS_AT)
}

/// Whether a job has end signals, by its marks.
pub(super) fn signalling(flags: i16) -> Signalling {
    match flags {
        _ if flags & SENT_SIGNALS != 0 => Signalling::Sent,
        _ if flags & OWES_SIGNALS != 0 => {
            Signalling::owing(usize::from((flags >> SIGNALS_AT).unsigned_abs()))
        }
        _ => Signalling::None,
    }
}

/// Reads a gate; none if the job has none.
pub(crate) fn read_gate(row: &PgRow, at: usize) -> sqlx::Result<Option<Box<Gate>>> {
    read_gate_parts(row, at, true)
}

/// Reads a gate without what came to it and is not folded.
pub(crate) fn read_folded_gate(row: &PgRow, at: usize) -> sqlx::Result<Option<Box<Gate>>> {
    read_gate_parts(row, at, false)
}

fn read_gate_parts(row: &PgRow, at: usize, adds_slips: bool) -> sqlx::Result<Option<Box<Gate>>> {
    let Some(parts) = optional::<Vec<Option<i64>>>(row, at)? else { return Ok(None) };
    let part = |at: usize| parts.get(at).copied().flatten();
    let count = |at: usize| part(at).unwrap_or_default().cast_unsigned();
    let mut gate = Gate {
        needs: count(0),
        signals: count(1),
        tally: Tally { completed: count(2), failed: count(3), cancelled: count(4) },
        is_sealed: count(5) != 0,
        heeds_urgent: count(6) != 0,
        closed_at: part(7).map(i64::cast_unsigned),
    };
    if adds_slips {
        let came = Tally { completed: count(9), failed: count(10), cancelled: count(11) };
        gate.add(count(8), came);
    }
    Ok(Some(Box::new(gate)))
}

/// A count of 64 bits, as two's complement.
pub(crate) fn count(value: u64) -> i64 {
    value.cast_signed()
}

/// The bits of an end signal.
pub(crate) fn signal_bits(signal: &EndSignal) -> i16 {
    i16::from(signal.raises) | i16::from(signal.tolerant) << 1 | i16::from(signal.urgent) << 2
}

/// Reads an end signal whose columns begin at `at`.
pub(crate) fn read_signal(row: &PgRow, at: usize) -> sqlx::Result<EndSignal> {
    let bits: i16 = row.try_get(at + 2)?;
    let life = optional::<i64>(row, at + 1)?.map(|life| Seq::new(life.unsigned_abs()));
    let to = name::<JobId>(row, at)?;
    Ok(EndSignal { to, life, raises: bits & 1 != 0, tolerant: bits & 2 != 0, urgent: bits & 4 != 0 })
}
