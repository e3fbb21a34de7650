use crate::runtime::BoxError;
use bytes::Bytes;
use queue_core::{Failure, Keep, Span, lifecycle::Cause};
use std::{error::Error as StdError, fmt, time::Duration};

/// Why a handler did not complete its job. Any error converts into a retryable one with `?`.
///
/// It is no `std::error::Error` itself, so that every error can convert.
///
/// ```
/// use queue_worker::JobError;
///
/// fn parse(text: &str) -> Result<u32, JobError> {
///     Ok(text.parse()?) // retried
/// }
/// fn strict(text: &str) -> Result<u32, JobError> {
///     text.parse().map_err(JobError::terminal) // no second attempt
/// }
/// # assert!(parse("x").is_err() && strict("x").is_err());
/// ```
#[derive(Clone, Debug)]
pub struct JobError(pub(crate) Verdict);

#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    Fail { failure: Failure, cause: Cause, delay: Option<Span>, keep: Option<Keep> },
    Snooze(Span),
    Release,
}

impl JobError {
    /// The attempt failed and another may help. Costs one attempt.
    pub fn retryable(error: impl StdError) -> Self {
        Self::from_error(&error, Cause::Retryable)
    }

    /// The job failed for good.
    pub fn terminal(error: impl StdError) -> Self {
        Self::from_error(&error, Cause::Terminal)
    }

    /// A failure under a name of the program's own; the message is bounded and masked like every other.
    pub fn named(name: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::failed(Failure::new(name, message.to_string()), Cause::Retryable)
    }

    /// Not a failure: call again later. Charges nothing. A delay over a hundred years becomes that.
    pub fn snooze(delay: Duration) -> Self {
        Self(Verdict::Snooze(span(delay)))
    }

    /// Not a failure: give the job back as it was. Charges nothing.
    pub fn release() -> Self {
        Self(Verdict::Release)
    }

    /// The failure that a boxed error stands for, as middleware gives them. A `JobError` that was boxed on its way
    /// through comes out as it was; anything else is retryable and named `Error`, since its type is not known.
    pub fn from_boxed(error: BoxError) -> Self {
        match error.downcast::<Boxed>() {
            Ok(boxed) => boxed.0,
            Err(error) => Self::failed(Failure::new("Error", with_sources(&*error)), Cause::Retryable),
        }
    }

    /// Makes a failure final.
    #[must_use]
    pub fn as_terminal(mut self) -> Self {
        if let Verdict::Fail { cause, .. } = &mut self.0 {
            *cause = Cause::Terminal;
        }
        self
    }

    /// Overrides the worker's wait before the next attempt.
    #[must_use]
    pub fn retry_in(mut self, wait: Duration) -> Self {
        if let Verdict::Fail { delay, .. } = &mut self.0 {
            *delay = Some(span(wait));
        }
        self
    }

    /// Overrides how long the job stays, should this failure be final. Zero is not at all, over a hundred years becomes that.
    #[must_use]
    pub fn keep(mut self, keep: impl Into<Keep>) -> Self {
        if let Verdict::Fail { keep: kept, .. } = &mut self.0 {
            *kept = Some(keep.into());
        }
        self
    }

    /// Adds structured details, stored as given up to the store's limit.
    #[must_use]
    pub fn with_details(mut self, details: impl Into<Bytes>) -> Self {
        if let Verdict::Fail { failure, .. } = &mut self.0 {
            *failure = failure.clone().with_details(details.into());
        }
        self
    }

    /// What would be stored; `None` if this is no failure but a snooze or a release.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.0 {
            Verdict::Fail { failure, .. } => Some(failure),
            Verdict::Snooze(_) | Verdict::Release => None,
        }
    }

    /// No further attempt can help. Of an unknown kind or an undecodable payload the worker's policy decides, so it is
    /// false for those.
    pub fn is_terminal(&self) -> bool {
        matches!(self.0, Verdict::Fail { cause: Cause::Terminal, .. })
    }

    /// How long the job is to wait, where this says so itself.
    pub fn delay(&self) -> Option<Duration> {
        match &self.0 {
            Verdict::Fail { delay, .. } => delay.map(Span::as_duration),
            Verdict::Snooze(delay) => Some(delay.as_duration()),
            Verdict::Release => None,
        }
    }

    pub(crate) fn failed(failure: Failure, cause: Cause) -> Self {
        Self(Verdict::Fail { failure, cause, delay: None, keep: None })
    }

    fn from_error<E: StdError>(error: &E, cause: Cause) -> Self {
        Self::failed(Failure::new(short_name::<E>(), with_sources(error)), cause)
    }
}

/// A job error on its way through code that knows standard errors alone.
#[derive(Debug)]
struct Boxed(JobError);

impl fmt::Display for Boxed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.0 {
            Verdict::Fail { failure, .. } => failure.fmt(f),
            Verdict::Snooze(delay) => write!(f, "call again in {:?}", delay.as_duration()),
            Verdict::Release => f.write_str("given back"),
        }
    }
}

impl StdError for Boxed {}

/// For middleware that asks for boxed errors; [`JobError::from_boxed`] gets it back.
impl From<JobError> for BoxError {
    fn from(error: JobError) -> Self {
        Box::new(Boxed(error))
    }
}

impl<E: StdError> From<E> for JobError {
    fn from(error: E) -> Self {
        Self::retryable(error)
    }
}

fn span(duration: Duration) -> Span {
    Span::at_most(duration)
}

/// The last part of the type's path, without generics.
fn short_name<E>() -> &'static str {
    let path = std::any::type_name::<E>();
    let path = path.split('<').next().unwrap_or(path);
    path.rsplit("::").next().unwrap_or(path)
}

/// The message and those of its causes, as people expect them.
fn with_sources(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let message = cause.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_failure_has_a_typed_name_and_the_whole_chain() {
        let source = std::io::Error::other("disk on fire");
        let error = queue_core::Error::invalid("write", "no").with_source(source);
        let Verdict::Fail { failure, cause, .. } = JobError::terminal(error).0 else { panic!("a failure") };
        assert_eq!((failure.name(), failure.message()), ("Error", "write: no: disk on fire"));
        assert_eq!(cause, Cause::Terminal);
    }
}
