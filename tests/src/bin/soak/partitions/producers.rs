//! Producers of jobs of skewed partitions, each a task.

use super::{Jobs, PartitionsArgs, transactions};
use crate::{
    failed::{Failed, require},
    many::{StoreKind, StorePlace},
};
use queue::{ErrorKind, JobId, JobOptions, Keep, NewJob, Rng, SystemRng, queue_core::Enqueued};
use std::{collections::HashSet, time::Duration};
use tokio::{task::JoinSet, time::sleep};
use tokio_util::sync::CancellationToken;

const PRODUCERS: usize = 4;
/// With so many jobs unfinished for each partition, producers wait. In the end the first partition
/// has most of them, and drains by its limit alone.
const BACKLOG_EACH: u64 = 5;
/// The most jobs of one call.
const CALL_MAX: u64 = 20;
/// How often an enqueue is sent at most.
const TRIES_MAX: u32 = 10;
const REST: Duration = Duration::from_millis(20);

/// The producers of one run.
#[derive(Debug)]
pub(super) struct Producers {
    tasks: JoinSet<Result<Vec<JobId>, Failed>>,
    stop: CancellationToken,
}

impl Producers {
    /// Starts them. On Postgres two more enqueue in transactions of the application.
    pub(super) fn start(queue: &Jobs, place: &StorePlace, settings: &PartitionsArgs) -> Self {
        let (mut tasks, stop) = (JoinSet::new(), CancellationToken::new());
        for number in 0..PRODUCERS {
            tasks.spawn(produce(queue.clone(), number, settings.partitions, stop.clone()));
        }
        if place.kind == StoreKind::Postgres {
            for number in 0..2 {
                tasks.spawn(transactions::produce(queue.clone(), number, settings.partitions, stop.clone()));
            }
        }
        Self { tasks, stop }
    }

    /// The error of the first one that ends before it is asked to.
    pub(super) async fn failure(&mut self) -> Failed {
        match self.tasks.join_next().await {
            Some(Ok(Err(error))) => error,
            other => format!("a producer ended by itself: {other:?}").into(),
        }
    }

    /// Stops them. Answers the jobs whose enqueue was acknowledged.
    pub(super) async fn stop(mut self) -> Result<HashSet<JobId>, Failed> {
        self.stop.cancel();
        let mut acknowledged = HashSet::new();
        while let Some(ended) = self.tasks.join_next().await {
            acknowledged.extend(ended??);
        }
        Ok(acknowledged)
    }
}

async fn produce(
    queue: Jobs,
    producer: usize,
    partitions: u64,
    stop: CancellationToken,
) -> Result<Vec<JobId>, Failed> {
    let mut acknowledged = Vec::new();
    while !stop.is_cancelled() {
        if queue.counts().await?.unfinished() < BACKLOG_EACH * partitions {
            let first = acknowledged.len() as u64;
            let ids = (first..=first + SystemRng.next_u64() % CALL_MAX)
                .map(|number| JobId::new(format!("producer-{producer}-{number}")))
                .collect::<Result<Vec<_>, _>>()?;
            let jobs = ids.iter().map(|id| queue.new_job(id.clone(), &(), &options(partitions)));
            enqueue(&queue, jobs.collect::<Result<_, _>>()?).await?;
            acknowledged.extend(ids);
        }
        sleep(REST).await;
    }
    require(!acknowledged.is_empty(), || "a producer enqueued nothing".to_owned())?;
    Ok(acknowledged)
}

/// Enqueues jobs until the store acknowledges them. A store that is busy for too long is asked
/// again with the same ids, as an application does.
pub(super) async fn enqueue(queue: &Jobs, jobs: Vec<NewJob>) -> Result<(), Failed> {
    let groups: Vec<_> = jobs.into_iter().map(|job| vec![job]).collect();
    let mut tries = 1;
    let answers = loop {
        match queue.storage().enqueue(queue.name(), groups.clone()).await {
            Err(error) if error.kind() == ErrorKind::Unavailable && tries < TRIES_MAX => tries += 1,
            answers => break answers?.value,
        }
    };
    let is_there = |answer: &Enqueued| match answer {
        Enqueued::Queued { .. } => true,
        // By an earlier try.
        Enqueued::Duplicate { .. } | Enqueued::Completed { .. } => tries > 1,
        Enqueued::Orphaned => false,
    };
    let other = answers.iter().flatten().find(|answer| !is_there(answer));
    require(other.is_none(), || format!("a new job was answered {other:?}"))
}

/// The options of a job of a random partition. A record is kept for the check in the end, and a job
/// may lose any number of workers.
pub(super) fn options(partitions: u64) -> JobOptions {
    kept().partition(format!("p-{:03}", skewed(partitions)))
}

/// The options of a job without a partition.
pub(super) fn kept() -> JobOptions {
    JobOptions::new().keep(Keep::Forever).unlimited_stalls()
}

/// A random number below `partitions`, which is that part of them that the cube of an even number
/// is of one. Of 200 partitions the first has 17 % of the jobs, and the upper half has 21 %.
fn skewed(partitions: u64) -> u64 {
    let even = u128::from(SystemRng.next_u64() >> 32);
    u64::try_from((even.pow(3) * u128::from(partitions)) >> 96).expect("it is below the number of partitions")
}
