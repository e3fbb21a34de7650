//! The bytes that a store has in files, and those that this process has written to the disk.

use crate::bed::Bed;
use anyhow::Context;
use std::{fs, path::Path};

/// Bytes of the store's files.
pub(super) fn stored(bed: &Bed) -> anyhow::Result<u64> {
    bed.files.as_ref().map_or(Ok(0), |files| under(files.path()))
}

/// Bytes that this process has sent to the disk, in whole pages, as the kernel counts them.
pub(super) fn written() -> anyhow::Result<u64> {
    let text = fs::read_to_string("/proc/self/io").context("only Linux tells how much was written")?;
    let line = text.lines().find_map(|line| line.strip_prefix("write_bytes:")).context("write_bytes")?;
    Ok(line.trim().parse()?)
}

fn under(directory: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        let (entry, metadata) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
        bytes += if metadata.is_dir() { under(&entry)? } else { metadata.len() };
    }
    Ok(bytes)
}
