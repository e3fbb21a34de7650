//! A private server with default durability, which a test may stop or kill.
#![allow(dead_code, reason = "each test file uses a part")]

use super::common::server::{Failure, url};
use queue_core::{Rng, SystemRng};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::{
    fs::{self, File},
    net::TcpListener,
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

const START_MAX: Duration = Duration::from_mins(1);
/// Another process may take a free port before the server does, so a start is repeated on another
/// port.
const TRIES_MAX: usize = 5;
/// Postgres refuses to run as root, and every Unix has this account.
const UNPRIVILEGED: &str = "nobody";

/// A cluster in its own directory, and the server that runs on it; dropping this removes both.
#[derive(Debug)]
pub(crate) struct PrivateServer {
    process: Option<Child>,
    programs: PathBuf,
    port: u16,
    password: String,
    directory: TempDir,
    account: Option<(u32, u32)>,
}

impl PrivateServer {
    /// Starts a server from the programs of the test server, so that it has the same version.
    /// `None` if the environment skips it.
    pub(crate) async fn start() -> Option<Self> {
        let url = url()?;
        let programs = programs(&url).await.expect("a superuser may ask where the programs are");
        let directory = tempfile::tempdir().expect("a directory");
        let password = format!("{:032x}", SystemRng.next_u128());
        let account = account(&directory);
        let mut server = Self { process: None, programs, port: 0, password, directory, account };
        server.make_cluster();
        for _ in 0..TRIES_MAX {
            server.port = free_port();
            if server.serves().await {
                return Some(server);
            }
        }
        panic!("the server does not start");
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://queue:{}@127.0.0.1:{}/postgres", self.password, self.port)
    }

    pub(crate) fn password(&self) -> &str {
        &self.password
    }

    /// A connection for the test.
    pub(crate) async fn connect(&self) -> sqlx::Result<PgConnection> {
        PgConnection::connect(&self.url()).await
    }

    pub(crate) async fn execute(&self, text: &str) {
        let mut connection = self.connect().await.expect("the server answers");
        sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut connection).await.expect("the statement is fine");
    }

    /// Stops the server like `pg_ctl stop -m immediate`: every session is cut, nothing is flushed,
    /// and the next start recovers from the log.
    pub(crate) fn stop_at_once(&mut self) {
        self.stop("QUIT");
    }

    /// Stops the server in good order, without waiting for sessions.
    pub(crate) fn stop_in_order(&mut self) {
        self.stop("INT");
    }

    /// Makes the server follow a primary from the next start on, so that it is read-only.
    pub(crate) fn make_standby(&self) {
        File::create(self.data().join("standby.signal")).expect("there is room for an empty file");
    }

    /// Starts the server again on the same port, and waits until it serves.
    pub(crate) async fn run(&mut self) {
        for _ in 0..TRIES_MAX {
            if self.serves().await {
                return;
            }
        }
        panic!("the server does not start again");
    }

    /// Starts the server, and waits until it serves or has ended. Its password is its own, so no
    /// other server can answer in its place.
    async fn serves(&mut self) -> bool {
        assert!(self.process.is_none(), "it runs already");
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).arg("-p").arg(self.port.to_string());
        command.args(["-c", "listen_addresses=127.0.0.1,::1"]);
        command.arg("-c").arg(format!("unix_socket_directories={}", self.sockets().display()));
        self.process = Some(command.spawn().expect("the program starts"));
        timeout(START_MAX, self.answers()).await.expect("the server serves")
    }

    async fn answers(&mut self) -> bool {
        while self.connect().await.is_err() {
            let process = self.process.as_mut().expect("it was started");
            if process.try_wait().expect("it is a child").is_some() {
                self.process = None;
                return false;
            }
            sleep(Duration::from_millis(10)).await;
        }
        true
    }

    /// The program replaces its shell, so that the signal reaches it.
    fn stop(&mut self, signal: &str) {
        let mut process = self.process.take().expect("it runs");
        let id = process.id().to_string();
        let sent = Command::new("kill").arg(format!("-{signal}")).arg(id).status();
        assert!(sent.expect("kill runs").success());
        process.wait().expect("it ends");
    }

    fn make_cluster(&self) {
        let password = self.directory.path().join("password");
        fs::write(&password, &self.password).expect("there is room for a password");
        let mut command = self.command("initdb");
        command.arg("--pgdata").arg(self.data()).arg("--pwfile").arg(password);
        command.args(["--username", "queue", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]);
        assert!(command.status().expect("initdb runs").success());
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(self.directory.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some((user, group)) = self.account {
            command.uid(user).gid(group);
        }
        command
    }

    /// The directory of its socket.
    pub(crate) fn sockets(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        if self.process.is_some() {
            self.stop("QUIT");
        }
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    listener.local_addr().expect("it is bound").port()
}

async fn programs(url: &str) -> Result<PathBuf, Failure> {
    let mut connection = PgConnection::connect(url).await?;
    let query = "SELECT setting FROM pg_config() WHERE name = 'BINDIR'";
    let (programs,): (String,) = sqlx::query_as(query).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(programs.into())
}

/// Another account if the test runs as root; the directory is given to it.
fn account(directory: &TempDir) -> Option<(u32, u32)> {
    let is_root = fs::metadata(directory).expect("it was made").uid() == 0;
    is_root.then(|| {
        let (user, group) = (id("-u"), id("-g"));
        chown(directory, Some(user), Some(group)).expect("root may");
        (user, group)
    })
}

fn id(which: &str) -> u32 {
    let answer = Command::new("id").args([which, UNPRIVILEGED]).output().expect("id runs");
    String::from_utf8_lossy(&answer.stdout).trim().parse().expect("a number")
}
