//! What the driver asks of one process.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::workload::Workload;

/// Where the empty store is: the URL of a server, or a folder. Nothing for stores in memory.
const PLACE: &str = "PEER_PLACE";
/// The folder of the sources of the peer's library.
const SOURCE: &str = "PEER_SOURCE";

/// How a library is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// As its README does.
    Default,
    /// As its documentation recommends for throughput.
    Tuned,
}

/// One measurement.
#[derive(Clone, Debug)]
pub struct Setup {
    /// `memory`, `files`, `sqlite`, `postgres` or `redis`.
    pub store: String,
    place: String,
    pub(crate) workload: Workload,
    pub(crate) profile: Profile,
    /// How many jobs to drain, or how many times to measure a latency.
    pub(crate) jobs: u64,
    /// After this long a measurement ends with what it has.
    pub(crate) cap: Duration,
}

impl Setup {
    /// From the command line: `STORE WORKLOAD PROFILE JOBS SECONDS`.
    pub(crate) fn from_arguments() -> Result<Self> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let [store, workload, profile, jobs, seconds] = arguments.as_slice() else {
            bail!("usage: STORE WORKLOAD default|tuned JOBS SECONDS, with {PLACE} set");
        };
        Ok(Self {
            store: store.clone(),
            place: std::env::var(PLACE).unwrap_or_default(),
            workload: workload.parse()?,
            profile: profile.parse()?,
            jobs: jobs.parse().context("JOBS is a number")?,
            cap: Duration::from_secs(seconds.parse().context("SECONDS is a number")?),
        })
    }

    /// The URL of the server.
    pub fn url(&self) -> &str {
        &self.place
    }

    /// A file, or a folder to be, in the folder that the driver made for this measurement.
    pub fn path(&self, name: &str) -> PathBuf {
        Path::new(&self.place).join(name)
    }

    /// SQL that a library has among its sources, for its users to copy: all files of a folder whose
    /// names end so, in the order of their paths.
    pub fn sql_of_library(&self, folder: &str, ending: &str) -> Result<Vec<String>> {
        let source = std::env::var_os(SOURCE).with_context(|| format!("{SOURCE} is not set"))?;
        let mut files = Vec::new();
        collect(&Path::new(&source).join(folder), ending, &mut files)?;
        files.sort();
        ensure!(!files.is_empty(), "no file *{ending} in {folder} of the library");
        files.iter().map(|file| Ok(std::fs::read_to_string(file)?)).collect()
    }

    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// What will be measured. Only the floor asks, since some rows have none; a queue is the same
    /// in every row.
    pub fn workload(&self) -> Workload {
        self.workload
    }

    /// True if a caller will wait for results, for which some libraries need a connection.
    pub fn waits_for_results(&self) -> bool {
        matches!(self.workload, Workload::Call | Workload::CallC50)
    }
}

fn collect(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, ending, files)?;
        } else if path.to_string_lossy().ends_with(ending) {
            files.push(path);
        }
    }
    Ok(())
}

impl FromStr for Profile {
    type Err = anyhow::Error;

    fn from_str(word: &str) -> Result<Self> {
        match word {
            "default" => Ok(Self::Default),
            "tuned" => Ok(Self::Tuned),
            _ => bail!("no profile {word}"),
        }
    }
}
