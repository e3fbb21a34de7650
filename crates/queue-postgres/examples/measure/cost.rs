//! Microseconds for each job and verb, and bytes for each job.

use crate::{Outcome, plain::Plain, store};
use queue_core::{ClaimedJob, Storage};
use queue_postgres::PostgresStorage;
use std::time::Duration;
use tokio::time::Instant;

const JOBS: usize = 50_000;
const BATCH: usize = 500;
/// Batches before the measurement, so that statements are prepared and plans made.
const WARM_UP: usize = 10;

/// Prints a table.
pub(crate) async fn measure(url: &str) -> Outcome {
    println!("{JOBS} jobs, batches of {BATCH}, one connection, a commit for each batch, results kept");
    println!("{:<28} {:>9} {:>9} {:>9} {:>11}", "us/job", "enqueue", "claim", "settle", "bytes/job");
    let store = store::open(url, 1).await?;
    run(&store, WARM_UP).await?;
    let wal = wal(url).await?;
    let times = run(&store, JOBS / BATCH).await?;
    let wal = (crate::cost::wal(url).await? - wal) / i64::try_from(JOBS)?;
    let size = size(url).await? / i64::try_from(JOBS + WARM_UP * BATCH)?;
    print("queue-postgres", times, size);
    println!("write-ahead log: {wal} bytes/job");
    let plain = Plain::open(url).await?;
    plain.run(WARM_UP, BATCH).await?;
    let times = plain.run(JOBS / BATCH, BATCH).await?;
    let size = plain.size(url).await? / i64::try_from(JOBS + WARM_UP * BATCH)?;
    print("one table (unfenced floor)", times, size);
    Ok(())
}

fn print(name: &str, times: [Duration; 3], bytes: i64) {
    let [enqueue, claim, settle] = times.map(|time| time.as_secs_f64() * 1e6);
    println!("{name:<28} {enqueue:>9.1} {claim:>9.1} {settle:>9.1} {bytes:>11}");
}

/// The time for each job of an enqueue, a claim and a settle.
async fn run(store: &PostgresStorage, batches: usize) -> Outcome<[Duration; 3]> {
    let jobs = u32::try_from(batches * BATCH)?;
    let begun = Instant::now();
    fill(store, batches).await?;
    let enqueue = begun.elapsed();
    let begun = Instant::now();
    let mut claimed: Vec<Vec<ClaimedJob>> = Vec::new();
    for _ in 0..batches {
        claimed.push(store.claim(store::request(BATCH)).await?.jobs);
    }
    let claim = begun.elapsed();
    assert_eq!(claimed.iter().map(Vec::len).sum::<usize>(), batches * BATCH);
    let transitions: Vec<Vec<_>> =
        claimed.iter().map(|batch| batch.iter().map(store::completion).collect()).collect();
    let begun = Instant::now();
    for batch in transitions {
        store.apply(batch).await?;
    }
    Ok([enqueue / jobs, claim / jobs, begun.elapsed() / jobs])
}

async fn fill(store: &PostgresStorage, batches: usize) -> Outcome {
    let first = usize::try_from(store.counts(&store::queue()).await?.total())?;
    for batch in 0..batches {
        let jobs = (0..BATCH).map(|n| store::job(first + batch * BATCH + n)).collect();
        store.enqueue(&store::queue(), vec![jobs]).await?;
    }
    Ok(())
}

async fn size(url: &str) -> Outcome<i64> {
    let text = format!(
        "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
         WHERE relnamespace = '{}'::regnamespace AND relkind = 'r'",
        store::SCHEMA
    );
    store::number(url, &text).await
}

/// Bytes of the write-ahead log since ever.
pub(crate) async fn wal(url: &str) -> Outcome<i64> {
    store::number(url, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint").await
}
