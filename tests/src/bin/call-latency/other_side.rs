//! The process that answers calls: how the measuring process starts it, and its work.

use crate::{Failed, store::Store};
use queue::worker::{Router, Worker, WorkerBuilder};
use std::{env, io, process::Stdio, thread};
use tokio::process::{Child, Command};

/// Starts the answering process. It ends when it is dropped, or when this process ends.
pub(crate) fn start(store: &Store) -> Result<Child, Failed> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["answer", &store.url]);
    if store.by_events_alone {
        command.arg("--by-events-alone");
    }
    Ok(command.stdin(Stdio::piped()).kill_on_drop(true).spawn()?)
}

/// Runs the answering process until it is killed, or the other end of its standard input is closed.
pub(crate) async fn answer(store: Store) -> Result<(), Failed> {
    let orphaned = || {
        drop(io::copy(&mut io::stdin(), &mut io::sink()));
        std::process::exit(0);
    };
    thread::Builder::new().name("orphan-watch".to_owned()).spawn(orphaned)?;
    let router = Router::new(()).fallback(|number: u64, _| async move { Ok(number + 1) });
    let worker = Worker::builder(store.open().await?, Store::queue_name()?, router);
    store.poll().into_iter().fold(worker, WorkerBuilder::poll_interval).build()?.run().await;
    Ok(())
}
