//! Payloads and results: their content type behind its length, then their bytes.
//!
//! Headers stand behind the bytes of a job's payload, where they cost a job that has none nothing:
//! the state string says how many bytes the payload has.

use crate::{reader::Reader, row::push_short};
use bytes::Bytes;
use queue_core::{ContentType, Headers, NewJob, Payload};

/// How many bytes [`write_payload`] makes of a payload.
pub(crate) fn payload_bytes(payload: &Payload) -> usize {
    1 + payload.content_type.as_str().len() + payload.bytes.len()
}

/// Writes a payload with its content type in front.
pub(crate) fn write_payload(payload: &Payload) -> Vec<u8> {
    let content_type = payload.content_type.as_str().as_bytes();
    let mut blob = Vec::with_capacity(payload_bytes(payload));
    push_short(&mut blob, content_type);
    blob.extend_from_slice(&payload.bytes);
    blob
}

/// Reads what [`write_payload`] wrote, without a copy of the bytes.
pub(crate) fn read_payload(blob: &Bytes) -> Option<Payload> {
    let mut from = Reader::new(blob);
    let content_type = ContentType::new(from.short_text()?).ok()?;
    Some(Payload::new(blob.slice(from.position()..), content_type))
}

/// Writes what a job comes with: its payload, and behind it its headers.
pub(crate) fn write_body(new: &NewJob) -> Vec<u8> {
    let mut blob = write_payload(&new.payload);
    if let Some(headers) = new.headers.to_text() {
        blob.extend_from_slice(headers.as_bytes());
    }
    blob
}

/// Reads what [`write_body`] wrote, for a payload of `payload_bytes`, without a copy of them.
pub(crate) fn read_body(blob: &Bytes, payload_bytes: u32) -> Option<(Payload, Headers)> {
    let Payload { mut bytes, content_type } = read_payload(blob)?;
    let at = usize::try_from(payload_bytes).ok().filter(|at| *at <= bytes.len())?;
    let headers = read_headers(&bytes.split_off(at))?;
    Some((Payload::new(bytes, content_type), headers))
}

/// Reads headers as they stand behind a payload.
pub(crate) fn read_headers(text: &[u8]) -> Option<Headers> {
    let text = std::str::from_utf8(text).ok()?;
    Headers::from_text(Some(text).filter(|text| !text.is_empty())).ok()
}
