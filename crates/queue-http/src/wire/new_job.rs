//! A job of a request, before the store has accepted it.

use super::{BudgetIn, HeaderPairs, KeepIn, RequestRules, check_count, payload_of, span};
use crate::problem::{Problem, Result};
use queue_core::{
    Budget, Headers, JobId, JobTerms, Kind, LibraryJob, NewJob, NewerTerms, OnFailed, OnWaiting, Partition,
    Retention, RetentionPolicy, Tag, Tags,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use utoipa::ToSchema;

/// A job to enqueue.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewJob)]
pub(crate) struct NewJobIn<'a> {
    /// The id within the queue, which is also the deduplication key; drawn by the server if absent.
    #[serde(borrow)]
    pub(crate) id: Option<Cow<'a, str>>,
    /// Selects the handler; `default` if absent.
    #[serde(borrow)]
    pub(crate) kind: Option<Cow<'a, str>>,
    /// The input, any JSON, stored byte for byte; `null` if absent.
    #[serde(borrow)]
    #[schema(value_type = Option<serde_json::Value>)]
    pub(crate) payload: Option<&'a RawValue>,
    /// The input in base64, in place of `payload`.
    #[serde(borrow)]
    pub(crate) payload_base64: Option<Cow<'a, str>>,
    /// The content type of `payload_base64`; `application/octet-stream` if absent.
    #[serde(borrow)]
    pub(crate) content_type: Option<Cow<'a, str>>,
    /// Text by name for the handler; at most 16, with 4096 bytes together.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    #[serde(default)]
    pub(crate) headers: HeaderPairs,
    /// Words by which listings find the job; at most 8, of 64 bytes each.
    #[serde(borrow, default)]
    pub(crate) tags: Vec<Cow<'a, str>>,
    /// The partition of the queue in which it takes its turn; none if absent.
    #[serde(borrow)]
    pub(crate) partition: Option<Cow<'a, str>>,
    /// Lower is claimed first.
    #[serde(default)]
    pub(crate) priority: i16,
    /// Not claimed before.
    #[serde(default)]
    pub(crate) delay_ms: u64,
    /// Cancelled if not started by then.
    pub(crate) expires_in_ms: Option<u64>,
    /// How long the handler may run.
    pub(crate) time_limit_ms: Option<u64>,
    /// Failures at which it is Failed; 25 if absent.
    pub(crate) max_attempts: Option<BudgetIn>,
    /// Lapsed leases at which it is Failed; 3 if absent.
    pub(crate) max_stalls: Option<BudgetIn>,
    /// How long the record is kept once Completed; one hour if absent.
    pub(crate) keep_completed: Option<KeepIn>,
    /// How long the record is kept once Failed or Cancelled; seven days if absent.
    pub(crate) keep_failed: Option<KeepIn>,
    /// What a Failed record of the same id does.
    #[serde(default)]
    pub(crate) on_failed: OnTaken,
    /// What a waiting job of the same id does.
    #[serde(default)]
    pub(crate) on_waiting: OnTaken,
    /// With `"on_waiting": "replace"`: due at the latest this long after the first of them.
    pub(crate) max_wait_ms: Option<u64>,
    /// The kind of a job that is enqueued if this one becomes Failed.
    #[serde(borrow)]
    pub(crate) on_failure: Option<Cow<'a, str>>,
    /// The producer will wait for the outcome.
    #[serde(default)]
    pub(crate) awaited: bool,
}

/// What a job that has the id does to another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OnTaken {
    #[default]
    Block,
    Replace,
}

impl NewJobIn<'_> {
    /// Whether the job names its own id.
    pub(crate) fn has_id(&self) -> bool {
        self.id.is_some()
    }

    /// The checked job. `id` is the id of the path, if the path has it.
    pub(crate) fn checked(self, id: Option<JobId>, rules: &RequestRules<'_>) -> Result<NewJob> {
        let id = match (id, &self.id) {
            (Some(id), _) => id,
            (None, Some(id)) => JobId::new(id).map_err(|invalid| Problem::from(invalid).at("id"))?,
            (None, None) => rules.ids.next_id(),
        };
        if LibraryJob::owns_id(&id) {
            return Err(Problem::invalid(
                "id: ids that begin with `queue.`, and ids of callbacks of batches, belong to the library",
            ));
        }
        let payload = payload_of(
            "payload",
            self.payload,
            self.payload_base64.as_deref(),
            self.content_type.as_deref(),
            rules.service,
        )?;
        let bytes = payload.bytes.len();
        let most = rules.store.payload_bytes_max;
        if bytes > most {
            return Err(Problem::too_large(format!("payload: at most {most} bytes, not {bytes}")));
        }
        let kind =
            self.kind.as_deref().map_or_else(|| Ok(Kind::unnamed()), |kind| open_kind("kind", kind))?;
        let kept = RetentionPolicy::default();
        Ok(NewJob {
            id,
            kind,
            payload,
            tags: tags(&self.tags).map_err(|problem| problem.at("tags"))?,
            priority: self.priority,
            delay: span("delay_ms", self.delay_ms)?,
            expires_in: self.expires_in_ms.map(|millis| span("expires_in_ms", millis)).transpose()?,
            terms: JobTerms {
                max_attempts: budget("max_attempts", self.max_attempts)?.unwrap_or(Budget::ATTEMPTS),
                max_stalls: budget("max_stalls", self.max_stalls)?.unwrap_or(Budget::STALLS),
                time_limit: self.time_limit_ms.map(|millis| span("time_limit_ms", millis)).transpose()?,
                on_failure: self
                    .on_failure
                    .as_deref()
                    .map(|kind| open_kind("on_failure", kind))
                    .transpose()?,
                retention: RetentionPolicy {
                    completed: keep("keep_completed", self.keep_completed)?.unwrap_or(kept.completed),
                    failed: keep("keep_failed", self.keep_failed)?.unwrap_or(kept.failed),
                },
                newer: NewerTerms::NONE,
            }
            .into(),
            on_failed: if self.on_failed == OnTaken::Replace { OnFailed::Replace } else { OnFailed::Block },
            on_waiting: self.on_waiting()?,
            awaited: self.awaited,
            // A request cannot ask for them.
            gate: None,
            end_signals: Vec::new(),
            partition: self.partition.as_deref().map(partition).transpose()?,
            headers: Headers::new(self.headers.0).map_err(|error| Problem::from(error).at("headers"))?,
        })
    }

    fn on_waiting(&self) -> Result<OnWaiting> {
        match (self.on_waiting, self.max_wait_ms) {
            (OnTaken::Block, None) => Ok(OnWaiting::Block),
            (OnTaken::Block, Some(_)) => {
                Err(Problem::invalid("max_wait_ms: it has a meaning only with \"on_waiting\": \"replace\""))
            }
            (OnTaken::Replace, max_wait) => {
                let max_wait = max_wait.map(|millis| span("max_wait_ms", millis)).transpose()?;
                Ok(OnWaiting::Replace { max_wait })
            }
        }
    }
}

/// The checked jobs of a list, which draw or name their ids.
pub(crate) fn checked_all(
    what: &'static str,
    jobs: Vec<NewJobIn<'_>>,
    rules: &RequestRules<'_>,
) -> Result<Vec<NewJob>> {
    if !jobs.is_empty() {
        check_count(what, jobs.len(), rules.service.jobs_per_call_max)?;
    }
    let checked = jobs.into_iter().enumerate().map(|(at, job)| {
        let job = job.checked(None, rules);
        job.map_err(|problem| problem.at(format_args!("{what}[{at}]")))
    });
    checked.collect()
}

/// The same for members of a batch, which are kept for as long as the batch says.
pub(crate) fn checked_members(
    what: &'static str,
    jobs: Vec<NewJobIn<'_>>,
    rules: &RequestRules<'_>,
) -> Result<Vec<NewJob>> {
    let sets_retention = |job: &NewJobIn<'_>| job.keep_completed.is_some() || job.keep_failed.is_some();
    if let Some(at) = jobs.iter().position(sets_retention) {
        let why = "keep_completed, keep_failed: the batch says how long its members are kept";
        return Err(Problem::invalid(why).at(format_args!("{what}[{at}]")));
    }
    checked_all(what, jobs, rules)
}

/// A kind that does not belong to the library.
pub(crate) fn open_kind(what: &'static str, kind: &str) -> Result<Kind> {
    let kind = Kind::new(kind).map_err(|invalid| Problem::from(invalid).at(what))?;
    if kind.is_reserved() {
        return Err(Problem::invalid(format!("{what}: kinds that begin with `queue.` are reserved")));
    }
    Ok(kind)
}

fn partition(key: &str) -> Result<Partition> {
    Partition::new(key).map_err(|invalid| Problem::from(invalid).at("partition"))
}

fn tags(tags: &[Cow<'_, str>]) -> Result<Tags> {
    let tags = tags.iter().map(Tag::new).collect::<Result<Vec<_>, _>>()?;
    Ok(Tags::new(tags)?)
}

fn budget(what: &'static str, budget: Option<BudgetIn>) -> Result<Option<Budget>> {
    budget.map(|budget| budget.budget().map_err(|problem| problem.at(what))).transpose()
}

fn keep(what: &'static str, keep: Option<KeepIn>) -> Result<Option<Retention>> {
    keep.map(|keep| keep.retention().map_err(|problem| problem.at(what))).transpose()
}
