//! A sustained load while another transaction holds a snapshot.

use crate::{Outcome, plain::Plain, store};
use queue_core::Storage;
use queue_postgres::PostgresStorage;
use sqlx::{Connection, PgConnection};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, MissedTickBehavior, interval};

/// The load: so many jobs, so often.
const JOBS: usize = 40;
const EVERY: Duration = Duration::from_millis(20);
/// A claim asks for so many.
const CLAIM: usize = 100;
/// How many times the figures so far are printed.
const REPORTS: u64 = 10;

/// Runs both queues, one after the other.
pub(crate) async fn measure(url: &str, seconds: u64) -> Outcome {
    println!("{} jobs/s offered, a REPEATABLE READ snapshot held all the while", JOBS * 1000 / 20);
    println!(
        "{:<16} {:>8} {:>12} {:>12} {:>12} {:>12}",
        "queue", "second", "done/s", "claim ms", "worst ms", "dead rows"
    );
    let store = Arc::new(store::open(url, 8).await?);
    run(url, Side::Store(store), seconds).await?;
    run(url, Side::Plain(Plain::open(url).await?), seconds).await
}

/// Which queue.
#[derive(Clone, Debug)]
enum Side {
    Store(Arc<PostgresStorage>),
    Plain(Plain),
}

impl Side {
    fn name(&self) -> &'static str {
        match self {
            Self::Store(_) => "queue-postgres",
            Self::Plain(_) => "one table",
        }
    }

    async fn enqueue(&self, first: usize) -> Outcome {
        match self {
            Self::Store(store) => {
                let jobs = (first..first + JOBS).map(store::job).collect();
                store.enqueue(&store::queue(), vec![jobs]).await?;
                Ok(())
            }
            Self::Plain(plain) => plain.enqueue(first, JOBS).await,
        }
    }

    /// Claims and settles once; answers the time of the claim and how many jobs it got.
    async fn work(&self) -> Outcome<(Duration, usize)> {
        let begun = Instant::now();
        match self {
            Self::Store(store) => {
                let jobs = store.claim(store::request(CLAIM)).await?.jobs;
                let took = begun.elapsed();
                if !jobs.is_empty() {
                    store.apply(jobs.iter().map(store::completion).collect()).await?;
                }
                Ok((took, jobs.len()))
            }
            Self::Plain(plain) => {
                let ids = plain.claim(i64::try_from(CLAIM)?).await?;
                let took = begun.elapsed();
                plain.settle(&ids).await?;
                Ok((took, ids.len()))
            }
        }
    }

    fn dead_rows(&self) -> String {
        let which = match self {
            Self::Store(_) => format!("schemaname = '{}' AND relname IN ('ready', 'lease')", store::SCHEMA),
            Self::Plain(_) => "relname = 'plain_queue'".to_owned(),
        };
        format!("SELECT coalesce(sum(n_dead_tup), 0)::bigint FROM pg_stat_user_tables WHERE {which}")
    }
}

async fn run(url: &str, side: Side, seconds: u64) -> Outcome {
    let mut holder = PgConnection::connect(url).await?;
    let mut snapshot = holder.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ").await?;
    sqlx::query("SELECT count(*) FROM pg_class").execute(&mut *snapshot).await?;
    let end = Instant::now() + Duration::from_secs(seconds);
    let producer = produce(side.clone(), end);
    let worker = work(url, side, end, Duration::from_secs((seconds / REPORTS).max(1)));
    tokio::try_join!(producer, worker)?;
    Ok(snapshot.rollback().await?)
}

async fn produce(side: Side, end: Instant) -> Outcome {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut made = 0;
    while Instant::now() < end {
        ticks.tick().await;
        side.enqueue(made).await?;
        made += JOBS;
    }
    Ok(())
}

async fn work(url: &str, side: Side, end: Instant, report: Duration) -> Outcome {
    let begun = Instant::now();
    let mut next_report = begun + report;
    let mut done = 0;
    let mut claims = 0_u32;
    let mut total = Duration::ZERO;
    let mut worst = Duration::ZERO;
    while Instant::now() < end {
        let (took, jobs) = side.work().await?;
        (done, claims, total, worst) = (done + jobs, claims + 1, total + took, worst.max(took));
        if jobs == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        if Instant::now() >= next_report {
            let dead = store::number(url, &side.dead_rows()).await?;
            let millis = |time: Duration| time.as_secs_f64() * 1e3;
            let rate = u64::try_from(done)? / report.as_secs();
            let (name, second) = (side.name(), begun.elapsed().as_secs());
            let (mean, worst_ms) = (millis(total / claims), millis(worst));
            println!("{name:<16} {second:>8} {rate:>12} {mean:>12.2} {worst_ms:>12.2} {dead:>12}");
            (done, claims, total, worst) = (0, 0, Duration::ZERO, Duration::ZERO);
            next_report += report;
        }
    }
    Ok(())
}
