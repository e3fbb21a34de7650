//! What a job carries, as JSON.

use super::DataView;
use queue_core::{EndSignal, JobBody, JobMeta};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a job carries, for a reader who may see payloads.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = JobBody))]
pub struct JobBodyView<'a> {
    headers: BTreeMap<&'a str, &'a str>,
    payload: DataView<'a>,
    /// Of a completed job.
    result: Option<DataView<'a>>,
    /// The details of the last failure.
    error_details: Option<DataView<'a>>,
    /// What the handler reported last.
    progress: Option<DataView<'a>>,
    /// What the job sends to other jobs of its queue when it ends, or has sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    end_signals: Vec<EndSignalView<'a>>,
}

/// An end signal: the job that counts it, and how.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = EndSignal))]
pub(super) struct EndSignalView<'a> {
    to: &'a str,
    raises: bool,
    tolerant: bool,
    urgent: bool,
}

impl<'a> JobBodyView<'a> {
    /// The body of a job, and its progress.
    pub fn of(job: &'a JobMeta, body: &'a JobBody) -> Self {
        Self {
            headers: body.headers.iter().collect(),
            payload: DataView::from(&body.payload),
            result: body.result.as_ref().map(DataView::from),
            error_details: body.error_details.as_ref().map(|details| DataView::of(details)),
            progress: job.progress().map(DataView::of),
            end_signals: body.end_signals.iter().map(EndSignalView::of).collect(),
        }
    }
}

impl<'a> EndSignalView<'a> {
    fn of(EndSignal { to, life: _, raises, tolerant, urgent }: &'a EndSignal) -> Self {
        Self { to: to.as_str(), raises: *raises, tolerant: *tolerant, urgent: *urgent }
    }
}
