//! A worker of one client: a program of its own, or for Rust a part of this one.

use super::QUEUE;
use crate::failed::{Failed, require};
use clap::ValueEnum;
use queue::{
    Queue, RemoteOptions, RemoteStorage,
    worker::{Context, Router, WorkerReport},
};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
};
use tokio::{
    process::{Child, Command},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// How many handlers of a worker run at once.
const CONCURRENCY: usize = 8;

/// The clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// A worker of the library over a remote store
    Rust,
    /// `queue work --server`
    Queue,
    Python,
    Node,
}

pub(super) struct Programs<'a> {
    pub(super) queue: &'a Path,
    pub(super) python: &'a Path,
    pub(super) node: &'a Path,
    pub(super) clients: &'a Path,
}

/// What a worker needs to know.
pub(super) struct Place {
    pub(super) url: String,
    pub(super) token_file: PathBuf,
    /// Where each start of a handler adds a line with the id of its job.
    pub(super) runs: PathBuf,
    /// What the worker says to people.
    pub(super) told: PathBuf,
}

/// A worker that runs. Dropping it kills its process.
pub(super) enum Running {
    Process { child: Child, told: PathBuf },
    Here { stop: CancellationToken, running: JoinSet<WorkerReport> },
}

impl Running {
    pub(super) async fn start(
        language: Language,
        programs: &Programs<'_>,
        place: &Place,
    ) -> Result<Self, Failed> {
        let (clients, concurrency) = (programs.clients, CONCURRENCY.to_string());
        let mut command = match language {
            Language::Rust => return here(place).await,
            Language::Queue => {
                let mut command = Command::new(programs.queue);
                let exec = format!("echo \"$QUEUE_ID\" >> '{}'", place.runs.display());
                command.args(["work", "--queue", QUEUE, "--exec", &exec, "--concurrency", &concurrency]);
                command.arg("--server").arg(&place.url).arg("--token-file").arg(&place.token_file);
                command
            }
            Language::Python => {
                let mut command = Command::new(programs.python);
                command.arg(clients.join("python/tests/page_worker.py"));
                command.env("PYTHONPATH", clients.join("python/src")).env("PYTHONDONTWRITEBYTECODE", "1");
                command
            }
            Language::Node => {
                let mut command = Command::new(programs.node);
                command.arg(clients.join("node/tests/page-worker.js"));
                command
            }
        };
        command.env("QUEUE_URL", &place.url).env("QUEUE_TOKEN_FILE", &place.token_file);
        command.env("QUEUE_RUNS", &place.runs).env("QUEUE_CONCURRENCY", concurrency);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&place.told)?);
        Ok(Self::Process { child: command.kill_on_drop(true).spawn()?, told: place.told.clone() })
    }

    /// Fails if it has ended by itself.
    pub(super) fn check(&mut self) -> Result<(), Failed> {
        match self {
            Self::Process { child, told } => match child.try_wait()? {
                None => Ok(()),
                Some(status) => {
                    let told = fs::read_to_string(told).unwrap_or_default();
                    Err(format!("it ended by itself: {status}\n{told}").into())
                }
            },
            Self::Here { running, .. } => match running.try_join_next() {
                None => Ok(()),
                Some(report) => Err(format!("it ended by itself: {:?}", report?).into()),
            },
        }
    }

    /// Asks it to end, and waits until it has.
    pub(super) async fn stop(self) -> Result<(), Failed> {
        match self {
            Self::Process { mut child, told } => {
                let pid =
                    child.id().and_then(|id| Pid::from_raw(id.cast_signed())).ok_or("it was waited for")?;
                kill_process(pid, Signal::TERM)?;
                let status = child.wait().await?;
                let told = || fs::read_to_string(&told).unwrap_or_default();
                require(status.success(), || format!("it ended with {status}\n{}", told()))
            }
            Self::Here { stop, mut running } => {
                stop.cancel();
                let report = running.join_next().await.ok_or("it was waited for")??;
                require(report.error.is_none(), || format!("{report:?}"))
            }
        }
    }
}

async fn here(place: &Place) -> Result<Running, Failed> {
    let options = RemoteOptions::new(&place.url)?.token_file(&place.token_file);
    // The first call may get a page too.
    let store = loop {
        match RemoteStorage::open(options.clone()).await {
            Ok(store) => break store,
            Err(error) if error.is_transient() => {}
            Err(error) => return Err(error.into()),
        }
    };
    let queue: Queue<u64> = Queue::new(Arc::new(store), QUEUE)?;
    let runs = Arc::new(OpenOptions::new().create(true).append(true).open(&place.runs)?);
    let router = Router::new(runs).handle("default", |_: u64, context: Context<Arc<File>>| async move {
        // One write each, as other programs append to the file as well.
        (&**context.state()).write_all(format!("{}\n", context.meta().id).as_bytes())?;
        Ok(())
    })?;
    // Batches would make few calls of many jobs.
    let worker = queue.worker(router).concurrency(CONCURRENCY).prefetch(0).settle_batch_max(1).build()?;
    let (stop, mut running) = (worker.stop_token(), JoinSet::new());
    running.spawn(worker.run());
    Ok(Running::Here { stop, running })
}
