//! The options of a job as they were set, and the checked values that they result in.

use crate::{
    InvalidOption, Keep,
    client::keep::{checked_span, positive_span, retention},
};
use queue_core::{
    Budget, Headers, InvalidName, JobId, JobTerms, Kind, NewJob, NewerTerms, OnFailed, OnWaiting, Payload,
    Retention, RetentionPolicy, SharedTerms, Span, Tag, Tags,
};
use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

const MAX_WAIT_ALONE: &str = "a longest wait is that of a debounced job: give `debounce(delay)` too";
const EXPIRES: &str = "a debounced job cannot expire, since its time counts from the first of those that it replaces; \
                       give it a longest wait instead, or `expires_in(None)`";
const KEPT: &str = "a debounced job is not kept once Completed, since the record would keep its id from the next one; \
                    leave `keep_completed` out, or give `Keep::Nothing`";

/// All options; `None` is an option that was not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OptionValues {
    pub(super) due: Option<DueTime>,
    pub(super) max_wait: Option<Duration>,
    pub(super) expires_in: Option<Bound>,
    pub(super) time_limit: Option<Bound>,
    pub(super) priority: Option<i16>,
    pub(super) max_attempts: Option<Limit>,
    pub(super) max_stalls: Option<Limit>,
    pub(super) keep_completed: Option<Keep>,
    pub(super) keep_failed: Option<Keep>,
    pub(super) on_failed: Option<OnFailed>,
    /// A kind, no kind, or the error of an invalid one.
    pub(super) on_failure: Option<Result<Option<Kind>, InvalidName>>,
    /// Of several with one name the last counts.
    pub(super) headers: Vec<(String, String)>,
    pub(super) tags: Vec<String>,
}

/// When a job may be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DueTime {
    After(Duration),
    At(SystemTime),
    /// This long after the last of the jobs that replace each other.
    Debounced(Duration),
}

/// A length of time, or no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    In(Duration),
    Never,
}

/// A budget as it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    At(u32),
    Unlimited,
}

impl OptionValues {
    pub(super) fn over(self, under: &Self) -> Self {
        Self {
            // The longest time to put a job off belongs to the debounce that puts it off.
            max_wait: self.max_wait.or(under.max_wait.filter(|_| self.due.is_none())),
            due: self.due.or(under.due),
            expires_in: self.expires_in.or(under.expires_in),
            time_limit: self.time_limit.or(under.time_limit),
            priority: self.priority.or(under.priority),
            max_attempts: self.max_attempts.or(under.max_attempts),
            max_stalls: self.max_stalls.or(under.max_stalls),
            keep_completed: self.keep_completed.or(under.keep_completed),
            keep_failed: self.keep_failed.or(under.keep_failed),
            on_failed: self.on_failed.or(under.on_failed),
            on_failure: self.on_failure.or_else(|| under.on_failure.clone()),
            headers: under.headers.iter().cloned().chain(self.headers).collect(),
            tags: under.tags.iter().cloned().chain(self.tags).collect(),
        }
    }

    fn delay(&self) -> Result<Duration, InvalidOption> {
        match self.due {
            Some(DueTime::After(delay) | DueTime::Debounced(delay)) => Ok(delay),
            Some(DueTime::At(_)) => Err(InvalidOption::TimeOfDay),
            None => Ok(Duration::ZERO),
        }
    }

    /// A debounced job replaces a waiting one, and is not kept once Completed, so that only a
    /// running job blocks its id.
    fn on_waiting(&self, delay: Duration) -> Result<OnWaiting, InvalidOption> {
        if !self.is_debounced() {
            return self
                .max_wait
                .map_or(Ok(OnWaiting::Block), |_| Err(InvalidOption::Debounce(MAX_WAIT_ALONE)));
        }
        if matches!(self.expires_in, Some(Bound::In(_))) {
            return Err(InvalidOption::Debounce(EXPIRES));
        }
        if self.keep_completed.is_some_and(|keep| keep != Keep::Nothing) {
            return Err(InvalidOption::Debounce(KEPT));
        }
        match self.max_wait {
            Some(max_wait) if max_wait < delay => Err(InvalidOption::MaxWait { max_wait, delay }),
            max_wait => {
                let max_wait =
                    max_wait.map(|max_wait| checked_span("a longest wait", max_wait)).transpose()?;
                Ok(OnWaiting::Replace { max_wait })
            }
        }
    }

    fn is_debounced(&self) -> bool {
        matches!(self.due, Some(DueTime::Debounced(_)))
    }

    fn on_failed(&self) -> OnFailed {
        let default = if self.is_debounced() { OnFailed::Replace } else { OnFailed::default() };
        self.on_failed.unwrap_or(default)
    }

    /// A job that expires before it is due would never run.
    fn expiry(&self, delay: Duration) -> Result<Option<Span>, InvalidOption> {
        let Some(Bound::In(given)) = self.expires_in else { return Ok(None) };
        let span = positive_span("an expiry", given)?;
        if span <= checked_span("a delay", delay)? {
            return Err(InvalidOption::ExpiresBeforeDue { expires_in: given, delay });
        }
        Ok(Some(span))
    }

    fn time_limit(&self) -> Result<Option<Span>, InvalidOption> {
        let Some(Bound::In(given)) = self.time_limit else { return Ok(None) };
        positive_span("a time limit", given).map(Some)
    }

    fn on_failure(&self) -> Result<Option<Kind>, InvalidOption> {
        match &self.on_failure {
            Some(Ok(Some(kind))) if kind.is_reserved() => {
                Err(InvalidOption::ReservedKind { kind: kind.clone() })
            }
            Some(given) => given.clone().map_err(InvalidOption::FollowUpKind),
            None => Ok(None),
        }
    }

    fn headers(&self) -> Result<Headers, InvalidOption> {
        let last_of_each: BTreeMap<_, _> = self.headers.iter().cloned().collect();
        Headers::new(last_of_each).map_err(|error| InvalidOption::Headers(error.message().to_owned()))
    }

    fn tags(&self) -> Result<Tags, InvalidOption> {
        let tags: Result<Vec<Tag>, _> = self.tags.iter().map(Tag::new).collect();
        let tags = tags.map_err(|invalid| InvalidOption::Tags(invalid.to_string()))?;
        Tags::new(tags).map_err(|error| InvalidOption::Tags(error.message().to_owned()))
    }

    fn retention(&self) -> Result<RetentionPolicy, InvalidOption> {
        let mut default = RetentionPolicy::default();
        if self.is_debounced() {
            default.completed = Retention::Remove;
        }
        Ok(RetentionPolicy {
            completed: self.keep_completed.map_or(Ok(default.completed), retention)?,
            failed: self.keep_failed.map_or(Ok(default.failed), retention)?,
        })
    }
}

pub(super) fn checked(values: &OptionValues) -> Result<CheckedOptions, InvalidOption> {
    let budget = |limit: Option<Limit>, default, what, unlimited| {
        limit.map_or(Ok(default), |limit| limit.budget(what, unlimited))
    };
    let delay = values.delay()?;
    Ok(CheckedOptions {
        delay: checked_span("a delay", delay)?,
        expires_in: values.expiry(delay)?,
        priority: values.priority.unwrap_or_default(),
        terms: JobTerms {
            max_attempts: budget(
                values.max_attempts,
                Budget::ATTEMPTS,
                "max_attempts",
                "unlimited_attempts",
            )?,
            max_stalls: budget(values.max_stalls, Budget::STALLS, "max_stalls", "unlimited_stalls")?,
            time_limit: values.time_limit()?,
            on_failure: values.on_failure()?,
            retention: values.retention()?,
            newer: NewerTerms::NONE,
        }
        .into(),
        on_failed: values.on_failed(),
        on_waiting: values.on_waiting(delay)?,
        headers: values.headers()?,
        tags: values.tags()?,
    })
}

impl DueTime {
    pub(super) fn is_delay(&self) -> bool {
        !matches!(self, Self::At(_))
    }
}

impl Bound {
    pub(super) fn of(given: Option<Duration>) -> Self {
        given.map_or(Self::Never, Self::In)
    }
}

impl Limit {
    fn budget(self, what: &'static str, unlimited: &'static str) -> Result<Budget, InvalidOption> {
        match self {
            Self::At(0) => Err(InvalidOption::NoBudget { what, unlimited }),
            Self::At(limit) => Ok(Budget::from_raw(limit)),
            Self::Unlimited => Ok(Budget::Unlimited),
        }
    }
}

/// Options that can be.
#[derive(Clone, Debug)]
pub(crate) struct CheckedOptions {
    delay: Span,
    expires_in: Option<Span>,
    priority: i16,
    terms: SharedTerms,
    on_failed: OnFailed,
    on_waiting: OnWaiting,
    headers: Headers,
    tags: Tags,
}

impl CheckedOptions {
    pub(crate) fn is_debounced(&self) -> bool {
        self.on_waiting != OnWaiting::Block
    }

    pub(crate) fn job(&self, id: JobId, kind: Kind, payload: Payload) -> NewJob {
        let Self { delay, expires_in, priority, terms, on_failed, on_waiting, headers, tags } = self.clone();
        NewJob {
            id,
            kind,
            payload,
            headers,
            tags,
            priority,
            delay,
            expires_in,
            terms,
            on_failed,
            on_waiting,
            awaited: false,
        }
    }
}
