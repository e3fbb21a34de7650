//! The headers and tags that a producer adds to a job beside its payload.

mod headers;
mod tags;

pub use headers::{HEADERS_BYTES_MAX, HEADERS_MAX, Headers};
pub use tags::{TAG_BYTES_MAX, TAGS_MAX, Tag, Tags};
