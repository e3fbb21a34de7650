use super::id_key::{IdKey, digest};
use crate::{Encode, IntoJobId, client::Shared};
use bytes::Bytes;
use queue_core::{InvalidName, JobId, Kind, Result};
use std::fmt::Write;

/// How a job gets its id, which is its deduplication key: an id that is present is not enqueued
/// again.
///
/// Whatever can name a job ([`IntoJobId`]: text, a [`JobId`], an integer, a `Uuid`) converts into
/// [`Id::Given`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Id {
    /// The producer's own: 1 to 255 bytes of UTF-8 without control characters. Best of all, since
    /// an enqueue of unknown outcome may then be sent again.
    Given(JobId),
    /// A fresh one that sorts by time: UUID version 7 as 32 lower-case hexadecimal characters.
    /// Nothing is a duplicate.
    Generated,
    /// Equal work is one job: the SHA-256 of the encoded payload as 64 lower-case hexadecimal
    /// characters, followed by `/` and the kind unless that is the default one, since another kind
    /// of work on equal input is other work.
    ///
    /// It is made of the payload in its plain format, whatever a codec over that codec does to the
    /// stored bytes. So everybody who can guess a payload can tell whether a job has it;
    /// [`QueueBuilder::id_key`](crate::QueueBuilder::id_key) makes it an HMAC-SHA-256, which tells
    /// those with the key alone.
    OfContent,
    /// What was given names no job; whoever takes it refuses it.
    Invalid(InvalidName),
}

impl Shared {
    /// The id of a job with this payload.
    ///
    /// # Errors
    /// `Invalid` for an id that is none, and for content that its format cannot hold.
    pub(crate) fn id_of(&self, id: Id, kind: &Kind, payload: &impl Encode) -> Result<JobId> {
        match id {
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
