//! Gates and end signals as bytes, as `lua/part/gates.lua` reads them.
//!
//! A gate has a fixed length, so that counting moves no byte of its record:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | how many signals it needs |
//! | 6, 6, 6 | how many it counted of completed, failed and cancelled jobs, at most 2^48 - 1 of each |
//! | 6 | the epoch at which it was closed; all ones for none |
//! | 1 | flags |
//!
//! End signals follow each other:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | marks |
//! | 6 | the life that it is to, where a mark says so |
//! | 1 and more | the id of that behind its length |

use crate::{
    reader::Reader,
    row::{self, NEVER, push_short, six, split},
};
use queue_core::{END_SIGNALS_MAX, EndSignal, Gate, JobId, Signalling, Tally};

/// How long a gate is.
const GATE_BYTES: usize = 33;
const IS_SEALED: u8 = 1;
const HEEDS_URGENT: u8 = 2;
/// The marks of an end signal.
const RAISES: u8 = 1;
const TOLERANT: u8 = 2;
const URGENT: u8 = 4;
const NAMES_LIFE: u8 = 8;
/// In place of how many signals a job owes.
const SIGNALS_SENT: u8 = 255;

/// Writes a gate.
pub(crate) fn gate_bytes(gate: &Gate) -> Vec<u8> {
    let Gate { needs, tally, is_sealed, heeds_urgent, closed_at, .. } = *gate;
    let mut bytes = Vec::with_capacity(GATE_BYTES);
    bytes.extend(needs.to_be_bytes());
    for number in [tally.completed, tally.failed, tally.cancelled, closed_at.unwrap_or(NEVER)] {
        bytes.extend(six(number));
    }
    bytes.push((u8::from(is_sealed) * IS_SEALED) | (u8::from(heeds_urgent) * HEEDS_URGENT));
    bytes
}

/// Reads a gate; `None` if this library did not write it. How many signals it has counted is the
/// sum of what it counted by outcome.
pub(crate) fn read_gate(from: &mut Reader<'_>) -> Option<Gate> {
    let needs = from.u64()?;
    let tally = Tally { completed: from.six()?, failed: from.six()?, cancelled: from.six()? };
    let closed_at = Some(from.six()?).filter(|epoch| *epoch != NEVER);
    let flags = from.u8()?;
    let signals = tally.completed + tally.failed + tally.cancelled;
    let [is_sealed, heeds_urgent] = [IS_SEALED, HEEDS_URGENT].map(|flag| flags & flag != 0);
    Some(Gate { needs, signals, tally, is_sealed, heeds_urgent, closed_at })
}

/// Writes what a job that has end signals owes.
pub(crate) fn signalling_byte(signalling: Signalling) -> Option<u8> {
    match signalling {
        Signalling::None => None,
        Signalling::Owed(count) => Some(count),
        Signalling::Sent => Some(SIGNALS_SENT),
    }
}

/// Reads what a job that has end signals owes.
pub(crate) fn read_signalling(owes: u8) -> Signalling {
    if owes == SIGNALS_SENT { Signalling::Sent } else { Signalling::Owed(owes) }
}

/// Writes end signals, for a queue of this number. A life of another number is none of the queue.
pub(crate) fn write_signals(signals: &[EndSignal], number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for EndSignal { to, life, raises, tolerant, urgent } in signals {
        let marks =
            [(RAISES, *raises), (TOLERANT, *tolerant), (URGENT, *urgent), (NAMES_LIFE, life.is_some())];
        bytes.push(marks.map(|(mark, holds)| mark * u8::from(holds)).into_iter().sum());
        let named = life.map_or(0, |life| match split(life) {
            (count, of) if of == number => count,
            _ => NEVER,
        });
        bytes.extend(six(named));
        push_short(&mut bytes, to.as_str().as_bytes());
    }
    bytes
}

/// Reads end signals; `None` if this library did not write them.
pub(crate) fn read_signals(bytes: &[u8], number: u64) -> Option<Vec<EndSignal>> {
    let mut from = Reader::new(bytes);
    let mut signals = Vec::new();
    while !from.is_empty() {
        let (marks, life) = (from.u8()?, from.six()?);
        let to = JobId::new(from.short_text()?).ok()?;
        let has = |mark| marks & mark != 0;
        let life = has(NAMES_LIFE).then(|| row::seq(life, number));
        signals.push(EndSignal {
            to,
            life,
            raises: has(RAISES),
            tolerant: has(TOLERANT),
            urgent: has(URGENT),
        });
    }
    (signals.len() <= END_SIGNALS_MAX).then_some(signals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{APPLY_TEXT, assert_same_constants, constant};
    use queue_core::{Seq, Span};

    #[test]
    fn a_gate_is_read_as_it_was_written() {
        let tally = Tally { completed: 1, failed: NEVER, cancelled: 3 };
        let signals = tally.completed + tally.failed + tally.cancelled;
        for closed_at in [None, Some(0), Some(7)] {
            let gate =
                Gate { needs: u64::MAX - 1, signals, tally, is_sealed: true, heeds_urgent: false, closed_at };
            let bytes = gate_bytes(&gate);
            assert_eq!((bytes.len(), read_gate(&mut Reader::new(&bytes))), (GATE_BYTES, Some(gate)));
            assert_eq!(read_gate(&mut Reader::new(&bytes[1..])), None);
        }
    }

    #[test]
    fn signals_are_read_as_they_were_written_and_name_no_life_of_another_queue() {
        let to =
            |life| EndSignal { raises: true, urgent: true, life, ..EndSignal::to(JobId::from_static("a")) };
        let signals = [to(None), to(Some(row::seq(9, 3)))];
        let bytes = write_signals(&signals, 3);
        assert_eq!(read_signals(&bytes, 3).as_deref(), Some(&signals[..]));
        assert_eq!(read_signals(&bytes[..bytes.len() - 1], 3), None);
        let other = read_signals(&write_signals(&[to(Some(Seq::new(5)))], 3), 3);
        assert_eq!(other, Some(vec![to(Some(row::seq(NEVER, 3)))]), "no life has this number");
    }

    #[test]
    fn scripts_have_the_same_numbers_for_gates_and_signals() {
        assert_same_constants!(
            APPLY_TEXT: GATE_BYTES, IS_SEALED, HEEDS_URGENT, RAISES, TOLERANT, URGENT, NAMES_LIFE, SIGNALS_SENT,
        );
        assert_eq!(constant(APPLY_TEXT, "FAR"), Some((Span::MAX.as_millis() / 2).to_string()));
    }
}
