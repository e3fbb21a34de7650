//! `cargo xtask soak fuzz`: the campaigns of random inputs against what the network reaches, each
//! as long as is asked for. Every test run has a short one of each.

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Parser;

use super::decoders::{CAMPAIGNS, Campaign};
use crate::command;
use crate::repo::Repo;

/// What proptest asks the environment for.
const CASES: &str = "PROPTEST_CASES";

#[derive(Parser)]
#[command(name = "fuzz")]
struct Wanted {
    /// How many inputs of each campaign
    #[arg(long, default_value_t = 1_000_000)]
    cases: u64,
    /// Only campaigns whose decoder or test contains one of these
    words: Vec<String>,
}

pub(super) fn run(repo: &Repo, arguments: &[String]) -> Result<()> {
    let words = std::iter::once("fuzz").chain(arguments.iter().map(String::as_str));
    let Wanted { cases, words } = Wanted::parse_from(words);
    let is_wanted = |campaign: &&Campaign| {
        words.is_empty()
            || words.iter().any(|word| campaign.decoder.contains(word) || campaign.test.contains(word))
    };
    println!("| what is decoded | test | inputs | seconds | |\n|---|---|---:|---:|---|");
    let mut fallen = Vec::new();
    for campaign in CAMPAIGNS.iter().filter(is_wanted) {
        let begun = begin();
        let passed = command::run(cargo_test(repo, campaign).env(CASES, cases.to_string())).is_ok();
        let (decoder, test, seconds) = (campaign.decoder, campaign.test, begun.elapsed().as_secs());
        let inputs = cases * campaign.inputs;
        println!("| {decoder} | `{test}` | {inputs} | {seconds} | {} |", if passed { "" } else { "FAILED" });
        if !passed {
            fallen.push(test);
        }
    }
    if !fallen.is_empty() {
        bail!("campaigns that found something: {}", fallen.join(", "));
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "how long a campaign took is told and never judged")]
fn begin() -> Instant {
    Instant::now()
}

fn cargo_test(repo: &Repo, campaign: &Campaign) -> Command {
    let Campaign { package, target, test, .. } = *campaign;
    let mut cargo = command::cargo(repo, &["test", "--quiet", "--package", package, "--all-features"]);
    match target {
        "lib" => cargo.arg("--lib"),
        name => cargo.args(["--test", name]),
    };
    cargo.args(["--", "--exact", test]);
    cargo.stdout(std::process::Stdio::null());
    cargo
}
