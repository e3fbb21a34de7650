//! The stored form of an entry of a series.

use super::{
    JournalChange,
    job::time,
    wire::{FieldReader, FieldWriter, Malformed},
};
use bytes::Bytes;
use queue_core::{SeriesEntry, Timestamp};

/// The key, and the bytes and the end of an entry that is kept.
pub(super) fn write_series(out: &mut FieldWriter<'_>, entry: &SeriesEntry, until: Option<Timestamp>) {
    out.name(&entry.series);
    out.i64(entry.slot);
    out.name(&entry.writer);
    if let Some(until) = until {
        out.blob(&entry.bytes);
        out.i64(until.as_millis());
    }
}

pub(super) fn read_series(from: &mut FieldReader<'_>, is_kept: bool) -> Result<JournalChange, Malformed> {
    // The fields are read in the order in which they stand here.
    let entry = SeriesEntry {
        series: from.name()?,
        slot: from.i64()?,
        writer: from.name()?,
        bytes: if is_kept { from.bytes()? } else { Bytes::new() },
    };
    let until = if is_kept { Some(time(from)?) } else { None };
    Ok(JournalChange::Series { entry, until })
}
