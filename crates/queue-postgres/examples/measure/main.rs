//! What the tables cost, and what a held snapshot does to them, beside a plain queue in one table.
//!
//! ```sh
//! export QUEUE_TEST_POSTGRES_URL=postgres://queue:secret@127.0.0.1:5432/postgres
//! cargo run --release -p queue-postgres --example measure -- cost
//! cargo run --release -p queue-postgres --example measure -- single
//! cargo run --release -p queue-postgres --example measure -- snapshot 300
//! ```
//!
//! `cost` stores, claims and completes 50,000 jobs in batches of 500, one commit each, over one
//! connection, and keeps the results. `single` does the same with calls for one job each, and
//! prints the processor time of the server, which has to run on this host. `snapshot` runs a
//! sustained load for so many seconds while a transaction holds a snapshot, first on the store and
//! then on the plain queue, and prints throughput and the time of a claim as it goes.

mod cost;
mod plain;
mod single;
mod snapshot;
mod store;

use std::{env, error::Error};

/// Any error.
type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Outcome {
    let url = env::var("QUEUE_TEST_POSTGRES_URL")?;
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["cost"] => cost::measure(&url).await,
        ["single"] => single::measure(&url).await,
        ["snapshot", seconds] => snapshot::measure(&url, seconds.parse()?).await,
        _ => Err("say `cost`, `single`, or `snapshot` and a number of seconds".into()),
    }
}
