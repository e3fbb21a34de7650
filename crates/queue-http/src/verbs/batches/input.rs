//! A batch of a request, and jobs that are to be its members.

use crate::{
    limits::ServiceLimits,
    problem::{Problem, Result},
    routes::check_open,
    wire::{NewJobIn, open_kind},
};
use queue::{
    Raw,
    batches::{BatchBuilder, OnTimeout},
};
use queue_core::{Kind, QueueName};
use queue_view::JsonFlaw;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{borrow::Cow, time::Duration};
use utoipa::ToSchema;

/// A batch: what happens at its end, and when it ends at the latest.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OpenBatch)]
pub(crate) struct BatchIn<'a> {
    /// The job at the end, however the members ended.
    #[serde(borrow, default)]
    on_end: Option<CallbackIn<'a>>,
    /// The job at the end, if all members completed.
    #[serde(borrow, default)]
    on_success: Option<CallbackIn<'a>>,
    /// The job at the end otherwise.
    #[serde(borrow, default)]
    on_failure: Option<CallbackIn<'a>>,
    /// The job as soon as a member has not completed, once.
    #[serde(borrow, default)]
    on_first_failure: Option<CallbackIn<'a>>,
    /// The queue of these jobs; that of the batch if absent. The token needs `produce` for it.
    #[serde(borrow, default)]
    callbacks_in: Option<Cow<'a, str>>,
    /// How long after its opening the batch ends at the latest; 7 days if absent.
    timeout_ms: Option<u64>,
    /// What happens at the time-out to members that have not ended; `cancel` if absent.
    #[serde(default)]
    on_timeout: OnTimeoutIn,
    /// How long members are kept after the end; 24 hours if absent.
    keep_ms: Option<u64>,
}

/// A job that a batch enqueues.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = BatchCallbackIn)]
pub(crate) struct CallbackIn<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    /// Any JSON, which the job gets as `payload` beside the counts of the batch; `null` if absent.
    #[serde(borrow, default)]
    #[schema(value_type = Option<serde_json::Value>)]
    payload: Option<&'a RawValue>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = OnTimeout)]
enum OnTimeoutIn {
    /// Those that wait are cancelled, those that run are asked to stop.
    #[default]
    Cancel,
    /// They go on, and nothing counts them.
    Leave,
}

/// Members to add, all or none.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AddMembers)]
pub(crate) struct MembersIn<'a> {
    /// As an enqueue has them. The id of each is made of the name and the number of the batch, and
    /// the `id` that is given here. How long they are kept is decided by the batch.
    #[serde(borrow)]
    pub(super) jobs: Vec<NewJobIn<'a>>,
    /// The number of the batch, from its opening: a later batch of the name takes none of them.
    pub(super) seq: Option<u64>,
}

/// Which batch of the name to change.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ChangeBatch)]
pub(crate) struct LifeIn {
    /// The number of the batch, from its opening: a later batch of the name is not changed.
    pub(super) seq: Option<u64>,
}

impl BatchIn<'_> {
    /// The queue of the callbacks, if it is another one than that of the batch may be.
    pub(super) fn callback_queue(&self) -> Result<Option<QueueName>> {
        let Some(name) = self.callbacks_in.as_deref() else { return Ok(None) };
        let queue = QueueName::new(name).map_err(Problem::from);
        let queue = queue.and_then(|queue| check_open(&queue).map(|()| queue));
        queue.map(Some).map_err(|problem| problem.at("callbacks_in"))
    }

    /// The batch with all that is said here.
    pub(super) fn described(
        self,
        mut batch: BatchBuilder<Raw, Raw>,
        limits: &ServiceLimits,
    ) -> Result<BatchBuilder<Raw, Raw>> {
        if let Some(callback) = self.on_end {
            batch = batch.on_end(callback.checked("on_end", limits)?, &callback.payload);
        }
        if let Some(callback) = self.on_success {
            batch = batch.on_success(callback.checked("on_success", limits)?, &callback.payload);
        }
        if let Some(callback) = self.on_failure {
            batch = batch.on_failure(callback.checked("on_failure", limits)?, &callback.payload);
        }
        if let Some(callback) = self.on_first_failure {
            batch = batch.on_first_failure(callback.checked("on_first_failure", limits)?, &callback.payload);
        }
        if let Some(queue) = self.callbacks_in {
            batch = batch.callbacks_in(queue);
        }
        if let Some(millis) = self.timeout_ms {
            batch = batch.timeout(Duration::from_millis(millis));
        }
        if let Some(millis) = self.keep_ms {
            batch = batch.keep(Duration::from_millis(millis));
        }
        Ok(batch.on_timeout(match self.on_timeout {
            OnTimeoutIn::Cancel => OnTimeout::Cancel,
            OnTimeoutIn::Leave => OnTimeout::Leave,
        }))
    }
}

impl CallbackIn<'_> {
    /// Its kind, once its payload is checked: the callback gets that one level deeper.
    fn checked(&self, what: &'static str, limits: &ServiceLimits) -> Result<Kind> {
        let most = limits.data_depth_max().saturating_sub(1);
        let payload = self.payload.map_or("null", RawValue::get);
        if let Some(flaw) = JsonFlaw::of(payload.as_bytes(), most) {
            return Err(Problem::invalid(format!("{what}.payload: {flaw}")));
        }
        open_kind(what, &self.kind)
    }
}
