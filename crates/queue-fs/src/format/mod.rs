//! The stored form: numbers and texts, changes of jobs, records around them, and the heads of
//! segments.
//!
//! Everything is little-endian and explicit, so that the layout follows from this folder alone and
//! not from a library or from the order of fields. `docs/FILE-FORMAT.md` says the same in words.
//! Nothing here touches a file.

mod amended;
mod attempt;
mod field_change;
mod gate;
mod job;
mod journal_change;
mod length;
mod limits;
mod names;
mod options;
mod pauses;
mod record;
mod salt;
mod segment;
mod series;
mod wire;
mod worker;
pub(crate) mod write;

pub(crate) use amended::AmendedFields;
pub(crate) use field_change::FieldChange;
pub(crate) use journal_change::{Blob, JournalChange, Update};
pub(crate) use length::whole_len;
pub(crate) use names::InternedNames;
pub(crate) use record::{Head, ParsedRecord, RECORD_HEAD_BYTES, find_next, parse, seal, start};
pub(crate) use salt::Salt;
pub(crate) use segment::{SEGMENT_HEAD_BYTES, SegmentHead, SegmentHeadError, segment_name, segment_number};
pub(crate) use wire::Malformed;

/// The layout that this version writes and understands. All others are refused.
pub(crate) const VERSION: u16 = 4;
