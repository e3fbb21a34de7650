//! The options of a job as they were set, and the checked values that they result in.

use super::term_options::TermValues;
use crate::{
    InvalidOption, Keep,
    client::keep::{checked_span, positive_span},
};
use queue_core::{
    Headers, JobId, Kind, NewJob, OnFailed, OnWaiting, Partition, Payload, Retention, RetentionPolicy,
    SharedTerms, Span, Tag, Tags,
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
    pub(super) priority: Option<i16>,
    pub(super) terms: TermValues,
    pub(super) on_failed: Option<OnFailed>,
    /// Of several with one name the last counts.
    pub(super) headers: Vec<(String, String)>,
    pub(super) tags: Vec<String>,
    pub(super) partition: Option<String>,
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

impl OptionValues {
    pub(super) fn over(self, under: &Self) -> Self {
        Self {
            // The longest time to put a job off belongs to the debounce that puts it off.
            max_wait: self.max_wait.or(under.max_wait.filter(|_| self.due.is_none())),
            due: self.due.or(under.due),
            expires_in: self.expires_in.or(under.expires_in),
            priority: self.priority.or(under.priority),
            terms: self.terms.over(&under.terms),
            on_failed: self.on_failed.or(under.on_failed),
            headers: under.headers.iter().cloned().chain(self.headers).collect(),
            tags: under.tags.iter().cloned().chain(self.tags).collect(),
            partition: self.partition.or_else(|| under.partition.clone()),
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
        if self.terms.keep_completed.is_some_and(|keep| keep != Keep::Nothing) {
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

    /// How long the job is kept unless it was set.
    fn kept(&self) -> RetentionPolicy {
        let default = RetentionPolicy::default();
        if self.is_debounced() {
            RetentionPolicy { completed: Retention::Remove, ..default }
        } else {
            default
        }
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

    fn headers(&self) -> Result<Headers, InvalidOption> {
        let last_of_each: BTreeMap<_, _> = self.headers.iter().cloned().collect();
        Headers::new(last_of_each).map_err(|error| InvalidOption::Headers(error.message().to_owned()))
    }

    fn partition(&self) -> Result<Option<Partition>, InvalidOption> {
        let checked = self.partition.as_ref().map(Partition::new).transpose();
        checked.map_err(|invalid| InvalidOption::Partition(invalid.to_string()))
    }

    fn tags(&self) -> Result<Tags, InvalidOption> {
        let tags: Result<Vec<Tag>, _> = self.tags.iter().map(Tag::new).collect();
        let tags = tags.map_err(|invalid| InvalidOption::Tags(invalid.to_string()))?;
        Tags::new(tags).map_err(|error| InvalidOption::Tags(error.message().to_owned()))
    }
}

pub(super) fn checked(values: &OptionValues) -> Result<CheckedOptions, InvalidOption> {
    let delay = values.delay()?;
    Ok(CheckedOptions {
        delay: checked_span("a delay", delay)?,
        expires_in: values.expiry(delay)?,
        priority: values.priority.unwrap_or_default(),
        terms: values.terms.checked(values.kept())?.into(),
        on_failed: values.on_failed(),
        on_waiting: values.on_waiting(delay)?,
        headers: values.headers()?,
        tags: values.tags()?,
        partition: values.partition()?,
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
    partition: Option<Partition>,
}

impl CheckedOptions {
    pub(crate) fn is_debounced(&self) -> bool {
        self.on_waiting != OnWaiting::Block
    }

    pub(crate) fn job(&self, id: JobId, kind: Kind, payload: Payload) -> NewJob {
        let Self { delay, expires_in, priority, terms, on_failed, on_waiting, headers, tags, partition } =
            self.clone();
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
            gate: None,
            end_signals: Vec::new(),
            partition,
        }
    }
}
