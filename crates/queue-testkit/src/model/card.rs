//! A job in plain values, as the model and a store both show it.

use queue_core::{JobMeta, JobRecord, Reason, Retention, RetentionPolicy, Span, State};

/// A job in the model and in a store: every field of the metadata, as plain values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Card {
    /// The lives of a run are numbered from one, since a store may leave gaps in its own numbers.
    pub(super) life: u64,
    pub(super) revision: u64,
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) tags: Vec<String>,
    pub(super) priority: i16,
    pub(super) created_at: i64,
    pub(super) run_at: i64,
    pub(super) state: State,
    pub(super) reason: Option<Reason>,
    pub(super) epoch: u64,
    pub(super) failures: u32,
    pub(super) stalls: u32,
    /// Zero is unlimited.
    pub(super) max_attempts: u32,
    /// Zero is unlimited.
    pub(super) max_stalls: u32,
    pub(super) expires_in_ms: Option<i64>,
    /// Whether it no longer expires.
    pub(super) is_lifted: bool,
    pub(super) time_limit_ms: Option<i64>,
    /// The holder, and the end of its lease.
    pub(super) lease: Option<(String, i64)>,
    pub(super) claimed_at: Option<i64>,
    pub(super) cancel_requested: bool,
    pub(super) awaited: bool,
    pub(super) progress: Option<Vec<u8>>,
    /// Name and message.
    pub(super) error: Option<(String, String)>,
    pub(super) failed_at: Option<i64>,
    /// The kind of its follow-up.
    pub(super) on_failure: Option<String>,
    pub(super) keep_completed: Retention,
    pub(super) keep_failed: Retention,
    pub(super) finished_at: Option<i64>,
    pub(super) purge_at: Option<i64>,
}

/// The large part of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) payload: Vec<u8>,
    pub(super) content_type: String,
    /// The value of the only header that a job of a run may have.
    pub(super) header: Option<String>,
    pub(super) result: Option<Vec<u8>>,
    pub(super) details: Option<Vec<u8>>,
}

impl Card {
    /// A job with defaults for everything else.
    pub(super) fn plain(life: u64, id: String, kind: &str, now: i64) -> Self {
        let retention = RetentionPolicy::default();
        Self {
            life,
            revision: 1,
            id,
            kind: kind.to_owned(),
            tags: Vec::new(),
            priority: 0,
            created_at: now,
            run_at: now,
            state: State::Queued,
            reason: None,
            epoch: 0,
            failures: 0,
            stalls: 0,
            max_attempts: 25,
            max_stalls: 3,
            expires_in_ms: None,
            is_lifted: false,
            time_limit_ms: None,
            lease: None,
            claimed_at: None,
            cancel_requested: false,
            awaited: false,
            progress: None,
            error: None,
            failed_at: None,
            on_failure: None,
            keep_completed: retention.completed,
            keep_failed: retention.failed,
            finished_at: None,
            purge_at: None,
        }
    }

    /// The job as a store shows it.
    pub(super) fn shown(meta: &JobMeta, life: u64) -> Self {
        let lease = meta.lease.as_ref();
        let error = meta.last_error.as_ref();
        Self {
            life,
            revision: meta.revision,
            id: meta.id.to_string(),
            kind: meta.kind.to_string(),
            tags: meta.tags.iter().map(ToString::to_string).collect(),
            priority: meta.priority,
            created_at: meta.created_at.as_millis(),
            run_at: meta.run_at.as_millis(),
            state: meta.state,
            reason: meta.reason,
            epoch: meta.epoch,
            failures: meta.failures,
            stalls: meta.stalls,
            max_attempts: meta.max_attempts.as_raw(),
            max_stalls: meta.max_stalls.as_raw(),
            expires_in_ms: meta.expires_in.map(Span::as_millis),
            is_lifted: meta.expiry_lifted,
            time_limit_ms: meta.time_limit.map(Span::as_millis),
            lease: lease.map(|lease| (lease.worker.to_string(), lease.expires_at.as_millis())),
            claimed_at: meta.claimed_at.map(queue_core::Timestamp::as_millis),
            cancel_requested: meta.cancel_requested,
            awaited: meta.awaited,
            progress: meta.progress.as_ref().map(|bytes| bytes.to_vec()),
            error: error.map(|error| (error.name().to_owned(), error.message().to_owned())),
            failed_at: meta.failed_at.map(queue_core::Timestamp::as_millis),
            on_failure: meta.on_failure.as_ref().map(ToString::to_string),
            keep_completed: meta.retention.completed,
            keep_failed: meta.retention.failed,
            finished_at: meta.finished_at.map(queue_core::Timestamp::as_millis),
            purge_at: meta.purge_at.map(queue_core::Timestamp::as_millis),
        }
    }
}

impl Body {
    /// The body as a store shows it.
    pub(super) fn shown(record: &JobRecord) -> Self {
        let body = record.body.as_ref().expect("the whole record was asked for");
        Self {
            payload: body.payload.bytes.to_vec(),
            content_type: body.payload.content_type.to_string(),
            header: body.headers.get(super::request::HEADER).map(str::to_owned),
            result: body.result.as_ref().map(|result| result.bytes.to_vec()),
            details: body.error_details.as_ref().map(|bytes| bytes.to_vec()),
        }
    }
}
