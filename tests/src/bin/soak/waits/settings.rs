//! The arguments of `soak waits`.

use super::mode::Mode;
use clap::Args;
use std::{path::Path, time::Duration};

#[derive(Args, Debug)]
pub(crate) struct WaitsArgs {
    /// Calls in each mode on each store
    #[arg(long, default_value_t = 10_000)]
    pub(super) calls: u64,
    /// Calls that go on at once
    #[arg(long, default_value_t = 50)]
    pub(super) concurrency: usize,
    /// What is against the calls; all of it unless said
    #[arg(long)]
    mode: Vec<Mode>,
    /// The store; unless said, one in memory and one in a file, which goes afterwards. One in
    /// memory needs a name
    #[arg(long)]
    store: Vec<String>,
    /// Workers, each a process of its own, or a runtime of its own for a store in memory
    #[arg(long, default_value_t = 3)]
    pub(super) workers: usize,
    /// How long each job takes, in milliseconds
    #[arg(long, default_value_t = 20)]
    pub(super) work_ms: u64,
    /// How long each call waits, in milliseconds
    #[arg(long, default_value_t = 30_000)]
    deadline_ms: u64,
    /// What the kills go by; at random unless said
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
