//! Failures of queues, grouped by what they say.

use crate::{JobFilter, QueuesToRead, Standing};
use queue_core::{
    JobId, JobMeta, Kind, QueueName, QueueStatus, Result, State, Storage, Timestamp, error_pattern,
};
use serde::{Serialize, Serializer, ser::SerializeStruct};
use std::{cmp::Reverse, collections::BTreeMap};

/// The most jobs of each of the two states that are looked at, the newest.
pub const FAILURES_LOOKED_AT_MAX: usize = 1_000;
/// The most examples of a group.
const EXAMPLES_MAX: usize = 3;
/// The most failed jobs of a group that are named, for a change by id.
const IDS_MAX: usize = 100;

/// The fewest jobs of each of the two states that are looked at in each of several queues.
const OF_EACH_MIN: usize = 50;

/// The newest failed and failing jobs, grouped by queue, kind and error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureGroups {
    /// The largest group first, and among equals the one that failed last.
    pub groups: Vec<FailureGroup>,
    /// How many failed jobs were looked at.
    pub failed: u64,
    /// How many failing jobs were looked at.
    pub failing: u64,
    /// How many queues with failures there were no reads for.
    pub left_out: usize,
    /// When they were read, by store time.
    pub now: Timestamp,
}

/// Jobs of one kind of a queue that failed with one error. Messages count as equal if they differ
/// only in numbers, hexadecimals, UUIDs and quoted text ([`error_pattern`]).
///
/// As JSON: `queue`, `kind`, `error` with `name` and `message`, `failed`, `failing`, `first_at_ms`,
/// `last_at_ms` (store times in milliseconds) and `examples`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureGroup {
    /// The queue of the jobs.
    pub queue: QueueName,
    /// The kind of the jobs.
    pub kind: Kind,
    /// The name of the error.
    pub error_name: String,
    /// The message, without what differs from job to job.
    pub message: String,
    /// How many of them are Failed.
    pub failed: u64,
    /// How many of them wait to run again.
    pub failing: u64,
    /// When the first of them failed.
    pub first: Timestamp,
    /// When the last of them failed.
    pub last: Timestamp,
    /// The newest of them, at most three.
    pub examples: Vec<JobId>,
    /// The newest of the Failed ones, at most a hundred.
    pub failed_ids: Vec<JobId>,
}

impl FailureGroups {
    /// Reads the newest [`FAILURES_LOOKED_AT_MAX`] jobs of a queue that failed, and as many failing
    /// ones; those alone that came into their state at `since` or later.
    ///
    /// # Errors
    /// The errors of [`Storage::list`].
    pub async fn read(store: &dyn Storage, queue: &QueueName, since: Option<Timestamp>) -> Result<Self> {
        let mut found = Self::default();
        found.add(store, queue, since, FAILURES_LOOKED_AT_MAX).await?;
        Ok(found.ordered())
    }

    /// The same over the queues among these that have failures, of which at most
    /// [`QUEUES_READ_MAX`](crate::QUEUES_READ_MAX) are read. They share the bound, and each has
    /// fifty jobs of each state.
    ///
    /// # Errors
    /// The errors of [`Storage::list`].
    pub async fn read_across(
        store: &dyn Storage,
        queues: &[QueueStatus],
        since: Option<Timestamp>,
    ) -> Result<Self> {
        let fails = |status: &QueueStatus| {
            [State::Failed, State::Failing].iter().any(|state| status.counts.of(*state) > 0)
        };
        let QueuesToRead { names, left_out, now } = QueuesToRead::of(queues, fails);
        let of_each = (FAILURES_LOOKED_AT_MAX / names.len().max(1)).max(OF_EACH_MIN);
        let mut found = Self { left_out, now, ..Self::default() };
        for queue in names {
            found.add(store, queue, since, of_each).await?;
        }
        Ok(found.ordered())
    }

    async fn add(
        &mut self,
        store: &dyn Storage,
        queue: &QueueName,
        since: Option<Timestamp>,
        most: usize,
    ) -> Result<()> {
        let filter = |standing| JobFilter { since, ..JobFilter::standing([standing]) };
        let (failed, _) = newest(store, queue, &filter(Standing::Failed), most).await?;
        let (failing, now) = newest(store, queue, &filter(Standing::Failing), most).await?;
        self.groups.extend(grouped(failed.iter().chain(&failing)));
        self.failed += failed.len() as u64;
        self.failing += failing.len() as u64;
        self.now = now;
        Ok(())
    }

    fn ordered(mut self) -> Self {
        self.groups.sort_by_key(|group| Reverse((group.failed + group.failing, group.last)));
        self
    }

    /// How many jobs the groups were made of.
    pub const fn looked_at(&self) -> u64 {
        self.failed + self.failing
    }
}

async fn newest(
    store: &dyn Storage,
    queue: &QueueName,
    filter: &JobFilter,
    most: usize,
) -> Result<(Vec<JobMeta>, Timestamp)> {
    let listing = filter.newest_first(queue.clone())?;
    let mut jobs = Vec::new();
    let mut after = None;
    loop {
        let page = listing.page(store, after, most - jobs.len()).await?;
        jobs.extend(page.jobs);
        after = page.next;
        if after.is_none() || jobs.len() >= most {
            return Ok((jobs, page.now));
        }
    }
}

/// What the failures of a group share: queue, kind, name of the error, and pattern of its message.
type Shared = (QueueName, Kind, String, String);

fn grouped<'a>(jobs: impl Iterator<Item = &'a JobMeta>) -> Vec<FailureGroup> {
    let mut groups: BTreeMap<Shared, Vec<(Timestamp, &JobMeta)>> = BTreeMap::new();
    for job in jobs {
        let Some(error) = &job.last_error else { continue };
        let shared =
            (job.queue.clone(), job.kind.clone(), error.name().to_owned(), error_pattern(error.message()));
        let at = job.failed_at.unwrap_or_else(|| job.entered_at());
        groups.entry(shared).or_default().push((at, job));
    }
    groups.into_iter().map(|(shared, jobs)| FailureGroup::of(shared, jobs)).collect()
}

impl FailureGroup {
    fn of((queue, kind, error_name, message): Shared, mut jobs: Vec<(Timestamp, &JobMeta)>) -> Self {
        jobs.sort_by_key(|(at, job)| Reverse((*at, job.seq)));
        let is_failed = |(_, job): &&(Timestamp, &JobMeta)| job.state.is_terminal();
        let id = |(_, job): &(Timestamp, &JobMeta)| job.id.clone();
        let failed = jobs.iter().filter(is_failed).count() as u64;
        let times = || jobs.iter().map(|(at, _)| *at);
        Self {
            queue,
            kind,
            error_name,
            message,
            failed,
            failing: jobs.len() as u64 - failed,
            first: times().min().unwrap_or_default(),
            last: times().max().unwrap_or_default(),
            examples: jobs.iter().take(EXAMPLES_MAX).map(id).collect(),
            failed_ids: jobs.iter().filter(is_failed).take(IDS_MAX).map(id).collect(),
        }
    }
}

/// The error of a group, as JSON has it.
#[derive(Serialize)]
struct SharedError<'a> {
    name: &'a str,
    message: &'a str,
}

impl Serialize for FailureGroup {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut object = to.serialize_struct("FailureGroup", 8)?;
        object.serialize_field("queue", self.queue.as_str())?;
        object.serialize_field("kind", self.kind.as_str())?;
        let error = SharedError { name: &self.error_name, message: &self.message };
        object.serialize_field("error", &error)?;
        object.serialize_field("failed", &self.failed)?;
        object.serialize_field("failing", &self.failing)?;
        object.serialize_field("first_at_ms", &self.first.as_millis())?;
        object.serialize_field("last_at_ms", &self.last.as_millis())?;
        let examples: Vec<&str> = self.examples.iter().map(JobId::as_str).collect();
        object.serialize_field("examples", &examples)?;
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use super::{FailureGroups, grouped};
    use queue_core::{
        ContentType, Failure, JobId, JobMeta, Kind, NewJob, Payload, QueueName, Seq, State, Timestamp,
    };

    fn failed(id: &'static str, state: State, message: &str, at: i64) -> JobMeta {
        let payload = Payload::new(b"1".to_vec(), ContentType::from_static("application/json"));
        let new = NewJob::new(JobId::from_static(id), Kind::from_static("mail"), payload);
        let at = Timestamp::from_millis(at);
        let begun = JobMeta::begin(QueueName::from_static("q"), &new, Seq::new(1), at);
        JobMeta { state, last_error: Some(Failure::new("Smtp", message)), failed_at: Some(at), ..begun }
    }

    #[test]
    fn a_group_counts_what_says_the_same_and_names_the_newest() {
        let jobs = [
            failed("old", State::Failed, "no route after 30s", 1),
            failed("newest", State::Failing, "no route after 7s", 9),
            failed("newer", State::Failed, "no route after 8s", 5),
            failed("newish", State::Failed, "no route after 8s", 4),
            failed("other", State::Failed, "no such user", 20),
        ];
        let groups =
            FailureGroups { groups: grouped(jobs.iter()), ..FailureGroups::default() }.ordered().groups;
        let ids = |ids: &[JobId]| ids.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>();
        assert_eq!(groups.len(), 2);
        let largest = &groups[0];
        assert_eq!((largest.failed, largest.failing), (3, 1));
        assert_eq!((largest.first.as_millis(), largest.last.as_millis()), (1, 9));
        assert_eq!(ids(&largest.examples), ["newest", "newer", "newish"]);
        assert_eq!(ids(&largest.failed_ids), ["newer", "newish", "old"]);
        assert_eq!(
            serde_json::to_string(largest).expect("it is JSON"),
            r#"{"queue":"q","kind":"mail","error":{"name":"Smtp","message":"no route after #"},"failed":3,"failing":1,"first_at_ms":1,"last_at_ms":9,"examples":["newest","newer","newish"]}"#
        );
    }
}
