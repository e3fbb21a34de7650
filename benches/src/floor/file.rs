use crate::{clock::now, store::Bed};
use anyhow::Context;
use std::{fs::File, io::Write, time::Duration};

/// Appends records and flushes them to the disk, so many at a time.
pub(super) fn append(bed: &Bed, payloads: &[String], batch: usize) -> anyhow::Result<Duration> {
    let files = bed.files.as_ref().context("this store has files")?;
    let mut file = File::create(files.path().join("floor"))?;
    let started = now();
    for batch in payloads.chunks(batch) {
        file.write_all(batch.concat().as_bytes())?;
        file.sync_data()?;
    }
    Ok(started.elapsed())
}
