//! How a job gets its id: given, generated, or made of its content.

use super::id_key::{IdKey, digest};
use crate::{Encode, IntoJobId, InvalidOption, client::Shared};
use bytes::Bytes;
use queue_core::{InvalidName, JobId, Kind, LibraryJob, Result};
use std::fmt::Write;

/// How a job gets its id. The id is the deduplication key: an id that is present is not enqueued
/// again.
///
/// Every value that can name a job ([`IntoJobId`]: text, a [`JobId`], an integer, a `Uuid`)
/// converts into [`Id::Given`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Id {
    /// An id of the producer: 1 to 255 bytes of UTF-8 without control characters. This is the best
    /// choice, since an enqueue of unknown outcome can then be sent again. Some are
    /// [reserved](crate::InvalidOption::ReservedId).
    Given(JobId),
    /// A fresh id that sorts by time: UUID version 7 as 32 lower-case hexadecimal characters. No
    /// job is a duplicate.
    Generated,
    /// An id that is equal for equal work: the SHA-256 of the encoded payload as 64 lower-case
    /// hexadecimal characters, followed by `/` and the kind unless the kind is the default one,
    /// since another kind of work on equal input is other work.
    ///
    /// The id is made of the payload in its plain format, even if the codec encrypts or compresses
    /// the stored bytes. So a reader who can guess a payload can find out whether a job has it.
    /// With [`QueueBuilder::id_key`](crate::QueueBuilder::id_key) the id is an HMAC-SHA-256, and
    /// only holders of the key can find out.
    OfContent,
    /// The given value is no valid id; every call refuses it.
    Invalid(InvalidName),
}

impl Shared {
    /// The id of a job with this payload.
    ///
    /// # Errors
    /// `Invalid` for an id that is invalid or [reserved](InvalidOption::ReservedId), and for
    /// content that its format cannot encode.
    pub(crate) fn id_of(&self, id: Id, kind: &Kind, payload: &impl Encode) -> Result<JobId> {
        match id {
            Id::Given(id) if LibraryJob::owns_id(&id) => Err(InvalidOption::ReservedId { id }.into()),
            Id::Given(id) => Ok(id),
            Id::Generated => Ok(self.ids.next_id()),
            Id::OfContent => {
                let content = payload.plain(&self.codec)?;
                Ok(JobId::new(content_key(self.id_key.as_ref(), kind, &content))?)
            }
            Id::Invalid(error) => Err(error.into()),
        }
    }
}

fn content_key(key: Option<&IdKey>, kind: &Kind, content: &Bytes) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest(key, content) {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
    }
    if *kind != Kind::unnamed() {
        text.push('/');
        text.push_str(kind.as_str());
    }
    text
}

impl<T: IntoJobId> From<T> for Id {
    fn from(id: T) -> Self {
        id.into_job_id().map_or_else(Self::Invalid, Self::Given)
    }
}
