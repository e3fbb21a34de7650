//! The worker as a child process: started, followed by the lines that it prints, and killed.

use crate::Result;
use std::{env, path::Path, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

/// A report takes milliseconds. After this long there will be none.
const PATIENCE: Duration = Duration::from_secs(20);

/// This program once more, as a worker.
pub(crate) struct WorkerProcess {
    child: Child,
    tells: Lines<BufReader<ChildStdout>>,
}

impl WorkerProcess {
    /// Starts it, and waits until it works.
    pub(crate) async fn start(place: &Path) -> Result<Self> {
        let mut command = Command::new(env::current_exe()?);
        let mut child = command.arg(place).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let stdout = child.stdout.take().expect("it was asked for");
        let mut worker = Self { child, tells: BufReader::new(stdout).lines() };
        worker.line().await?;
        Ok(worker)
    }

    /// Waits for the next report, until the store has it that the job is done, and answers what the
    /// worker says of it.
    pub(crate) async fn next_report(&mut self) -> Result<String> {
        let report = self.line().await?;
        self.line().await?;
        Ok(report)
    }

    /// With SIGKILL: it settles nothing, closes nothing and retires from nothing.
    pub(crate) async fn kill(mut self) -> Result {
        Ok(self.child.kill().await?)
    }

    async fn line(&mut self) -> Result<String> {
        let line =
            timeout(PATIENCE, self.tells.next_line()).await.map_err(|_| "the worker makes no report")?;
        Ok(line?.ok_or("the worker's process ended by itself")?)
    }
}
