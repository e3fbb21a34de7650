//! Producers that enqueue in transactions of an application, which stay open for seconds.

use super::{Jobs, producers::options};
use crate::failed::{Failed, require};
use queue::{
    JobId, Rng, SystemRng,
    sqlx::{Connection, PgConnection},
};
use std::{env, time::Duration};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// The steps of a transaction, each some jobs and then a rest.
const STEPS: u64 = 4;
const STEP_JOBS: u64 = 5;
/// The longest rest.
const REST_MS: u64 = 1_500;
/// One transaction in so many is rolled back.
const ROLLED_BACK_ONE_IN: u64 = 4;

/// Enqueues until it is stopped. Answers the jobs of the transactions that committed.
pub(super) async fn produce(
    queue: Jobs,
    producer: usize,
    partitions: u64,
    stop: CancellationToken,
) -> Result<Vec<JobId>, Failed> {
    let mut connection = PgConnection::connect(&env::var("QUEUE_TEST_POSTGRES_URL")?).await?;
    let (mut acknowledged, mut begun) = (Vec::new(), 0_u64);
    while !stop.is_cancelled() {
        let mut transaction = connection.begin().await?;
        let mut jobs = Vec::new();
        for step in 0..STEPS {
            for number in 0..STEP_JOBS {
                let id = JobId::new(format!("application-{producer}-{begun}-{step}-{number}"))?;
                let enqueue = queue.enqueue_in_with(&mut transaction, id.clone(), (), options(partitions));
                let answer = enqueue.await?;
                require(answer.is_new(), || format!("a new job was answered {answer:?}"))?;
                jobs.push(id);
            }
            sleep(Duration::from_millis(SystemRng.next_u64() % REST_MS)).await;
        }
        if begun % ROLLED_BACK_ONE_IN == ROLLED_BACK_ONE_IN - 1 {
            transaction.rollback().await?;
        } else {
            transaction.commit().await?;
            acknowledged.extend(jobs);
        }
        begun += 1;
    }
    connection.close().await?;
    Ok(acknowledged)
}
