//! Reads a request, and refuses what is none.

use crate::contract::{CONTENT_TYPE, CONTRACT, fingerprint};
use bytes::{Bytes, BytesMut};
use http::{Method, Request, StatusCode, header::CONTENT_TYPE as CONTENT_TYPE_HEADER, request::Parts};
use http_body::Body;
use http_body_util::BodyExt;
use queue_core::Limits;
use std::{pin::pin, time::Duration};
use tokio::time::timeout;

/// What a job of a call may have beside its large parts: names, headers, tags, attempts.
const JOB_BYTES_MAX: usize = 16 << 10;
/// The most that is reserved for a request because its header says so.
const RESERVE_MAX: usize = 1 << 20;
/// How long a sender may be silent in the middle of a request.
const SILENT_MAX: Duration = Duration::from_secs(30);

/// The most bytes of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestBounds {
    bytes_max: usize,
}

/// Why a request was not passed to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) why: &'static str,
}

impl RequestBounds {
    /// As large as the largest call that the store takes.
    pub(super) fn of(limits: &Limits) -> Self {
        Self {
            bytes_max: limits.call_bytes_max.saturating_add(limits.batch_max.saturating_mul(JOB_BYTES_MAX)),
        }
    }
}

/// The name of the verb, and the body.
pub(super) async fn read<B>(request: Request<B>, bounds: RequestBounds) -> Result<(String, Bytes), Refusal>
where
    B: Body<Data = Bytes>,
{
    let (parts, body) = request.into_parts();
    check(&parts)?;
    let verb = parts.uri.path().rsplit('/').next().unwrap_or_default().to_owned();
    Ok((verb, collect(body, bounds.bytes_max).await?))
}

fn check(parts: &Parts) -> Result<(), Refusal> {
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let refuse = |status, why| Err(Refusal { status, why });
    if parts.method != Method::POST {
        return refuse(StatusCode::METHOD_NOT_ALLOWED, "each verb is a POST\n");
    }
    if header(CONTRACT) != Some(&fingerprint()) {
        return refuse(
            StatusCode::PRECONDITION_FAILED,
            "this is for the Rust library of the very same build; other programs use /v1\n",
        );
    }
    if header(CONTENT_TYPE_HEADER.as_str()) != Some(CONTENT_TYPE) {
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "the content type is that of a store\n");
    }
    Ok(())
}

async fn collect<B: Body<Data = Bytes>>(body: B, bytes_max: usize) -> Result<Bytes, Refusal> {
    const TOO_LARGE: Refusal = Refusal {
        status: StatusCode::PAYLOAD_TOO_LARGE,
        why: "the request is larger than any call of the store\n",
    };
    const TOO_SLOW: Refusal =
        Refusal { status: StatusCode::REQUEST_TIMEOUT, why: "the request does not go on\n" };
    const CUT: Refusal = Refusal { status: StatusCode::BAD_REQUEST, why: "the request ends too early\n" };
    let mut body = pin!(body);
    let told = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if told > bytes_max {
        return Err(TOO_LARGE);
    }
    let mut whole = BytesMut::with_capacity(told.min(RESERVE_MAX));
    loop {
        let Some(frame) = timeout(SILENT_MAX, body.frame()).await.map_err(|_| TOO_SLOW)? else {
            return Ok(whole.freeze());
        };
        let Ok(data) = frame.map_err(|_| CUT)?.into_data() else { continue };
        if whole.len() + data.len() > bytes_max {
            return Err(TOO_LARGE);
        }
        whole.extend_from_slice(&data);
    }
}
