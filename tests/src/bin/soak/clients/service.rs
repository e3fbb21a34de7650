//! `queue serve`, which is killed and started again at the same address.

use crate::failed::Failed;
use queue_testkit::proxy::lasting_address;
use std::{
    fs::OpenOptions,
    io::Write,
    net::SocketAddr,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::Stdio,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

/// The port of a server may be taken for a moment after its kill.
const STARTS_MAX: usize = 50;

/// What all servers of a store share: the program, a token and the keys of receipts.
#[derive(Debug)]
pub(crate) struct Access {
    program: PathBuf,
    directory: TempDir,
}

/// One server.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    child: Child,
    /// Kept open, so that the server can write.
    _stdout: Lines<BufReader<ChildStdout>>,
}

impl Access {
    pub(crate) async fn make(program: &Path) -> Result<Self, Failed> {
        let access = Self { program: program.to_owned(), directory: TempDir::new()? };
        let (tokens, keys) = (access.file("tokens.json"), access.file("keys.json"));
        let (tokens, keys) = (tokens.display().to_string(), keys.display().to_string());
        // The last scope is that of remote stores.
        let scopes = ["--scope", "produce", "--scope", "work", "--scope", "store"];
        let new = [&["token", "new", "--tokens", &tokens, "--queue", "*"][..], &scopes].concat();
        let token = access.ran(&new).await?;
        let mut file =
            OpenOptions::new().create_new(true).write(true).mode(0o600).open(access.token_file())?;
        file.write_all(&token)?;
        access.ran(&["token", "rotate-key", "--key-file", &keys]).await?;
        Ok(access)
    }

    pub(crate) fn token_file(&self) -> PathBuf {
        self.file("token")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    async fn ran(&self, arguments: &[&str]) -> Result<Vec<u8>, Failed> {
        let output = Command::new(&self.program).args(arguments).output().await?;
        let told = String::from_utf8_lossy(&output.stderr);
        crate::failed::require(output.status.success(), || format!("{arguments:?}: {told}"))?;
        Ok(output.stdout)
    }

    async fn served(&self, store: &str, address: SocketAddr) -> Result<Server, Failed> {
        let mut command = Command::new(&self.program);
        command.args([
            "serve",
            "--create",
            "--store",
            store,
            "--listen",
            &address.to_string(),
            "--log",
            "off",
        ]);
        command.arg("--tokens").arg(self.file("tokens.json")).arg("--key-file").arg(self.file("keys.json"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).spawn()?;
        let stdout = child.stdout.take().ok_or("a pipe")?;
        let mut stdout = BufReader::new(stdout).lines();
        let line = stdout.next_line().await?.unwrap_or_default();
        let Some(address) = line.strip_prefix("listening at http://") else {
            let output = child.wait_with_output().await?;
            return Err(format!("{line}{}", String::from_utf8_lossy(&output.stderr)).into());
        };
        Ok(Server { address: address.trim_end_matches('/').parse()?, child, _stdout: stdout })
    }
}

impl Server {
    pub(crate) async fn start(access: &Access, store: &str) -> Result<Self, Failed> {
        access.served(store, lasting_address()?).await
    }

    /// Kills it in the middle of all that it does, and starts it again.
    pub(crate) async fn replace(&mut self, access: &Access, store: &str) -> Result<(), Failed> {
        self.kill().await?;
        let mut outcome = access.served(store, self.address).await;
        for _ in 1..STARTS_MAX {
            if outcome.is_ok() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            outcome = access.served(store, self.address).await;
        }
        *self = outcome?;
        Ok(())
    }

    /// Fails if it had ended by itself.
    pub(crate) async fn kill(&mut self) -> Result<(), Failed> {
        if let Some(status) = self.child.try_wait()? {
            return Err(format!("the server ended by itself: {status}").into());
        }
        Ok(self.child.kill().await?)
    }
}
