//! Why a handler did not complete its job.

use crate::runtime::BoxError;
use bytes::Bytes;
use queue_core::{Failure, Keep, NewJob, Span, lifecycle::Cause};
use std::{error::Error as StdError, fmt, time::Duration};

/// Why a handler did not complete its job. Any error converts into a retryable one with `?`: errors
/// of the standard library and of other crates, boxed ones, `anyhow::Error`, `eyre::Report`, and
/// text.
///
/// ```
/// use queue_worker::JobError;
///
/// fn parse(text: &str) -> Result<u32, JobError> {
///     if text.is_empty() {
///         return Err("there is no number".into()); // retried
///     }
///     Ok(text.parse()?) // retried
/// }
/// fn strict(text: &str) -> Result<u32, JobError> {
///     text.parse().map_err(JobError::terminal) // no second attempt
/// }
/// # assert!(parse("").is_err() && parse("x").is_err() && strict("x").is_err());
/// ```
///
/// `JobError` does not implement `std::error::Error`, since every type that does, or can be boxed
/// as such an error, converts into it. For code that takes standard errors alone there is
/// [`into_error`](Self::into_error), from which it comes out as it was.
#[derive(Clone, Debug)]
pub struct JobError {
    pub(crate) disposition: Disposition,
    /// Jobs to be enqueued in the step that settles the job.
    pub(crate) then: Vec<NewJob>,
}

#[derive(Clone, Debug)]
pub(crate) enum Disposition {
    Fail { failure: Failure, cause: Cause, delay: Option<Span>, keep: Option<Keep> },
    Snooze(Span),
    Release,
}

impl JobError {
    /// A failure after which another attempt may help. It costs one attempt.
    pub fn retryable(error: impl Into<BoxError>) -> Self {
        Self::of(error, Cause::Retryable)
    }

    /// A failure for good.
    pub fn terminal(error: impl Into<BoxError>) -> Self {
        Self::of(error, Cause::Terminal)
    }

    /// A failure under a name of the program's own, after which another attempt may help. The
    /// message is bounded and masked like every other.
    pub fn named(name: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::failed(Failure::new(name, message.to_string()), Cause::Retryable)
    }

    /// No failure: the job runs again after the delay, uncharged. A delay over a hundred years
    /// counts as a hundred years.
    pub fn snooze(delay: Duration) -> Self {
        Self::of_disposition(Disposition::Snooze(Span::at_most(delay)))
    }

    /// No failure: the job is given back as it was, uncharged.
    pub fn release() -> Self {
        Self::of_disposition(Disposition::Release)
    }

    /// Makes a standard error of it, for middleware and reports that ask for one. Wherever that
    /// stands in a chain of causes, it comes out as it was when the chain becomes a `JobError`
    /// again.
    pub fn into_error(self) -> impl StdError + Send + Sync + 'static {
        JobErrorCarrier(self)
    }

    /// Makes a failure final.
    #[must_use]
    pub fn as_terminal(mut self) -> Self {
        if let Disposition::Fail { cause, .. } = &mut self.disposition {
            *cause = Cause::Terminal;
        }
        self
    }

    /// Overrides the worker's wait before the next attempt.
    #[must_use]
    pub fn retry_in(mut self, wait: Duration) -> Self {
        if let Disposition::Fail { delay, .. } = &mut self.disposition {
            *delay = Some(Span::at_most(wait));
        }
        self
    }

    /// Overrides how long the job stays if this failure is final. With zero it does not stay at
    /// all; a time over a hundred years counts as a hundred years.
    #[must_use]
    pub fn keep(mut self, keep: impl Into<Keep>) -> Self {
        if let Disposition::Fail { keep: kept, .. } = &mut self.disposition {
            *kept = Some(keep.into());
        }
        self
    }

    /// Enqueues a job into the same queue in the very step that settles this one: with a snooze or
    /// a release always, with a failure only if it is final. Make the job with `Queue::new_job` of
    /// a handle on that queue. Jobs given to [`Context::then`](crate::Context::then) are for a
    /// completion alone.
    ///
    /// ```
    /// use queue_core::NewJob;
    /// use queue_worker::JobError;
    /// use std::time::Duration;
    ///
    /// /// Goes on with the next page in an hour, and has this one indexed meanwhile.
    /// fn next_page(index: NewJob) -> JobError {
    ///     JobError::snooze(Duration::from_secs(3600)).then(index)
    /// }
    /// # let _ = next_page;
    /// ```
    #[must_use]
    pub fn then(mut self, job: NewJob) -> Self {
        self.then.push(job);
        self
    }

    /// Adds structured details, stored as given up to the store's limit.
    #[must_use]
    pub fn with_details(mut self, details: impl Into<Bytes>) -> Self {
        if let Disposition::Fail { failure, .. } = &mut self.disposition {
            *failure = failure.clone().with_details(details.into());
        }
        self
    }

    /// The failure that would be stored; `None` for a snooze or a release.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.disposition {
            Disposition::Fail { failure, .. } => Some(failure),
            Disposition::Snooze(_) | Disposition::Release => None,
        }
    }

    /// Whether no further attempt can help. For an unknown kind or an undecodable payload the
    /// answer is false, since the worker's policy decides about those.
    pub fn is_terminal(&self) -> bool {
        matches!(self.disposition, Disposition::Fail { cause: Cause::Terminal, .. })
    }

    /// How long the job is to wait, if this error says so itself.
    pub fn delay(&self) -> Option<Duration> {
        match &self.disposition {
            Disposition::Fail { delay, .. } => delay.map(Span::as_duration),
            Disposition::Snooze(delay) => Some(delay.as_duration()),
            Disposition::Release => None,
        }
    }

    fn of<E: Into<BoxError>>(error: E, cause: Cause) -> Self {
        let error = error.into();
        match carried_job_error(&*error).cloned() {
            Some(found) if cause == Cause::Terminal => found.as_terminal(),
            Some(found) => found,
            None => Self::failed(Failure::new(short_name::<E>(), with_sources(&*error)), cause),
        }
    }

    pub(crate) fn failed(failure: Failure, cause: Cause) -> Self {
        Self::of_disposition(Disposition::Fail { failure, cause, delay: None, keep: None })
    }

    fn of_disposition(disposition: Disposition) -> Self {
        Self { disposition, then: Vec::new() }
    }
}

/// Carries a job error through code that knows standard errors alone.
#[derive(Debug)]
struct JobErrorCarrier(JobError);

impl fmt::Display for JobErrorCarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.disposition {
            Disposition::Fail { failure, .. } => failure.fmt(f),
            Disposition::Snooze(delay) => write!(f, "call again in {:?}", delay.as_duration()),
            Disposition::Release => f.write_str("given back"),
        }
    }
}

impl StdError for JobErrorCarrier {}

/// Converts every error that can be boxed. This does not overlap with `From<JobError>`, since a
/// `JobError` cannot be boxed.
impl<E: Into<BoxError>> From<E> for JobError {
    fn from(error: E) -> Self {
        Self::retryable(error)
    }
}

/// The last part of the type's path, without generics; `Error` for types that only hold another
/// error or a text.
fn short_name<E>() -> &'static str {
    let path = std::any::type_name::<E>();
    let path = path.split('<').next().unwrap_or(path);
    match path.rsplit("::").next().unwrap_or(path) {
        "Box" | "Report" | "String" | "&str" => "Error",
        name => name,
    }
}

/// The job error in a chain of causes, if there is one: an error may have been given more context
/// on its way.
fn carried_job_error<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e JobError> {
    let mut chain =
        std::iter::successors(Some(error), |error: &&'e (dyn StdError + 'static)| (*error).source());
    chain.find_map(|error| error.downcast_ref::<JobErrorCarrier>()).map(|carrier| &carrier.0)
}

/// The message, followed by the messages of its causes that it does not contain.
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

    fn parts(error: &JobError) -> (&str, &str) {
        let failure = error.failure().expect("a failure");
        (failure.name(), failure.message())
    }

    #[test]
    fn the_question_mark_takes_every_error() {
        type Attempt = Result<(), JobError>;
        let io = || std::io::Error::other("disk on fire");
        let plain = || -> Attempt { Ok(Err(io())?) };
        let boxed = || -> Attempt { Ok(Err(BoxError::from(io()))?) };
        let text = || -> Attempt { Err("disk on fire")? };
        let owned = || -> Attempt { Err("disk on fire".to_owned())? };
        let anyhow = || -> Attempt { Ok(Err(anyhow::Error::from(io()).context("while writing"))?) };
        let eyre = || -> Attempt { Ok(Err(eyre::Report::from(io()).wrap_err("while writing"))?) };
        let told = [plain(), boxed(), text(), owned(), anyhow(), eyre()].map(Result::unwrap_err);
        assert!(told.iter().all(|error| !error.is_terminal()));
        let once = ("Error", "disk on fire");
        let in_context = ("Error", "while writing: disk on fire");
        let told: Vec<_> = told.iter().map(parts).collect();
        assert_eq!(told, [once, once, once, once, in_context, in_context]);
    }

    #[test]
    fn a_job_error_comes_through_other_errors_as_it_was() {
        let wait = Duration::from_secs(7);
        let snooze = anyhow::Error::new(JobError::snooze(wait).into_error()).context("later");
        assert_eq!((JobError::from(snooze).delay(), JobError::snooze(wait).failure()), (Some(wait), None));
        let terminal = JobError::named("Smtp", "no such address").as_terminal().into_error();
        let terminal = JobError::from(terminal);
        assert!(terminal.is_terminal());
        assert_eq!(parts(&terminal), ("Smtp", "no such address"));
        assert!(JobError::terminal(JobError::named("Smtp", "no").into_error()).is_terminal());
    }

    #[test]
    fn the_stored_failure_has_a_typed_name_and_the_whole_chain() {
        let source = std::io::Error::other("disk on fire");
        let error = queue_core::Error::invalid("write", "no").with_source(source);
        let Disposition::Fail { failure, cause, .. } = JobError::terminal(error).disposition else {
            panic!("a failure")
        };
        assert_eq!((failure.name(), failure.message()), ("Error", "write: no: disk on fire"));
        assert_eq!(cause, Cause::Terminal);
    }
}
