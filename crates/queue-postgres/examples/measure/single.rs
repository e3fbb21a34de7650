//! What one job costs whose calls are not merged with others: the processor time of the server and
//! the write-ahead log.

use crate::{Outcome, store};
use queue_core::{ClaimedJob, Storage};
use queue_postgres::PostgresStorage;
use std::{fs, time::Duration};
use tokio::time::Instant;

/// So many jobs are stored, then claimed, then completed, each by a call of its own; and that so
/// often.
const BLOCK: usize = 500;
const BLOCKS: usize = 10;
const WARM_UP: usize = 2;

/// What a call took: microseconds in all, microseconds of the processor in the sessions of the
/// server, and page faults there: more than a few mean that a statement needs more memory than the
/// C library keeps from one call to the next.
type Cost = [f64; 3];

/// Prints a line for each block, and the smallest of each column.
pub(crate) async fn measure(url: &str) -> Outcome {
    println!("{BLOCKS} times {BLOCK} jobs, each call for one job, one after the other, results kept");
    println!(
        "us/call, us of the server's processor, page faults of enqueue, claim and settle; bytes of write-ahead log of a job"
    );
    let store = store::open(url, 1).await?;
    let mut best = [[f64::MAX; 3]; 3];
    for block in 0..WARM_UP + BLOCKS {
        let wal = crate::cost::wal(url).await?;
        let costs = run(&store, url, block * BLOCK).await?;
        let wal = (crate::cost::wal(url).await? - wal) / i64::try_from(BLOCK)?;
        if block >= WARM_UP {
            print(&costs, wal);
            for (best, cost) in best.iter_mut().flatten().zip(costs.iter().flatten()) {
                *best = best.min(*cost);
            }
        }
    }
    println!("smallest:");
    print(&best, 0);
    Ok(())
}

fn print(costs: &[Cost; 3], wal: i64) {
    for [wall, cpu, faults] in costs {
        print!("{wall:>10.1} {cpu:>8.1} {faults:>6.2}");
    }
    println!(" {wal:>8}");
}

async fn run(store: &PostgresStorage, url: &str, first: usize) -> Outcome<[Cost; 3]> {
    store.counts(&store::queue()).await?; // connects
    let sessions = sessions(url).await?;
    let mut marks = vec![mark(&sessions)?];
    for number in first..first + BLOCK {
        store.enqueue(&store::queue(), vec![vec![store::job(number)]]).await?;
    }
    marks.push(mark(&sessions)?);
    let mut claimed: Vec<ClaimedJob> = Vec::new();
    for _ in 0..BLOCK {
        claimed.extend(store.claim(store::request(1)).await?.jobs);
    }
    marks.push(mark(&sessions)?);
    assert_eq!(claimed.len(), BLOCK);
    for job in &claimed {
        store.apply(vec![store::completion(job)]).await?;
    }
    marks.push(mark(&sessions)?);
    let each = f64::from(u32::try_from(BLOCK)?);
    let cost = |at: usize| -> Outcome<Cost> {
        let ((from, cpu, faults), to) = (marks[at], marks[at + 1]);
        let micros = |time: Duration| time.as_secs_f64() * 1e6 / each;
        Ok([
            micros(to.0 - from),
            micros(to.1.saturating_sub(cpu)),
            f64::from(u32::try_from(to.2 - faults)?) / each,
        ])
    };
    Ok([cost(0)?, cost(1)?, cost(2)?])
}

/// The processes of the sessions, on this very host.
async fn sessions(url: &str) -> Outcome<Vec<i64>> {
    let text = "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
    let pids = store::text(url, text).await?;
    Ok(pids.split(' ').map(str::parse).collect::<Result<_, _>>()?)
}

/// Now, and what these processes have used: time of the processor, and page faults.
fn mark(sessions: &[i64]) -> Outcome<(Instant, Duration, u64)> {
    let (mut nanos, mut faults) = (0, 0);
    for pid in sessions {
        nanos += number(&fs::read_to_string(format!("/proc/{pid}/schedstat"))?, 0)?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        faults += number(stat.rsplit(") ").next().unwrap_or_default(), 7)?;
    }
    Ok((Instant::now(), Duration::from_nanos(nanos), faults))
}

fn number(text: &str, at: usize) -> Outcome<u64> {
    Ok(text.split(' ').nth(at).ok_or("the kernel tells less")?.parse()?)
}
