//! The large parts of a job, as they are read.

use crate::row::{foreign, name};
use bytes::Bytes;
use queue_core::{ContentType, Headers, JobBody, Payload};
use rusqlite::Row;

/// The result of a job and the details of its last error.
#[derive(Debug, Default)]
pub(crate) struct ResultParts {
    pub(crate) result: Option<Payload>,
    pub(crate) error_details: Option<Bytes>,
}

impl ResultParts {
    /// Both large parts together.
    pub(crate) fn beside(self, (headers, payload): (Headers, Payload)) -> JobBody {
        let Self { result, error_details } = self;
        JobBody { payload, headers, result, error_details, end_signals: Vec::new() }
    }
}

/// Reads the columns of `load_payload`, which begin at `first`.
pub(crate) fn read_payload(row: &Row<'_>, first: usize) -> rusqlite::Result<(Headers, Payload)> {
    let headers = Headers::from_text(row.get_ref(first)?.as_str_or_null()?);
    let headers = headers.map_err(|invalid| foreign(first, invalid.to_string()))?;
    let bytes = row.get::<_, Vec<u8>>(first + 2)?.into();
    Ok((headers, Payload { content_type: name::<ContentType>(row, first + 1)?, bytes }))
}

/// Reads the columns of `load_outcome`, which begin at `first`.
pub(crate) fn read_outcome(row: &Row<'_>, first: usize) -> rusqlite::Result<ResultParts> {
    let result = match row.get::<_, Option<Vec<u8>>>(first + 1)? {
        Some(bytes) => Some(Payload { content_type: name::<ContentType>(row, first)?, bytes: bytes.into() }),
        None => None,
    };
    Ok(ResultParts { result, error_details: row.get::<_, Option<Vec<u8>>>(first + 2)?.map(Into::into) })
}
