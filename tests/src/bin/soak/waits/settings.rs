//! The arguments of `soak waits`.

use super::mode::Mode;
use clap::Args;
use std::{path::Path, time::Duration};

#[derive(Args, Debug)]
pub(crate) struct WaitsArgs {
    /// How many calls to make in each mode on each store
    #[arg(long, default_value_t = 10_000)]
    pub(super) calls: u64,
    /// How many calls to make at once
    #[arg(long, default_value_t = 50)]
    pub(super) concurrency: usize,
    /// The disturbances [default: all]
    #[arg(long)]
    mode: Vec<Mode>,
    /// The store [default: one in memory and one in a temporary file]. A store in memory needs a
    /// name
    #[arg(long)]
    store: Vec<String>,
    /// How many workers to run, each in its own process, or in its own runtime for a store in
    /// memory
    #[arg(long, default_value_t = 3)]
    pub(super) workers: usize,
    /// How long each job takes, in milliseconds
    #[arg(long, default_value_t = 20)]
    pub(super) work_ms: u64,
    /// How long each call waits, in milliseconds
    #[arg(long, default_value_t = 30_000)]
    deadline_ms: u64,
    /// The seed of the kills [default: random]
    #[arg(long)]
    pub(super) seed: Option<u64>,
}

impl WaitsArgs {
    pub(super) fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    pub(super) fn modes(&self) -> Vec<Mode> {
        if self.mode.is_empty() { Mode::ALL.to_vec() } else { self.mode.clone() }
    }

    pub(super) fn stores(&self, files: &Path) -> Vec<String> {
        if !self.store.is_empty() {
            return self.store.clone();
        }
        vec!["memory:soak".to_owned(), format!("sqlite:{}", files.join("soak.db").display())]
    }
}
