//! The pauses of a queue and of its kinds.

use super::wire::{FieldReader, FieldWriter, Malformed};
use queue_core::{Kind, Pause};
use queue_memory::Pauses;
use std::collections::BTreeMap;

pub(super) fn write_pauses(out: &mut FieldWriter<'_>, pauses: &Pauses) {
    out.i64(pauses.queue.as_millis());
    // A queue has few kinds, which `PausedKind::KINDS_MAX` bounds.
    out.u8(u8::try_from(pauses.kinds.len()).expect("a queue has fewer kinds that are paused"));
    for (kind, pause) in &pauses.kinds {
        out.name(kind);
        out.i64(pause.as_millis());
    }
}

pub(super) fn read_pauses(from: &mut FieldReader<'_>) -> Result<Pauses, Malformed> {
    let queue = Pause::from_millis(from.i64()?);
    let mut kinds = BTreeMap::new();
    for _ in 0..from.u8()? {
        let kind: Kind = from.name()?;
        kinds.insert(kind, Pause::from_millis(from.i64()?));
    }
    Ok(Pauses { queue, kinds })
}
