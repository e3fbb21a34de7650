//! The processor time of a store's server, read from `/proc`.

use super::StoreKind;
use queue_e2e::cpu_time_with_children;
use std::{fs, time::Duration};

/// How long the processes of the server's program have kept processors busy: all that run on this
/// machine, and the sessions of Postgres that have ended.
pub(crate) fn server_busy(kind: StoreKind) -> Duration {
    let names: &[&str] = match kind {
        StoreKind::Postgres => &["postgres"],
        StoreKind::Redis => &["redis-server", "valkey-server"],
        StoreKind::Memory | StoreKind::Files | StoreKind::Sqlite => &[],
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|process| is_of(*process, names)).filter_map(cpu_time_with_children).sum()
}

fn is_of(process: u32, names: &[&str]) -> bool {
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    names.contains(&name.trim_end())
}
