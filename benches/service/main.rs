//! Measures the service over HTTP beside the same store in the process, in one run, and prints a
//! table in Markdown.
//!
//! The service runs in a process of its own with tokens, scopes and limits, as `queue serve` does,
//! so that its processor time is measured without the time of the clients. Both share the machine.
//!
//! `cargo xtask bench service` runs it for all stores, with servers that wait for the disk.

mod figures;
mod idle;
mod in_process;
mod load;
mod over_http;
mod pickup;
mod request;
mod server;
mod store;
mod strangers;

use clap::Parser;
use figures::Row;
use std::time::Duration;
use store::ServedStore;

/// How fast the service is on this machine.
#[derive(Debug, Parser)]
struct ServiceCli {
    /// The stores to measure; those without a server are left out.
    #[arg(long = "store", value_enum)]
    stores: Vec<ServedStore>,
    /// How long each measurement lasts.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Only what others cost a good token.
    #[arg(long)]
    strangers: bool,
    /// The process of the service; started by the program itself.
    #[arg(long, hide = true, value_names = ["URL", "TOKENS"], num_args = 2)]
    serve: Option<Vec<String>>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = ServiceCli::parse();
    if let Some([url, tokens]) = cli.serve.as_deref() {
        return server::serve(url, tokens.as_ref()).await;
    }
    let lasts = Duration::from_secs(cli.seconds);
    let stores = if cli.stores.is_empty() { ServedStore::ALL.to_vec() } else { cli.stores };
    if cli.strangers {
        return strangers::measure(&stores, lasts).await;
    }
    println!(
        "| store | measured | in the process | p50 | p99 | CPU | over HTTP | p50 | p99 | CPU of the server |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for store in stores.iter().copied() {
        if !store.is_reachable() {
            println!("| {store} | not reachable | | | | | | | | |");
            continue;
        }
        for load in load::Load::ALL {
            let inside = in_process::measure(store, load, lasts).await?;
            let outside = over_http::measure(store, load, lasts).await?;
            println!("{}", Row { store, what: load.to_string(), inside, outside });
        }
        let (inside, outside) = pickup::measure(store).await?;
        println!("{}", Row { store, what: "pickup by a waiting claim".to_owned(), inside, outside });
    }
    idle::measure(&stores).await?;
    strangers::measure(&stores, lasts).await
}

#[cfg(test)]
mod tests {
    use super::ServiceCli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        ServiceCli::command().debug_assert();
    }
}
