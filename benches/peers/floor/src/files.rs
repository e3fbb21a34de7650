//! The floor of files: lines appended to one file, with an `fdatasync` for each call.

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::Result;
use peers_common::{NotOffered, Peer, Producer, Profile, Setup};

use crate::writer::Writer;
use crate::{ENQUEUE, json, require, settings};

pub(crate) struct FilesFloor {
    path: PathBuf,
    file: Writer<File>,
}

impl Peer for FilesFloor {
    type Producer = FilesProducer;

    async fn open(setup: &Setup) -> Result<Self> {
        require(setup, &[ENQUEUE])?;
        let path = setup.path("floor.jsonl");
        let file = File::options().create_new(true).append(true).open(&path)?;
        Ok(Self { file: Writer::new(file), path })
    }

    fn producer(&self) -> FilesProducer {
        FilesProducer(self.file.clone())
    }

    async fn start_worker(&self, _: Profile) -> Result<()> {
        Err(NotOffered.into())
    }

    async fn unfinished(&self) -> Result<u64> {
        let bytes = std::fs::read(&self.path)?;
        Ok(bytes.iter().filter(|byte| **byte == b'\n').count() as u64)
    }

    fn settings(&self, profile: Profile) -> String {
        settings(profile, "an append and fdatasync a call, callers one after the other")
    }
}

pub(crate) struct FilesProducer(Writer<File>);

impl Producer for FilesProducer {
    async fn enqueue(&mut self, n: u64) -> Result<()> {
        self.enqueue_many(n..n + 1).await
    }

    async fn enqueue_many(&mut self, numbers: Range<u64>) -> Result<()> {
        let mut lines = Vec::new();
        for n in numbers {
            lines.extend(json(n)?);
            lines.push(b'\n');
        }
        let append = |file: &mut File| {
            file.write_all(&lines)?;
            Ok(file.sync_data()?)
        };
        self.0.run(append).await
    }
}
