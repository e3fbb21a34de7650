//! The verbs of a store that the service has.

use super::{
    ServiceStore,
    answers::EnqueueJson,
    body_json::BodyJson,
    call_error::{of_call, unreadable},
    job_json::JobJson,
    listing::{PageJson, escaped, parameters},
    partition_json::{PartitionsJson, QueueLimitsJson, changes_json},
    queue_json::{QueueJson, QueuesJson, WorkerJson, WorkersJson},
};
use crate::{ProblemKind, wire::job_json};
use async_trait::async_trait;
use queue_core::{
    Applied, Capabilities, ClaimRequest, Claimed, Counts, Detail, Durability, Enqueued, JobAttempts, JobId,
    JobRecord, Kind, Limit, LimitScope, Limits, ListQuery, Moment, NewJob, Page, PartitionPage,
    PartitionQuery, Pause, PruneRequest, QueueName, QueueStatus, QueuesPage, QueuesQuery, Reach, Result,
    Stamped, Storage, Timestamp, WorkerInfo, lifecycle::Transition,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{any::Any, time::Duration};

/// Jobs in the order of the ids.
#[derive(Debug, Deserialize)]
struct JobsJson {
    now_ms: i64,
    jobs: Vec<Option<JobJson>>,
}

impl ServiceStore {
    /// The metadata of jobs.
    async fn metas(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        let ids: Vec<&str> = ids.iter().map(JobId::as_str).collect();
        let body = json!({"ids": ids}).to_string();
        let path = Self::path(queue, "/jobs:get");
        let JobsJson { now_ms, jobs } =
            self.calls.post(&path, body, Duration::ZERO).await.map_err(of_call("get"))?;
        let record = |job: &JobJson| Ok(JobRecord { meta: job.meta()?, body: None });
        let records = jobs.iter().map(|job| job.as_ref().map(record).transpose());
        Ok(stamped(Timestamp::from_millis(now_ms), records.collect::<Result<_>>()?))
    }

    /// Adds what the jobs carry, where the life that was read is still there.
    async fn add_bodies(&self, records: &mut [Option<JobRecord>]) -> Result<()> {
        for place in records {
            let Some(record) = place else { continue };
            let rest = format!("/jobs/{}/body", escaped(record.meta.id.as_str()));
            let body: BodyJson = match self.calls.get(&Self::path(&record.meta.queue, &rest)).await {
                Err(error) if error.kind() == ProblemKind::NotFound => {
                    *place = None;
                    continue;
                }
                answered => answered.map_err(of_call("get"))?,
            };
            if body.seq == record.meta.seq.get() {
                record.meta.progress = body.progress()?;
                record.body = Some(body.body()?);
            } else {
                // The life that was read has ended in between.
                *place = None;
            }
        }
        Ok(())
    }

    /// A queue by its name; `None` if the store does not list it.
    async fn queue(&self, queue: &QueueName) -> Result<Option<QueueStatus>> {
        match self.calls.get::<QueueJson>(&Self::path(queue, "")).await {
            Ok(found) => found.status().map(Some),
            Err(error) if error.kind() == ProblemKind::NotFound => Ok(None),
            Err(error) => Err(of_call("queues")(error)),
        }
    }

    /// Stores one group, whole or not at all.
    async fn store(&self, queue: &QueueName, group: &[NewJob]) -> Result<Stamped<Vec<Enqueued>>> {
        let jobs: Vec<Value> = group.iter().map(job_json).collect();
        let body = json!({"jobs": jobs, "atomic": true}).to_string();
        let path = Self::path(queue, "/jobs");
        let answer: EnqueueJson =
            self.calls.post(&path, body, Duration::ZERO).await.map_err(of_call("enqueue"))?;
        let answers = answer.answers()?;
        if answers.len() != group.len() {
            return Err(unreadable("enqueue", "another number of jobs than it got").unknown());
        }
        Ok(stamped(answer.now(), answers))
    }
}

/// An answer at a store time, which is taken to be the clock too.
fn stamped<T>(now: Timestamp, value: T) -> Stamped<T> {
    Stamped { now, clock: now, value }
}

#[async_trait]
impl Storage for ServiceStore {
    fn capabilities(&self) -> Capabilities {
        let limits = Limits {
            payload_bytes_max: self.limits.payload_bytes_max,
            note_bytes_max: self.limits.note_bytes_max,
            batch_max: self.limits.jobs_per_call_max,
            partitions: self.limits.partitions,
            ..Limits::default()
        };
        // What an acknowledged job survives is the service's to know.
        Capabilities::new("service", Durability::Power, Reach::Network)
            .with_limits(limits)
            .with_presence()
            .with_attempts()
    }

    fn concrete(&self) -> Option<&dyn Any> {
        Some(self)
    }

    async fn enqueue(
        &self,
        queue: &QueueName,
        groups: Vec<Vec<NewJob>>,
    ) -> Result<Stamped<Vec<Vec<Enqueued>>>> {
        queue.check_open().map_err(|_| self.needs_store("enqueue"))?;
        let mut stored = stamped(Timestamp::default(), Vec::with_capacity(groups.len()));
        for group in groups {
            let Stamped { now, clock, value } = self.store(queue, &group).await?;
            (stored.now, stored.clock) = (now, clock);
            stored.value.push(value);
        }
        Ok(stored)
    }

    async fn claim(&self, _: ClaimRequest) -> Result<Claimed> {
        Err(self.needs_store("claim"))
    }

    async fn apply(&self, _: Vec<Transition>) -> Result<Stamped<Vec<Applied>>> {
        Err(self.needs_store("apply"))
    }

    async fn get(
        &self,
        queue: &QueueName,
        ids: &[JobId],
        what: Detail,
    ) -> Result<Stamped<Vec<Option<JobRecord>>>> {
        if ids.is_empty() {
            return Ok(stamped(self.now(queue).await?, Vec::new()));
        }
        let mut found = self.metas(queue, ids).await?;
        if what == Detail::Full {
            self.add_bodies(&mut found.value).await?;
        }
        Ok(found)
    }

    async fn list(&self, query: ListQuery) -> Result<Page> {
        let parameters = parameters(&query, self.limits.jobs_per_call_max)?;
        let path = Self::path(&query.queue, &format!("/jobs?{parameters}"));
        let page: PageJson = self.calls.get(&path).await.map_err(of_call("list"))?;
        page.page()
    }

    async fn attempts(&self, queue: &QueueName, ids: &[JobId]) -> Result<Stamped<Vec<Option<JobAttempts>>>> {
        let mut found = stamped(Timestamp::default(), Vec::with_capacity(ids.len()));
        for id in ids {
            let path = Self::path(queue, &format!("/jobs/{}", escaped(id.as_str())));
            match self.calls.get::<JobJson>(&path).await {
                Ok(job) => {
                    (found.now, found.clock) = (job.now(), job.now());
                    found.value.push(Some(job.attempts()?));
                }
                Err(error) if error.kind() == ProblemKind::NotFound => found.value.push(None),
                Err(error) => return Err(of_call("attempts")(error)),
            }
        }
        Ok(found)
    }

    async fn counts(&self, queue: &QueueName) -> Result<Counts> {
        if let Some(status) = self.queue(queue).await? {
            return Ok(status.counts);
        }
        let now = self.now(queue).await?;
        Ok(Counts::empty(Moment { now, clock: now }))
    }

    async fn queues(&self, query: QueuesQuery) -> Result<QueuesPage> {
        if query.limit() == 1
            && let Ok(name) = QueueName::new(query.start())
        {
            let queues = Vec::from_iter(self.queue(&name).await?);
            return Ok(QueuesPage { queues, next: Some(QueuesQuery::after(&name, 1)) });
        }
        // A page begins behind a name, and the start of a query is in front of one.
        let after = query.start().trim_end_matches('\u{1}');
        let limit = query.limit();
        let path = match after {
            "" => format!("/v1/queues?limit={limit}"),
            after => format!("/v1/queues?limit={limit}&after={}", escaped(after)),
        };
        let QueuesJson { queues, next } = self.calls.get(&path).await.map_err(of_call("queues"))?;
        let queues = queues.iter().map(QueueJson::status).collect::<Result<_>>()?;
        let next = next.map(QueueName::new).transpose()?;
        Ok(QueuesPage { queues, next: next.map(|name| QueuesQuery::after(&name, limit)) })
    }

    /// The service counts the length of a pause from when it gets the call.
    async fn set_paused(&self, queue: &QueueName, kind: Option<&Kind>, pause: Pause) -> Result<()> {
        let mut body = json!({});
        if let Some(kind) = kind {
            body["kind"] = json!(kind.as_str());
        }
        if let Some(until) = pause.until() {
            body["for_ms"] = json!(until.since(self.now(queue).await?).as_millis().max(1));
        }
        let path = Self::path(queue, if pause.is_on() { "/pause" } else { "/resume" });
        let answer = self.calls.post(&path, body.to_string(), Duration::ZERO).await;
        let _: Value = answer.map_err(of_call("set_paused"))?;
        Ok(())
    }

    async fn set_limits(&self, queue: &QueueName, changes: Vec<(LimitScope, Option<Limit>)>) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let (path, body) = (Self::path(queue, "/limits"), changes_json(&changes).to_string());
        let _: Value = self.calls.put(&path, body).await.map_err(of_call("set_limits"))?;
        Ok(())
    }

    async fn limits(&self, queue: &QueueName) -> Result<Vec<(LimitScope, Limit)>> {
        let path = Self::path(queue, "/limits");
        let limits: QueueLimitsJson = self.calls.get(&path).await.map_err(of_call("limits"))?;
        limits.limits()
    }

    async fn partitions(&self, query: PartitionQuery) -> Result<PartitionPage> {
        let limit = query.page_limit();
        let after = query.after.as_ref().map(|after| format!("&after={}", escaped(after.as_str())));
        let rest = format!("/partitions?limit={limit}{}", after.unwrap_or_default());
        let page: PartitionsJson =
            self.calls.get(&Self::path(&query.queue, &rest)).await.map_err(of_call("partitions"))?;
        page.page(&query)
    }

    async fn prune(&self, _: PruneRequest) -> Result<u64> {
        Err(self.needs_store("prune"))
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>> {
        let WorkersJson { workers } = self.calls.get("/v1/workers").await.map_err(of_call("workers"))?;
        workers.iter().map(WorkerJson::info).collect()
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}
