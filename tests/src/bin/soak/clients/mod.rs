//! Workers in Python and Node behind a proxy that loses answers, killed and stopped at random, and
//! their server killed too. What they noted is one history, and the checker of histories judges it.

mod answered;
mod asked;
mod fleet;
mod held;
mod late;
mod protocol;
mod round;
mod service;
mod tape;
mod translate;
mod weather;

use crate::{
    failed::{Failed, require},
    many::StoreKind,
};
use clap::Args;
use fleet::Programs;
use queue::{Rng, SystemRng};
use round::{Counts, Round};
use std::path::PathBuf;

pub(crate) use service::{Access, Server};

#[derive(Args, Debug)]
pub(crate) struct ClientsArgs {
    /// How many signals the workers get in all, SIGKILL or SIGSTOP
    #[arg(long, default_value_t = 2_000)]
    kills: usize,
    /// How many of them belong to one history, which has a store of its own
    #[arg(long, default_value_t = 100)]
    per_round: usize,
    /// The store; those on servers need `cargo xtask services run postgres -- ..`
    #[arg(long, default_value = "sqlite")]
    store: StoreKind,
    /// How many servers share the store
    #[arg(long, default_value_t = 1)]
    servers: usize,
    /// How many workers of each language there are at any time
    #[arg(long, default_value_t = 4)]
    workers: usize,
    /// Repeats the choices of a run, though not its races
    #[arg(long)]
    seed: Option<u64>,
    /// The `queue` program
    #[arg(long)]
    program: PathBuf,
    /// A Python that has the packages of the client
    #[arg(long)]
    python: PathBuf,
    #[arg(long, default_value = "node")]
    node: PathBuf,
    /// The folder `clients` of the work tree
    #[arg(long, default_value = "clients")]
    clients: PathBuf,
    /// Keeps what the processes of a round noted below this folder
    #[arg(long)]
    keep: Option<PathBuf>,
}

pub(crate) async fn run(settings: &ClientsArgs) -> Result<(), Failed> {
    let seed = settings.seed.unwrap_or_else(|| SystemRng.next_u64() % 1_000_000);
    println!(
        "clients: {} signals on {} with {} servers, seed {seed}",
        settings.kills, settings.store, settings.servers
    );
    let programs = Programs {
        python: settings.python.clone(),
        node: settings.node.clone(),
        clients: settings.clients.clone(),
    };
    let mut all = Counts::default();
    let mut left = settings.kills;
    for number in 0.. {
        let signals = left.min(settings.per_round.max(1));
        if signals == 0 {
            break;
        }
        left -= signals;
        let round = Round { number, seed: seed + number, signals, settings, programs: &programs };
        let counts = round.run().await.map_err(|error| format!("round {number} of seed {seed}: {error}"))?;
        println!("  round {number}: {counts}");
        all.add(&counts);
    }
    println!("clients: {all}");
    require(all.findings == 0, || format!("{} findings", all.findings))
}
