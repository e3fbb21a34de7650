//! The large parts of a job, as they are read.

use crate::row::name;
use bytes::Bytes;
use queue_core::{ContentType, Payload};
use rusqlite::Row;

/// What a job left.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) result: Option<Payload>,
    pub(crate) error_details: Option<Bytes>,
}

/// Reads the columns of `load_body`.
pub(crate) fn read_payload(row: &Row<'_>) -> rusqlite::Result<Payload> {
    Ok(Payload { content_type: name::<ContentType>(row, 0)?, bytes: row.get::<_, Vec<u8>>(1)?.into() })
}

/// Reads the columns of `load_outcome`.
pub(crate) fn read_outcome(row: &Row<'_>) -> rusqlite::Result<Outcome> {
    let result = match row.get::<_, Option<Vec<u8>>>(1)? {
        Some(bytes) => Some(Payload { content_type: name::<ContentType>(row, 0)?, bytes: bytes.into() }),
        None => None,
    };
    Ok(Outcome { result, error_details: row.get::<_, Option<Vec<u8>>>(2)?.map(Into::into) })
}
