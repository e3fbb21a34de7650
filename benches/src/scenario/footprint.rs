//! The scenario of space: the bytes that jobs take in the store and in memory, and those written
//! for them.

use super::{job::preload, setting::Setting, worker::builder};
use crate::{
    bed::Bed,
    engine::volume,
    figures::{Figures, Reading},
    store::StoreKind,
};
use anyhow::ensure;
use queue::queue_core::Retention;
use serde::{Deserialize, Serialize};
use std::{env, process::Stdio};
use tokio::process::Command;

/// What a process of its own is to measure.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    store: StoreKind,
    setting: Setting,
    count: usize,
}

/// In a process of its own, since one that has measured before has memory to spare.
pub(super) async fn run(store: StoreKind, setting: Setting, count: usize) -> anyhow::Result<Vec<Reading>> {
    let order = serde_json::to_string(&Order { store, setting, count })?;
    let child = Command::new(env::current_exe()?)
        .args(["--footprint", &order])
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .output()
        .await?;
    ensure!(child.status.success(), "the process that measures {order} ended with {}", child.status);
    Ok(serde_json::from_slice(&child.stdout)?)
}

/// The side of that process, which prints what it read.
pub(crate) async fn obey(order: &str) -> anyhow::Result<()> {
    let Order { store, setting, count } = serde_json::from_str(order)?;
    let bed = Bed::open(store).await?;
    let readings = measure(&bed, setting, count).await;
    bed.clear().await?;
    println!("{}", serde_json::to_string(&readings?)?);
    Ok(())
}

/// What so many jobs take in the store, with everything that the store keeps beside them, in the
/// memory of this process, and what was written to get there. A completed job was a pending one
/// before, and its figures hold both.
async fn measure(bed: &Bed, setting: Setting, count: usize) -> anyhow::Result<Vec<Reading>> {
    let before = volume(bed).await?;
    preload(&*bed.storage, count, Retention::default()).await?;
    if setting == Setting::Completed {
        builder(bed.storage.clone(), Setting::Default)?.until_empty().build()?.run().await;
    }
    let after = volume(bed).await?;
    let grown = |what: &str, before: u64, after: u64| {
        Reading::part(what, Figures::bytes(after.saturating_sub(before), count))
    };
    let mut readings = vec![grown("in memory", before.resident, after.resident)];
    if bed.kind != StoreKind::Memory {
        readings.push(grown("in the store", before.stored, after.stored));
    }
    if let (Some(before), Some(after)) = (before.written, after.written) {
        readings.push(grown("written", before, after));
    }
    Ok(readings)
}
