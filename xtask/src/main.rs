//! `cargo xtask`: the checks that CI runs and the servers that tests talk to.
//!
//! Everything here is a thin loop around functions that are tested on small samples. Nothing here
//! is needed to use the library, and no crate may depend on this one.

mod api;
mod artifacts;
mod bench;
mod built;
mod clients;
mod command;
mod deps;
mod disk;
mod features;
mod fix;
mod guard;
mod in_memory;
mod linted;
mod machine;
mod metadata;
mod package;
mod pages;
mod peers;
mod picture;
mod planted;
mod platforms;
mod release;
mod repo;
mod scratch;
mod served;
mod services;
mod soak;
mod test;
mod tidy;
mod turn;
mod verify;
mod web;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::api::{Listed, Others};
use crate::built::Built;
use crate::features::Depth;
use crate::guard::Mode;
use crate::package::Proof;
use crate::repo::Repo;
use crate::web::Extent;

#[derive(Parser)]
#[command(about = "Checks and test servers of this workspace")]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs every check that CI runs; changes no source file
    Verify(verify::Wanted),
    /// Formats the code and applies what clippy can repair by itself
    Fix,
    /// Checks the shape of files, manifests and links
    Tidy,
    /// Counts stilted words in comments, by crate
    Words {
        /// Show the lines of this crate
        name: Option<String>,
    },
    /// Checks which crate depends on which
    Deps,
    /// Compares the public surface of each crate with the listing in `docs/api`
    Api {
        /// Write the listing
        #[arg(long)]
        bless: bool,
        /// From the build of `verify`, with the documentation of all other crates
        #[arg(long, hide = true)]
        built: bool,
    },
    /// Compiles every set of features that an application may choose
    Features {
        /// Sets of how many features
        #[arg(long, value_enum, default_value = "two")]
        depth: Depth,
    },
    /// Packs every crate as for the registry, and compiles it from its package
    Package,
    /// Makes the files of a release in one folder, and installs and runs each of them
    Release(release::Wanted),
    /// Compiles and runs the programs of pages with the packed crates, in empty directories
    Pages {
        /// Only pages whose path contains one of these
        words: Vec<String>,
    },
    /// Tests the clients in other languages against the real server; a language that the machine
    /// lacks is skipped
    Clients {
        /// Only these
        #[arg(value_enum)]
        parts: Vec<clients::Part>,
        /// With programs that are built already
        #[arg(long, hide = true)]
        built: bool,
    },
    /// Compiles every crate for other platforms; needs `cargo-zigbuild`
    Platforms,
    /// Shows which test catches which planted defect; fails if one survives
    Planted {
        /// One part of it
        part: Option<planted::Part>,
    },
    /// Measures the stores and writes `docs/BENCHMARKS.md`
    Bench(bench::Wanted),
    /// Measures other job queues beside this one and writes the figures of `docs/COMPARISON.md`;
    /// `--help` says what can be named
    Peers {
        /// Peers, stores and workloads
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Compares the instructions of hot paths with committed limits; needs valgrind
    Guard {
        /// Make the counts the limits
        #[arg(long)]
        bless: bool,
    },
    /// Makes a picture of a terminal, as SVG, of the text on standard input
    Picture {
        /// The file to write
        to: PathBuf,
    },
    /// Long runs: `waits`, `jobs`, `growth`, `bulk`, `partitions`, `copy`, `day` on a release
    /// build, `clients` that are killed, `pages` in place of answers, and `fuzz`, each with
    /// `--help`
    Soak {
        /// Which, and its settings
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Runs all tests with servers of their own, several test programs at a time
    Test(test::Wanted),
    /// Looks at every page of the dashboard in headless Chromium, with axe-core, compares pictures,
    /// and sends every form without script; skipped where there is none
    Web {
        /// Make the pictures the ones of the work tree, in `xtask/web/pictures` and
        /// `docs/images/web`
        #[arg(long)]
        bless: bool,
        /// One colour and one width, and no pictures, as `verify` does it
        #[arg(long, conflicts_with = "bless")]
        quick: bool,
        /// With programs that are built already
        #[arg(long, hide = true)]
        built: bool,
    },
    /// Starts and stops private servers for tests
    Services {
        #[command(subcommand)]
        command: services::Cli,
    },
}

/// An error is for people, so that it is shown as one line and never as a backtrace.
fn main() -> ExitCode {
    if let Some(code) = api::as_rustdoc() {
        return code;
    }
    match run(Cli::parse().command, &Repo::find()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task, repo: &Repo) -> Result<()> {
    match task {
        Task::Verify(wanted) => verify::run(repo, &wanted),
        Task::Test(wanted) => test::run(repo, &wanted),
        Task::Fix => fix::run(repo),
        Task::Tidy => tidy::run(repo),
        Task::Words { name } => tidy::words(repo, name.as_deref()),
        Task::Deps => deps::run(repo),
        Task::Api { bless, built } => {
            let listed = if bless { Listed::Bless } else { Listed::Compare };
            api::run(repo, listed, if built { Others::Described } else { Others::LeftOut })
        }
        Task::Features { depth } => features::run(repo, depth),
        Task::Package => package::run(repo, Proof::Compiled),
        Task::Release(wanted) => release::run(repo, &wanted),
        Task::Pages { words } => {
            pages::run(repo, &words.iter().map(String::as_str).collect::<Vec<_>>(), false)
        }
        Task::Clients { parts, built } => clients::run(repo, &programs(repo, built)?, &parts),
        Task::Platforms => platforms::run(repo),
        Task::Planted { part } => planted::run(repo, part),
        Task::Bench(wanted) => bench::run(repo, &wanted),
        Task::Peers { words } => peers::run(repo, &words),
        Task::Guard { bless } => guard::run(repo, if bless { Mode::Bless } else { Mode::Check }),
        Task::Picture { to } => picture::run(&to),
        Task::Soak { arguments } => soak::run(repo, &arguments),
        Task::Web { bless, quick, built } => {
            let extent = match (bless, quick) {
                (true, _) => Extent::Bless,
                (_, true) => Extent::Quick,
                _ => Extent::Whole,
            };
            web::run(repo, &programs(repo, built)?, extent)
        }
        Task::Services { command } => services::run(repo, command),
    }
}

fn programs(repo: &Repo, are_built: bool) -> Result<Built> {
    if are_built { Ok(Built::find(repo)) } else { Built::make(repo) }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
