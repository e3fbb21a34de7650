//! The error of every operation: its kind, and whether its effect may have happened.

use std::{error::Error as StdError, fmt, sync::Arc};

/// The result of every fallible operation of the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failed operation: what the caller should do, and whether the operation may have taken effect
/// in spite of the error.
///
/// Outcomes that a correct program meets in normal work (a lost lease, a duplicate id, a missing
/// job) are answers, never errors. Cloning is cheap, because the error of one failed batch goes to
/// many callers.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    certainty: Certainty,
    operation: &'static str,
    message: Arc<str>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// What the caller should do. Two errors have different kinds only if the caller should react
/// differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request can never succeed as it is: correct the input.
    Invalid,
    /// The store cannot answer now: try again later.
    Unavailable,
    /// The record changed during each of a bounded number of retries: read it and decide again.
    Conflict,
    /// Stored data is not what this library wrote: stop and repair.
    Corrupt,
    /// This store, or this version of it, does not offer the operation.
    Unsupported,
    /// The handle was closed.
    Closed,
    /// A bug in this library or in a store.
    Internal,
}

/// Whether the effect of a failed call may have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// The effect did not happen.
    NotApplied,
    /// The effect may have happened. Every verb except `claim` can be sent again.
    Unknown,
}

impl Error {
    /// An error of a call that changed nothing.
    pub fn new(kind: ErrorKind, operation: &'static str, message: impl Into<String>) -> Self {
        let message = message.into().into();
        Self { kind, certainty: Certainty::NotApplied, operation, message, source: None }
    }

    /// An error for input that was refused before anything was written.
    pub fn invalid(operation: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, operation, message)
    }

    /// An error for a stored job that has no body, where the store must give one.
    pub fn without_body(operation: &'static str) -> Self {
        Self::new(ErrorKind::Corrupt, operation, "the stored job is damaged: it has no body")
    }

    /// An error for a call after the handle was closed.
    pub fn closed(operation: &'static str) -> Self {
        Self::new(ErrorKind::Closed, operation, "this handle is closed; open the store again")
    }

    /// An error for a call whose answer never came, since the store's own thread has ended.
    pub fn unanswered(operation: &'static str) -> Self {
        Self::new(ErrorKind::Internal, operation, "the store's thread ended without an answer").unknown()
    }

    /// Adds the cause; its type stays hidden.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(Arc::from(source.into()));
        self
    }

    /// Marks that the effect may have happened.
    #[must_use]
    pub fn unknown(mut self) -> Self {
        self.certainty = Certainty::Unknown;
        self
    }

    /// The same error of this operation, for a part of a store that serves several verbs and cannot
    /// name the one that its caller runs.
    ///
    /// ```
    /// use queue_core::{Error, ErrorKind};
    ///
    /// let broken = || Error::new(ErrorKind::Internal, "read", "a record ends too early");
    /// assert_eq!(broken().during("claim").to_string(), "claim: a record ends too early");
    /// ```
    #[must_use]
    pub fn during(mut self, operation: &'static str) -> Self {
        self.operation = operation;
        self
    }

    /// What the caller should do.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the effect may have happened.
    pub fn certainty(&self) -> Certainty {
        self.certainty
    }

    /// The verb that failed, such as `enqueue`.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// What went wrong and how to correct it, without the operation.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// True when sending the same request again later may succeed.
    pub fn is_transient(&self) -> bool {
        matches!(self.kind, ErrorKind::Unavailable | ErrorKind::Conflict)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.operation, self.message)?;
        if self.certainty == Certainty::Unknown { f.write_str(" (it may have been applied)") } else { Ok(()) }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| &**source as &(dyn StdError + 'static))
    }
}
