//! Something that runs until it is killed: a process of this program, or a runtime where the store
//! is in the memory of this process.

use crate::failed::Failed;
use std::{env, process::Stdio};
use tokio::{
    process::{Child, ChildStdout, Command},
    runtime::{Builder, Runtime},
};

/// Dropping it kills what runs.
#[derive(Debug)]
pub(crate) enum Runner {
    Process(Child),
    Runtime(Option<Runtime>),
}

impl Runner {
    /// Starts this program with other arguments.
    pub(crate) fn process(arguments: &[&str]) -> Result<Self, Failed> {
        let child = Command::new(env::current_exe()?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self::Process(child))
    }

    /// Starts a future that stops at its next await when it is killed.
    pub(crate) fn runtime(future: impl Future<Output: Send> + Send + 'static) -> Result<Self, Failed> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let _detached = runtime.spawn(async {
            drop(future.await);
        });
        Ok(Self::Runtime(Some(runtime)))
    }

    /// The standard output of a process, once.
    pub(crate) fn output(&mut self) -> Option<ChildStdout> {
        match self {
            Self::Process(child) => child.stdout.take(),
            Self::Runtime(_) => None,
        }
    }

    /// The number of the process.
    pub(crate) fn process_id(&self) -> Option<u32> {
        match self {
            Self::Process(child) => child.id(),
            Self::Runtime(_) => None,
        }
    }

    /// Waits for a process that ends by itself, so that its processor time counts.
    pub(crate) async fn wait(mut self) -> Result<(), Failed> {
        if let Self::Process(child) = &mut self {
            let status = child.wait().await?;
            return if status.success() { Ok(()) } else { Err(format!("it ended with {status}").into()) };
        }
        Ok(())
    }

    /// Kills it, with SIGKILL if it is a process, and fails if it had ended by itself.
    pub(crate) async fn kill(mut self) -> Result<(), Failed> {
        if let Self::Process(child) = &mut self {
            if let Some(status) = child.try_wait()? {
                return Err(format!("the process ended by itself: {status}").into());
            }
            child.kill().await?;
        }
        Ok(())
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        if let Self::Runtime(runtime) = self
            && let Some(runtime) = runtime.take()
        {
            runtime.shutdown_background();
        }
    }
}
