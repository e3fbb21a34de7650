//! The stored form of gates and end signals.

use super::wire::{FieldReader, FieldWriter, Malformed, Numbers};
use queue_core::{END_SIGNALS_MAX, EndSignal, Gate, Seq, Tally};

/// How long a gate is.
pub(super) const GATE_BYTES: usize = 6 * size_of::<u64>() + 1;
/// How long an end signal is besides the id that it is to.
pub(super) const END_SIGNAL_BYTES: usize = size_of::<u64>() + 1;

const SEALED: u8 = 1;
const HEEDS_URGENT: u8 = 1 << 1;
const CLOSED: u8 = 1 << 2;

const RAISES: u8 = 1;
const TOLERANT: u8 = 1 << 1;
const URGENT: u8 = 1 << 2;

pub(super) fn write_gate(out: &mut FieldWriter<'_>, gate: &Gate) {
    let Gate { needs, signals, tally, is_sealed, heeds_urgent, closed_at } = *gate;
    let mut numbers = Numbers::<GATE_BYTES>::new();
    for number in [needs, signals, tally.completed, tally.failed, tally.cancelled] {
        numbers.u64(number);
    }
    let flags = [(SEALED, is_sealed), (HEEDS_URGENT, heeds_urgent), (CLOSED, closed_at.is_some())];
    numbers.u64(closed_at.unwrap_or_default());
    numbers.u8(marks(flags));
    out.numbers(&numbers);
}

pub(super) fn read_gate(from: &mut FieldReader<'_>) -> Result<Gate, Malformed> {
    let (needs, signals) = (from.u64()?, from.u64()?);
    let tally = Tally { completed: from.u64()?, failed: from.u64()?, cancelled: from.u64()? };
    let closed_at = from.u64()?;
    let flags = from.u8()?;
    if flags & !(SEALED | HEEDS_URGENT | CLOSED) != 0 {
        return Err(Malformed("a gate has a mark that this version does not know"));
    }
    Ok(Gate {
        needs,
        signals,
        tally,
        is_sealed: flags & SEALED != 0,
        heeds_urgent: flags & HEEDS_URGENT != 0,
        closed_at: (flags & CLOSED != 0).then_some(closed_at),
    })
}

/// The byte of those that hold.
fn marks(flags: [(u8, bool); 3]) -> u8 {
    flags.map(|(flag, holds)| flag * u8::from(holds)).into_iter().sum()
}

/// Their number, and each with the life that it is to, which is zero for one that goes by the id.
pub(super) fn write_end_signals(out: &mut FieldWriter<'_>, signals: &[EndSignal]) {
    out.u8(u8::try_from(signals.len()).expect("a job has at most 64 end signals"));
    for signal in signals {
        let flags = [(RAISES, signal.raises), (TOLERANT, signal.tolerant), (URGENT, signal.urgent)];
        out.name(&signal.to);
        out.u64(signal.life.map_or(0, Seq::get));
        out.u8(marks(flags));
    }
}

pub(super) fn read_end_signals(from: &mut FieldReader<'_>) -> Result<Vec<EndSignal>, Malformed> {
    let count = usize::from(from.u8()?);
    if count > END_SIGNALS_MAX {
        return Err(Malformed("a job has more end signals than it may"));
    }
    (0..count).map(|_| read_end_signal(from)).collect()
}

fn read_end_signal(from: &mut FieldReader<'_>) -> Result<EndSignal, Malformed> {
    let to = from.name()?;
    let life = Some(Seq::new(from.u64()?)).filter(|life| life.get() > 0);
    let flags = from.u8()?;
    if flags & !(RAISES | TOLERANT | URGENT) != 0 {
        return Err(Malformed("an end signal has a mark that this version does not know"));
    }
    let has = |flag| flags & flag != 0;
    Ok(EndSignal { to, life, raises: has(RAISES), tolerant: has(TOLERANT), urgent: has(URGENT) })
}
