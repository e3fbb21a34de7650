//! Requests and answers of `/v1`, as far as a history has terms for them.

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
pub(super) struct EnqueueAsk {
    pub(super) jobs: Vec<JobAsk>,
    #[serde(default)]
    pub(super) atomic: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct JobAsk {
    pub(super) id: String,
    pub(super) payload: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct EnqueueAnswer {
    pub(super) now_ms: i64,
    pub(super) jobs: Vec<EnqueuedJob>,
}

#[derive(Debug, Deserialize)]
pub(super) struct EnqueuedJob {
    pub(super) seq: u64,
    pub(super) outcome: String,
    pub(super) state: Option<String>,
    pub(super) result: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ClaimAsk {
    pub(super) worker: String,
    pub(super) claim_id: String,
    pub(super) limit: u64,
    #[serde(default)]
    pub(super) repeat: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct ClaimAnswer {
    pub(super) now_ms: i64,
    pub(super) jobs: Vec<ClaimedJob>,
    pub(super) paused: bool,
    pub(super) next_due_in_ms: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ClaimedJob {
    pub(super) id: String,
    pub(super) seq: u64,
    pub(super) epoch: u64,
    pub(super) attempt: u32,
    pub(super) priority: i16,
    pub(super) payload: Option<Box<RawValue>>,
    pub(super) created_at_ms: i64,
    pub(super) run_at_ms: i64,
    pub(super) lease_expires_at_ms: i64,
    pub(super) receipt: String,
}

/// Of a settle or an extend: both have receipts, and answers in their order.
#[derive(Debug, Deserialize)]
pub(super) struct ItemsAsk {
    pub(super) items: Vec<ItemAsk>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ItemAsk {
    pub(super) receipt: String,
    pub(super) complete: Option<Complete>,
    pub(super) fail: Option<Fail>,
    pub(super) snooze: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Complete {
    pub(super) result: Option<Box<RawValue>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Fail {
    pub(super) cause: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ItemsAnswer {
    pub(super) now_ms: i64,
    pub(super) items: Vec<ItemAnswer>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ItemAnswer {
    pub(super) outcome: String,
    pub(super) lease_ms: Option<i64>,
}
