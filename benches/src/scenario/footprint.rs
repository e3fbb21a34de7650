use super::{
    job::{jobs, preload},
    setting::Setting,
    worker::builder,
};
use crate::{
    figures::Figures,
    floor,
    resident::resident_bytes,
    store::{Bed, StoreKind},
};
use queue::Retention;
use std::{fs, path::Path};

/// What so many jobs take in the store, with everything that the store keeps beside them.
pub(super) async fn run(bed: &Bed, setting: Setting, count: usize) -> anyhow::Result<Figures> {
    let before = size(bed).await?;
    preload(&*bed.storage, jobs(count, Retention::default())).await?;
    if setting == Setting::Completed {
        builder(bed.storage.clone(), Setting::Default)?.until_empty().build()?.run().await;
    }
    let what = match bed.kind {
        StoreKind::Memory => "resident memory",
        StoreKind::Redis => "used_memory of the server",
        StoreKind::Postgres => "tables and indexes",
        StoreKind::File | StoreKind::SqliteFull | StoreKind::SqliteNormal => "files",
    };
    Ok(Figures::bytes(what, size(bed).await?.saturating_sub(before), count))
}

async fn size(bed: &Bed) -> anyhow::Result<u64> {
    Ok(match bed.kind {
        StoreKind::Memory => resident_bytes(),
        StoreKind::Redis | StoreKind::Postgres => floor::size(bed).await?,
        _ => bed.files.as_ref().map_or(Ok(0), |files| files_in(files.path()))?,
    })
}

fn files_in(directory: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        let (entry, metadata) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
        bytes += if metadata.is_dir() { files_in(&entry)? } else { metadata.len() };
    }
    Ok(bytes)
}
