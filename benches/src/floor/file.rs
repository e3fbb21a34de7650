//! The floor of the files store: records appended to a file, with a sync for each call.

use crate::{bed::Bed, scenario::payload};
use async_trait::async_trait;
use std::{fs::File, io::Write};

/// A file that records are appended to, as in a journal: storing a job, taking it and removing it
/// are a record each.
pub(super) struct FileFloor {
    file: File,
    left: usize,
}

impl FileFloor {
    pub(super) fn create(bed: &Bed) -> anyhow::Result<Self> {
        Ok(Self { file: File::create(bed.beside("floor")?)?, left: 0 })
    }

    fn append(&mut self, bytes: &str) -> anyhow::Result<()> {
        self.file.write_all(bytes.as_bytes())?;
        Ok(self.file.sync_data()?)
    }
}

#[async_trait]
impl super::Floor for FileFloor {
    async fn insert(&mut self, payloads: &[String]) -> anyhow::Result<()> {
        self.append(&payloads.concat())?;
        self.left += payloads.len();
        Ok(())
    }

    async fn take(&mut self, count: usize) -> anyhow::Result<usize> {
        let count = count.min(self.left);
        if count > 0 {
            self.append(&payload(0).repeat(count))?;
            self.left -= count;
        }
        Ok(count)
    }

    async fn cycle(&mut self, count: usize) -> anyhow::Result<usize> {
        let count = count.min(self.left);
        if count > 0 {
            self.append(&payload(0).repeat(count))?;
        }
        self.take(count).await
    }
}
