//! `cargo xtask peers`: measures job queues beside this one on private servers, in turns, and
//! writes the figures of `docs/COMPARISON.md`.
//!
//! A peer that does not build, fails or hangs is a cell that says so. Results of whole stores are
//! kept in `benches/peers/results`, and a test compares the page with them.

mod build;
mod catalog;
mod cell;
mod machine;
mod measure;
mod page;
mod place;
mod plan;
mod process;
mod row;
mod server;
mod table;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::build::Built;
use crate::catalog::{Peer, Store};
use crate::measure::StoreRun;
use crate::plan::Plan;
use crate::words::Words;

const USAGE: &str = "usage: cargo xtask peers [--quick] [PEER|STORE|WORKLOAD..]
       cargo xtask peers page

Words of one kind narrow what is measured; a kind that is not named is measured whole. Figures of whole
stores go to docs/COMPARISON.md, all others below benches/peers/target; --quick is one round of few jobs,
kept there as well. `page` measures nothing and writes the page anew.";

/// An error is for people, so that it is shown as one line and never as a backtrace.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        println!("{USAGE}\n\n{}", words::known());
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let words = Words::parse(arguments)?;
    let plan = Plan::of(&root(), &words);
    if !words.is_page_alone {
        measure(&plan, &words)?;
    }
    page::write(&plan)?;
    println!("wrote {}", plan.page.display());
    Ok(())
}

/// The root of the work tree.
fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3);
    folder.expect("the driver lies three folders below the root").to_owned()
}

fn measure(plan: &Plan, words: &Words) -> Result<()> {
    plan.prepare()?;
    let peers: Vec<(&Peer, Built)> =
        words.peers().into_iter().map(|peer| (peer, build::build(plan, peer))).collect();
    for store in Store::ALL.into_iter().filter(|store| words.has_store(*store)) {
        let of_store: Vec<(&Peer, &Built)> = peers
            .iter()
            .filter(|(peer, _)| peer.stores.contains(&store))
            .map(|(peer, built)| (*peer, built))
            .collect();
        match measure::store(plan, store, &of_store, &words.rows()) {
            Ok(run) => keep(plan, &run)?,
            // The other stores can still be measured, and the last figures stay.
            Err(error) => eprintln!("{store}: not measured: {error:#}"),
        }
    }
    Ok(())
}

fn keep(plan: &Plan, run: &StoreRun) -> Result<()> {
    let file = plan.results.join(format!("{}.json", run.store));
    let text = serde_json::to_string_pretty(run)?;
    std::fs::write(&file, text + "\n").with_context(|| format!("cannot write {}", file.display()))
}
