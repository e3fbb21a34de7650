//! The workers of a run, as processes or runtimes, any of which can be killed and replaced.

use super::answer::{AnswerSettings, work};
use crate::failed::Failed;
use std::{env, process::Stdio};
use tokio::{
    process::{Child, Command},
    runtime::{Builder, Runtime},
};

/// The workers of one run. Dropping it kills them.
#[derive(Debug)]
pub(super) struct Fleet {
    settings: AnswerSettings,
    is_in_this_process: bool,
    workers: Vec<Member>,
    kills: usize,
}

#[derive(Debug)]
enum Member {
    Process(Child),
    Runtime { _held: WorkerRuntime },
}

/// A worker that stops at its next await when this is dropped, as if it had been killed there.
#[derive(Debug)]
struct WorkerRuntime(Option<Runtime>);

impl Fleet {
    pub(super) fn start(
        settings: AnswerSettings,
        workers: usize,
        is_in_this_process: bool,
    ) -> Result<Self, Failed> {
        let workers = (0..workers.max(1))
            .map(|_| Member::start(&settings, is_in_this_process))
            .collect::<Result<_, _>>()?;
        Ok(Self { settings, is_in_this_process, workers, kills: 0 })
    }

    pub(super) fn len(&self) -> usize {
        self.workers.len()
    }

    pub(super) fn kills(&self) -> usize {
        self.kills
    }

    /// Kills one worker and starts another in its place.
    pub(super) async fn replace(&mut self, victim: usize) -> Result<(), Failed> {
        if let Member::Process(child) = &mut self.workers[victim] {
            if let Some(status) = child.try_wait()? {
                return Err(format!("a worker ended by itself: {status}").into());
            }
            child.kill().await?;
        }
        self.workers[victim] = Member::start(&self.settings, self.is_in_this_process)?;
        self.kills += 1;
        Ok(())
    }
}

impl Member {
    fn start(settings: &AnswerSettings, is_in_this_process: bool) -> Result<Self, Failed> {
        if is_in_this_process {
            let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
            runtime.spawn(work(settings.clone()));
            return Ok(Self::Runtime { _held: WorkerRuntime(Some(runtime)) });
        }
        let child = Command::new(env::current_exe()?)
            .args(settings.arguments())
            .stdin(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self::Process(child))
    }
}

impl Drop for WorkerRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
