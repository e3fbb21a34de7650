//! The recordings of several processes, in one folder.

use crate::history::{History, Tape};
use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::time::{sleep, timeout};

/// Longer than processes need for their work, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// The pause between two looks at the folder.
const LOOK: Duration = Duration::from_millis(1);

/// The [`Tape`]s of processes that share a store, by number, in a folder that holds nothing else.
#[derive(Clone, Debug)]
pub struct Tapes(PathBuf);

impl Tapes {
    /// The tapes of an existing folder.
    pub fn in_folder(folder: impl AsRef<Path>) -> Self {
        Self(folder.as_ref().to_owned())
    }

    /// The path of the tape of a process.
    pub fn path(&self, number: usize) -> PathBuf {
        self.0.join(number.to_string())
    }

    /// Waits until the processes have recorded this many bytes more in total; a line has a few
    /// hundred.
    ///
    /// # Panics
    /// If they have not after two minutes, or if the folder cannot be read.
    pub async fn wait_for_more(&self, bytes: u64) {
        let wanted = self.length().expect("the folder can be read") + bytes;
        let growing = async {
            while self.length().expect("the folder can be read") < wanted {
                sleep(LOOK).await;
            }
        };
        timeout(PATIENCE, growing).await.expect("the processes go on");
    }

    /// Reads the recordings of the first `processes` processes.
    ///
    /// # Errors
    /// As [`Tape::read`].
    pub fn read(&self, processes: usize) -> io::Result<Vec<History>> {
        (0..processes).map(|number| Tape::read(&self.path(number))).collect()
    }

    fn length(&self) -> io::Result<u64> {
        self.0.read_dir()?.map(|file| Ok(file?.metadata()?.len())).sum()
    }
}
