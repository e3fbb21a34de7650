//! The id of an operation.

use queue_core::{InvalidName, JobId, NAME_BYTES_MAX, QueueName};
use std::{fmt, str::FromStr};

/// Between the queue and the name. No name has one.
const SLASH: char = '/';

/// The id of an operation: the queue of its jobs and a name that it has there, written
/// `QUEUE/NAME`. So the operations of one queue take no name of another's, and who may not see a
/// queue cannot learn by a name what is done to it.
///
/// The queue may have slashes itself, and the name has none. It is also the id of the job that the
/// operation is, and so has 255 bytes at most.
///
/// ```
/// use queue_core::QueueName;
/// use queue_worker::operations::OperationId;
///
/// let id = OperationId::new(&QueueName::new("mail/eu")?, "redrive-2026-11-26")?;
/// assert_eq!(id.to_string(), "mail/eu/redrive-2026-11-26");
/// assert_eq!(id, "mail/eu/redrive-2026-11-26".parse()?);
/// assert_eq!((id.queue().as_str(), id.name()), ("mail/eu", "redrive-2026-11-26"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct OperationId {
    queue: QueueName,
    job: JobId,
}

/// Why a text is no [`OperationId`], or no name of an operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidOperationId {
    /// The text has no slash, or nothing before it.
    #[error("the id of an operation is QUEUE/NAME, with the queue of its jobs")]
    NoQueue,
    /// The name has a slash.
    #[error("the name of an operation has no slash")]
    Slash,
    /// The name, or the whole id, breaks the rules of names.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// The queue and the name are too long together.
    #[error(
        "the id of an operation has at most {NAME_BYTES_MAX} bytes with its queue and a slash, this one has {bytes}"
    )]
    TooLong {
        /// How long it would be.
        bytes: usize,
    },
}

impl From<InvalidOperationId> for queue_core::Error {
    fn from(invalid: InvalidOperationId) -> Self {
        Self::invalid("operation", invalid.to_string()).with_source(invalid)
    }
}

impl OperationId {
    /// The id of the operation of this name on a queue.
    ///
    /// # Errors
    /// If the name is empty or has a slash or a control character, or if both are too long
    /// together.
    pub fn new(queue: &QueueName, name: &str) -> Result<Self, InvalidOperationId> {
        if name.contains(SLASH) {
            return Err(InvalidOperationId::Slash);
        }
        // What is wrong with the name alone is said of it alone.
        JobId::new(name)?;
        let text = format!("{queue}{SLASH}{name}");
        if text.len() > NAME_BYTES_MAX {
            return Err(InvalidOperationId::TooLong { bytes: text.len() });
        }
        Ok(Self { queue: queue.clone(), job: JobId::new(text)? })
    }

    /// The queue of its jobs.
    pub fn queue(&self) -> &QueueName {
        &self.queue
    }

    /// Its name among the operations on this queue.
    pub fn name(&self) -> &str {
        &self.as_str()[self.queue.as_str().len() + SLASH.len_utf8()..]
    }

    /// The whole id, as it is written.
    pub fn as_str(&self) -> &str {
        self.job.as_str()
    }

    /// The id of the job that the operation is.
    pub fn job(&self) -> &JobId {
        &self.job
    }
}

impl FromStr for OperationId {
    type Err = InvalidOperationId;

    fn from_str(text: &str) -> Result<Self, InvalidOperationId> {
        let (queue, name) = text.rsplit_once(SLASH).ok_or(InvalidOperationId::NoQueue)?;
        if queue.is_empty() {
            return Err(InvalidOperationId::NoQueue);
        }
        Self::new(&QueueName::new(queue)?, name)
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(name: &str) -> QueueName {
        QueueName::new(name).unwrap()
    }

    #[test]
    fn no_two_pairs_of_a_queue_and_a_name_are_one_id() {
        let one = OperationId::new(&queue("a/b"), "x").unwrap();
        assert_eq!(OperationId::new(&queue("a"), "b/x"), Err(InvalidOperationId::Slash));
        assert_eq!("a/b/x".parse(), Ok(one.clone()));
        assert_eq!((one.queue().as_str(), one.name()), ("a/b", "x"));
        let odd = OperationId::new(&queue("/"), "x").unwrap();
        assert_eq!((odd.as_str().parse(), odd.as_str()), (Ok(odd.clone()), "//x"));
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in ["x", "/x", "", "a/", "a/\n", "a\n/x"] {
            assert!(text.parse::<OperationId>().is_err(), "{text:?}");
        }
        let long = "q".repeat(NAME_BYTES_MAX - 2);
        assert!(OperationId::new(&queue(&long), "x").is_ok());
        let bytes = NAME_BYTES_MAX + 1;
        assert_eq!(OperationId::new(&queue(&long), "xx"), Err(InvalidOperationId::TooLong { bytes }));
    }
}
