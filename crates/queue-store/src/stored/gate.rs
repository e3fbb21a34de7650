//! Gates, which are part of the record of a job, and end signals, which stand beside it.

use super::sealed::Fields;
use queue_core::{
    EndSignal, Gate, Seq, Signalling, Tally,
    wire::{Malformed, Reader, Writer},
};

const SEALED: u8 = 1;
const HEEDS_URGENT: u8 = 1 << 1;
const CLOSED: u8 = 1 << 2;

const RAISES: u8 = 1;
const TOLERANT: u8 = 1 << 1;
const URGENT: u8 = 1 << 2;
const TO_LIFE: u8 = 1 << 3;

pub(super) fn write_gate(out: &mut Writer, gate: &Gate) {
    // The number of signals is the sum of the tally.
    let Gate { needs, signals: _, tally, is_sealed, heeds_urgent, closed_at } = gate;
    let Tally { completed, failed, cancelled } = tally;
    for count in [needs, completed, failed, cancelled] {
        out.number(*count);
    }
    let marks = [(SEALED, *is_sealed), (HEEDS_URGENT, *heeds_urgent), (CLOSED, closed_at.is_some())];
    out.byte(marks_of(&marks));
    if let Some(epoch) = closed_at {
        out.number(*epoch);
    }
}

pub(super) fn read_gate(from: &mut Reader) -> Result<Gate, Malformed> {
    let needs = from.number()?;
    let tally = Tally { completed: from.number()?, failed: from.number()?, cancelled: from.number()? };
    let has = read_marks(from, SEALED | HEEDS_URGENT | CLOSED)?;
    Ok(Gate {
        needs,
        signals: tally.completed.saturating_add(tally.not_completed()),
        tally,
        is_sealed: has(SEALED),
        heeds_urgent: has(HEEDS_URGENT),
        closed_at: has(CLOSED).then(|| from.number()).transpose()?,
    })
}

/// A job without end signals has no such number.
pub(super) fn read_signalling(from: &mut Reader) -> Result<Signalling, Malformed> {
    let known = |code| Signalling::from_code(code).filter(|signalling| *signalling != Signalling::None);
    known(from.number()?).ok_or(Malformed("a job says wrongly what it signals"))
}

impl Fields for Vec<EndSignal> {
    fn write(&self, out: &mut Writer) {
        out.number(self.len() as u64);
        for EndSignal { to, life, raises, tolerant, urgent } in self {
            out.text(to);
            let marks =
                [(RAISES, *raises), (TOLERANT, *tolerant), (URGENT, *urgent), (TO_LIFE, life.is_some())];
            out.byte(marks_of(&marks));
            if let Some(life) = life {
                out.number(life.get());
            }
        }
    }

    fn read(from: &mut Reader) -> Result<Self, Malformed> {
        // Collecting reserves no room for a number that may be a lie.
        (0..from.number::<u64>()?).map(|_| read_end_signal(from)).collect()
    }
}

fn read_end_signal(from: &mut Reader) -> Result<EndSignal, Malformed> {
    let to = from.name()?;
    let has = read_marks(from, RAISES | TOLERANT | URGENT | TO_LIFE)?;
    let life = has(TO_LIFE).then(|| from.number().map(Seq::new)).transpose()?;
    Ok(EndSignal { to, life, raises: has(RAISES), tolerant: has(TOLERANT), urgent: has(URGENT) })
}

fn marks_of(marks: &[(u8, bool)]) -> u8 {
    marks.iter().map(|(mark, holds)| u8::from(*holds) * mark).sum()
}

/// Which marks of a byte are set; an error for one that is none of these.
fn read_marks(from: &mut Reader, known: u8) -> Result<impl Fn(u8) -> bool + use<>, Malformed> {
    let known = |marks: u8| (marks & !known == 0).then_some(marks);
    let marks = from.code(known)?;
    Ok(move |mark| marks & mark != 0)
}
