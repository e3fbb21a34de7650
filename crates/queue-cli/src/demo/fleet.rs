//! The worker processes of the demo: how they are started, stopped for a moment, killed and watched
//! for their end.

use super::place::Place;
use crate::exit::{CliError, Exit};
use queue::{Rng, SystemRng, WorkerId};
use rustix::process::{Pid, Signal, kill_process};
use std::{env, fs, io, process::Stdio};
use tokio::process::{Child, Command};

/// Most of a worker's complaints that are shown.
const COMPLAINT_BYTES_MAX: usize = 2000;

/// The worker processes. Dropping it kills those that still run.
#[derive(Debug)]
pub(super) struct Fleet {
    workers: Vec<WorkerProcess>,
}

#[derive(Debug)]
pub(super) struct WorkerProcess {
    pub(super) id: WorkerId,
    pub(super) pid: u32,
    child: Child,
}

impl Fleet {
    /// Starts this very program again, several times.
    pub(super) fn start(workers: usize, place: &Place) -> Result<Self, CliError> {
        let workers =
            (0..workers).map(|worker| WorkerProcess::start(worker, place)).collect::<io::Result<_>>();
        Ok(Self { workers: workers.map_err(|error| CliError::from(error).context("cannot start a worker"))? })
    }

    pub(super) fn workers(&self) -> &[WorkerProcess] {
        &self.workers
    }

    /// Kills one with SIGKILL, and waits until it is dead.
    pub(super) async fn kill(&mut self, worker: usize) -> io::Result<()> {
        self.workers[worker].child.kill().await
    }

    /// True once every worker but the killed one has ended well; an error if one did not.
    pub(super) fn is_done(&mut self, killed: Option<usize>, place: &Place) -> Result<bool, CliError> {
        let mut is_done = true;
        for (number, worker) in self.workers.iter_mut().enumerate() {
            match worker.child.try_wait()? {
                _ if killed == Some(number) => {}
                None => is_done = false,
                Some(status) if status.success() => {}
                Some(status) => {
                    let complaints = complaints(place, number);
                    let message = format!("worker {number} ended with {status}: {complaints}");
                    return Err(CliError::new(Exit::Negative, message));
                }
            }
        }
        Ok(is_done)
    }
}

impl WorkerProcess {
    fn start(number: usize, place: &Place) -> io::Result<Self> {
        let (log, complaints) = (place.log(number), place.complaints(number));
        // The reader must find it, even if the process takes its time.
        fs::File::create(&log)?;
        let id =
            WorkerId::new(format!("demo-{number}-{:016x}", SystemRng.next_u64())).expect("plain characters");
        let child = Command::new(env::current_exe()?)
            .args(["demo-worker", "--store", &place.url, "--queue", place.jobs.name().as_str()])
            .args(["--id", id.as_str(), "--log"])
            .arg(log)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(complaints)?)
            .kill_on_drop(true)
            .spawn()?;
        let pid = child.id().ok_or_else(|| io::Error::other("the worker ended at once"))?;
        Ok(Self { id, pid, child })
    }

    /// Stops the process where it stands, or lets it go on.
    pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
        let pid = self.child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let pid = pid.ok_or_else(|| io::Error::other("the worker has ended"))?;
        Ok(kill_process(pid, signal)?)
    }
}

fn complaints(place: &Place, worker: usize) -> String {
    let text = fs::read_to_string(place.complaints(worker)).unwrap_or_default();
    let text = text.trim();
    text[text.ceil_char_boundary(text.len().saturating_sub(COMPLAINT_BYTES_MAX))..].to_owned()
}
