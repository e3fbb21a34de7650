//! The service in a process of its own.

use anyhow::Context as _;
use queue::{SystemRng, queue_core::lifecycle::Policy};
use queue_http::{
    AccessControl, Address, BrowserRules, Door, NewToken, ReceiptKeys, RequestLimits, Scope, Server,
    ServerOptions, Service, ServiceLimits, Tokens,
};
use std::{path::Path, process::Stdio, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, Command},
};

/// A service that runs until this is dropped.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) address: String,
    pub(crate) token: String,
    /// It may look at the queue `guest`, and work there.
    pub(crate) guest: String,
}

impl ServerProcess {
    /// Starts this program once more, before the store at this URL.
    pub(crate) async fn start(url: &str, folder: &Path) -> anyhow::Result<Self> {
        let tokens = folder.join("tokens.json");
        let all = NewToken::new([Scope::Produce, Scope::Work], ["*".parse()?]);
        let guest = NewToken::new([Scope::View, Scope::Work], ["guest".parse()?]);
        let [token, guest] = [
            queue_http::add_token(&tokens, all, &SystemRng)?,
            queue_http::add_token(&tokens, guest, &SystemRng)?,
        ]
        .map(|token| token.reveal());
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--serve")
            .args([url.as_ref(), tokens.as_os_str()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let said = child.stdout.take().context("it has an output")?;
        let address = BufReader::new(said).lines().next_line().await?.context("it did not start")?;
        Ok(Self { child, address, token, guest })
    }

    /// The number of the process, as `/proc` has it.
    pub(crate) fn id(&self) -> String {
        self.child.id().map_or_else(String::new, |id| id.to_string())
    }
}

/// Serves until standard input ends.
pub(crate) async fn serve(url: &str, tokens: &Path) -> anyhow::Result<()> {
    let storage = queue::open(url).await?;
    let keys = Arc::new(ReceiptKeys::generate(&SystemRng));
    let service = Service::with(storage.clone(), keys, ServiceLimits::default(), Policy::default());
    let tokens = Arc::new(Tokens::load(tokens)?);
    let address: Address = "127.0.0.1:0".parse()?;
    let server: Server = ServerOptions::new([address], Door::Tokens(tokens.clone())).bind().await?;
    let addresses = server.addresses()?;
    println!("{}", addresses.first().context("it listens")?);
    let control = AccessControl::with_tokens(tokens, BrowserRules::default(), RequestLimits::default());
    let mut asked = tokio::io::stdin();
    let mut unread = [0; 1];
    tokio::select! {
        _cut = server.run(control.guard(&service)) => {}
        _ended = asked.read(&mut unread) => {}
    }
    storage.close().await?;
    Ok(())
}
