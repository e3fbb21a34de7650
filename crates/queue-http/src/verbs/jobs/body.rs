//! The body of a job: payload, headers, result, error.

use super::no_job;
use crate::{
    problem::Result,
    routes::{Call, answer},
    service::App,
    verbs::outcome::FullError,
    wire::{ShownData, stamp},
};
use axum::{http::StatusCode, response::Response};
use queue_core::{Error, ErrorKind, Payload, StorageExt};
use serde::Serialize;
use serde_json::value::RawValue;
use std::{collections::BTreeMap, sync::Arc};
use utoipa::ToSchema;

/// The body of a job.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BodyAnswer)]
pub(crate) struct BodyOut<'a> {
    now_ms: i64,
    id: &'a str,
    seq: u64,
    state: &'static str,
    headers: BTreeMap<&'a str, &'a str>,
    payload: DataOut<'a>,
    /// Of a Completed job.
    result: Option<DataOut<'a>>,
    /// The last failure.
    error: Option<FullError<'a>>,
}

/// Bytes in one of two forms.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Data)]
pub(crate) struct DataOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<serde_json::Value>)]
    json: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    content_type: &'a str,
}

/// `GET /v1/queues/{queue}/jobs/{id}/body`
pub(crate) async fn body(app: Arc<App>, call: Call) -> Result<Response> {
    let (queue, id) = (call.queue()?, call.id()?);
    let found = app.storage.get_whole(&queue, &[id]).await?;
    let record = found.value.into_iter().flatten().next().ok_or_else(no_job)?;
    let body = record
        .body
        .as_ref()
        .ok_or_else(|| Error::new(ErrorKind::Internal, "get", "the store answered without a body"))?;
    let details = body.error_details.as_ref().map(|details| &details[..]);
    let out = BodyOut {
        now_ms: stamp(found.now),
        id: record.meta.id.as_str(),
        seq: record.meta.seq.get(),
        state: record.meta.state.as_str(),
        headers: body.headers.iter().collect(),
        payload: DataOut::of(&body.payload),
        result: body.result.as_ref().map(DataOut::of),
        error: record.meta.last_error.as_ref().map(|error| FullError::of(error, details)),
    };
    answer(StatusCode::OK, &out)
}

impl<'a> DataOut<'a> {
    fn of(payload: &'a Payload) -> Self {
        let ShownData { json, base64, .. } = ShownData::of(payload);
        Self { json, base64, content_type: payload.content_type.as_str() }
    }
}
