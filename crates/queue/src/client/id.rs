use queue_core::{IdSource, JobId, Kind, Payload, Result};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// How a job gets its id, which is its deduplication key: an id that is present is not enqueued again.
///
/// Text and [`JobId`] convert into [`Id::Given`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Id {
    /// The producer's own: 1 to 255 bytes of UTF-8 without control characters. Best of all, since an enqueue of unknown
    /// outcome may then be sent again.
    Given(String),
    /// A fresh one that sorts by time: UUID version 7 as 32 lower-case hexadecimal characters. Nothing is a duplicate.
    Generated,
    /// Equal work is one job: the SHA-256 of the encoded payload as 64 lower-case hexadecimal characters, followed by
    /// `/` and the kind unless that is the default one, since another kind of work on equal input is other work.
    OfContent,
}

impl Id {
    /// The id of a job with this payload.
    ///
    /// # Errors
    /// `Invalid` for text that is no valid id.
    pub(crate) fn resolve(self, kind: &Kind, payload: &Payload, ids: &dyn IdSource) -> Result<JobId> {
        match self {
            Self::Given(text) => Ok(JobId::new(text)?),
            Self::Generated => Ok(ids.next_id()),
            Self::OfContent => Ok(JobId::new(content_key(kind, payload))?),
        }
    }
}

fn content_key(kind: &Kind, payload: &Payload) -> String {
    let mut key = String::with_capacity(64);
    for byte in Sha256::digest(&payload.bytes) {
        write!(key, "{byte:02x}").expect("writing to a string does not fail");
    }
    if *kind != Kind::unnamed() {
        key.push('/');
        key.push_str(kind.as_str());
    }
    key
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::Given(text.to_owned())
    }
}

impl From<&String> for Id {
    fn from(text: &String) -> Self {
        Self::Given(text.clone())
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        Self::Given(text)
    }
}

impl From<JobId> for Id {
    fn from(id: JobId) -> Self {
        Self::Given(id.as_str().to_owned())
    }
}

impl From<&JobId> for Id {
    fn from(id: &JobId) -> Self {
        Self::Given(id.as_str().to_owned())
    }
}
