//! A job as the answer to a claim has it, and as a handler sees it.

use super::from_base64;
use crate::ServiceWorkerBuilder;
use bytes::Bytes;
use queue_core::{
    ClaimedJob, ContentType, Error, Failure, Headers, JobBody, JobId, JobMeta, JobRecord, JobTerms, Kind,
    LeaseInfo, LeaseToken, NewJob, Partition, Payload, QueueName, Result, Seq, Span, State, Tag, Tags,
    Timestamp, WorkerId,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{collections::BTreeMap, time::Duration};
use tokio::time::Instant;

const JSON: &str = "application/json";
const BYTES: &str = "application/octet-stream";

#[derive(Debug, Deserialize)]
pub(crate) struct ClaimedJson {
    queue: String,
    pub(crate) id: String,
    seq: u64,
    epoch: u64,
    attempt: u32,
    kind: String,
    #[serde(default)]
    priority: i16,
    payload: Option<Box<RawValue>>,
    payload_base64: Option<String>,
    content_type: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    tags: Vec<String>,
    partition: Option<String>,
    #[serde(default)]
    created_at_ms: i64,
    #[serde(default)]
    run_at_ms: i64,
    #[serde(default)]
    lease_expires_at_ms: i64,
    lease_ms: u64,
    time_limit_ms: Option<u64>,
    #[serde(default)]
    pub(crate) cancel_requested: bool,
    progress: Option<Box<RawValue>>,
    progress_base64: Option<String>,
    last_error: Option<LastError>,
    pub(crate) receipt: String,
}

#[derive(Debug, Deserialize)]
struct LastError {
    name: String,
    #[serde(default)]
    message: String,
}

impl ClaimedJson {
    /// When the lease lapses, by this process's own clock.
    pub(crate) fn lapses_at(&self, granted_at: Instant) -> Instant {
        granted_at + Duration::from_millis(self.lease_ms).min(*ServiceWorkerBuilder::LEASES.end())
    }

    /// The job for a handler. What the service does not tell has its default: budgets, retention,
    /// and a token of zeros, since the receipt stays with the worker. Stalls count as failures.
    ///
    /// # Errors
    /// `Invalid` for a part that no service of this protocol writes.
    pub(crate) fn claimed(&self, worker: &WorkerId) -> Result<ClaimedJob> {
        let body = JobBody {
            payload: self.payload()?,
            headers: Headers::new(self.headers.clone())?,
            result: None,
            error_details: None,
            end_signals: Vec::new(),
        };
        let record = JobRecord { meta: self.meta(&body.payload, worker)?, body: Some(body) };
        Ok(ClaimedJob { record, token: LeaseToken::from_bytes([0; 16]) })
    }

    fn meta(&self, payload: &Payload, worker: &WorkerId) -> Result<JobMeta> {
        let tags = self.tags.iter().map(Tag::new).collect::<Result<Vec<_>, _>>()?;
        let job = NewJob::new(JobId::new(&self.id)?, Kind::new(&self.kind)?, payload.clone())
            .with_tags(Tags::new(tags)?)
            .with_priority(self.priority);
        let partition = self.partition.as_ref().map(Partition::new).transpose()?;
        let time_limit = self.time_limit_ms.map(|millis| Span::at_most(Duration::from_millis(millis)));
        let job = NewJob { terms: JobTerms { time_limit, ..JobTerms::default() }.into(), partition, ..job };
        let created_at = Timestamp::from_millis(self.created_at_ms);
        let begun = JobMeta::begin(QueueName::new(&self.queue)?, &job, Seq::new(self.seq), created_at);
        let last_error = self.last_error.as_ref().map(|error| Failure::new(&error.name, &error.message));
        let run_at = Timestamp::from_millis(self.run_at_ms);
        let lease_ms = i64::try_from(self.lease_ms).unwrap_or(i64::MAX);
        let claimed_at = Timestamp::from_millis(self.lease_expires_at_ms.saturating_sub(lease_ms));
        let expires_at = Timestamp::from_millis(self.lease_expires_at_ms);
        Ok(JobMeta {
            run_at,
            state: State::Processing,
            epoch: self.epoch,
            failures: self.attempt.saturating_sub(1),
            lease: Some(LeaseInfo { worker: worker.clone(), expires_at }),
            claimed_at: Some(claimed_at),
            cancel_requested: self.cancel_requested,
            progress: self.progress()?.map(Box::new),
            failed_at: last_error.as_ref().map(|_| run_at),
            last_error,
            ..begun
        })
    }

    /// The payload, byte for byte.
    fn payload(&self) -> Result<Payload> {
        if let Some(encoded) = &self.payload_base64 {
            let content_type = ContentType::new(self.content_type.as_deref().unwrap_or(BYTES))?;
            return Ok(Payload::new(decoded("payload", encoded)?, content_type));
        }
        // Serde reads a field that is `null` as one that is absent.
        let text = self.payload.as_ref().map_or("null", |payload| payload.get());
        Ok(Payload::new(text.to_owned(), ContentType::from_static(JSON)))
    }

    fn progress(&self) -> Result<Option<Bytes>> {
        match (&self.progress_base64, &self.progress) {
            (Some(encoded), _) => decoded("progress", encoded).map(Some),
            (None, said) => Ok(said.as_ref().map(|said| Bytes::from(said.get().to_owned()))),
        }
    }
}

fn decoded(what: &str, encoded: &str) -> Result<Bytes> {
    let bytes = from_base64(encoded);
    bytes.map(Bytes::from).ok_or_else(|| Error::invalid("claim", format!("the {what} is no base64")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_claimed_job_keeps_every_digit_of_its_payload_and_all_that_the_service_tells() {
        let text = r#"{"queue": "mail", "id": "a", "seq": 7, "epoch": 3, "attempt": 2, "kind": "email",
            "priority": -4, "payload": {"n": 12345678901234567890.50}, "headers": {"k": "v"}, "tags": ["t"],
            "created_at_ms": 1000, "run_at_ms": 2000, "lease_expires_at_ms": 33000, "lease_ms": 30000,
            "time_limit_ms": 5000, "cancel_requested": false, "progress": [1],
            "last_error": {"name": "Smtp", "message": "later"}, "receipt": "r", "new": 1}"#;
        let job: ClaimedJson = serde_json::from_str(text).unwrap();
        let claimed = job.claimed(&WorkerId::new("w").unwrap()).unwrap();
        let meta = claimed.record.meta;
        let body = claimed.record.body.unwrap();
        assert_eq!(&body.payload.bytes[..], br#"{"n": 12345678901234567890.50}"#);
        assert_eq!((meta.attempt(), meta.epoch, meta.seq.get(), meta.priority), (2, 3, 7, -4));
        assert_eq!((body.headers.get("k"), meta.progress()), (Some("v"), Some(&b"[1]"[..])));
        assert_eq!(meta.claimed_at, Some(Timestamp::from_millis(3000)));
        assert_eq!(meta.last_error.unwrap().name(), "Smtp");
    }

    #[test]
    fn bytes_come_out_of_base64_and_other_text_is_an_error() {
        let with = |encoded: &str| -> ClaimedJson {
            serde_json::from_value(json!({
                "queue": "q", "id": "a", "seq": 1, "epoch": 1, "attempt": 1, "kind": "k", "lease_ms": 1000,
                "receipt": "r", "payload_base64": encoded, "content_type": "image/png",
            }))
            .unwrap()
        };
        let worker = WorkerId::new("w").unwrap();
        let payload = with("AAEC").claimed(&worker).unwrap().record.body.unwrap().payload;
        assert_eq!((&payload.bytes[..], payload.content_type.as_str()), (&[0, 1, 2][..], "image/png"));
        assert!(with("no base64!").claimed(&worker).is_err());
    }
}
