//! The measured process: a store, the load on it, and the dashboard before it.

use crate::{counted::CountedStore, load};
use anyhow::Context as _;
use queue_http::{AccessControl, Address, BrowserRules, Door, RequestLimits, Server, ServerOptions};
use queue_web::{AccessPolicy, Dashboard};
use std::{process::Stdio, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// What the process counted from its beginning on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    /// Jobs completed.
    pub(crate) jobs: u64,
    /// Calls of the store that pages made.
    pub(crate) calls: u64,
}

/// The measured process; dropping it ends it.
pub(crate) struct ServerProcess {
    child: Child,
    ask: ChildStdin,
    said: Lines<BufReader<ChildStdout>>,
    pub(crate) address: String,
}

impl ServerProcess {
    /// Starts this program once more, before the store at this URL.
    pub(crate) async fn start(url: &str, rate: u64) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--serve", url, "--rate", &rate.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (ask, said) =
            (child.stdin.take().context("an input")?, child.stdout.take().context("an output")?);
        let mut said = BufReader::new(said).lines();
        let address = said.next_line().await?.context("it did not start")?;
        Ok(Self { child, ask, said, address })
    }

    /// The number of the process, as `/proc` has it.
    pub(crate) fn id(&self) -> String {
        self.child.id().map_or_else(String::new, |id| id.to_string())
    }

    pub(crate) async fn tally(&mut self) -> anyhow::Result<Tally> {
        self.ask.write_all(b"\n").await?;
        let line = self.said.next_line().await?.context("it ended")?;
        let (jobs, calls) = line.split_once(' ').context("two numbers")?;
        Ok(Tally { jobs: jobs.parse()?, calls: calls.parse()? })
    }
}

/// Serves until standard input ends; a line of it asks for the numbers.
pub(crate) async fn serve(url: &str, rate: u64) -> anyhow::Result<()> {
    let storage = queue::open(url).await?;
    let counted = Arc::new(CountedStore::new(storage.clone()));
    let door = AccessControl::without_tokens(BrowserRules::default(), RequestLimits::default());
    let dashboard = Dashboard::new(counted.clone() as Arc<dyn queue::Storage>);
    let dashboard = dashboard.access(AccessPolicy::of_door(door));
    let address: Address = "127.0.0.1:0".parse()?;
    let server: Server = ServerOptions::new([address], Door::Anybody).bind().await?;
    let addresses = server.addresses()?;
    println!("{}", addresses.first().context("it listens")?);
    let done = Arc::new(load::Done::default());
    let answers = async {
        let mut asked = BufReader::new(tokio::io::stdin()).lines();
        while let Ok(Some(_)) = asked.next_line().await {
            println!("{} {}", done.jobs(), counted.calls());
        }
    };
    tokio::select! {
        _cut = server.run(dashboard) => {}
        ended = load::run(storage.clone(), rate, done.clone()) => ended?,
        () = answers => {}
    }
    storage.close().await?;
    Ok(())
}
