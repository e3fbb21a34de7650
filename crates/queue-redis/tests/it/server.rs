//! A private server, which a test may stop or kill.
#![allow(dead_code, reason = "each test file uses a part")]

use redis::{Cmd, FromRedisValue, RedisResult, aio::MultiplexedConnection};
use std::{
    collections::BTreeMap,
    env,
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

const START_MAX: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);
/// Another process may take a free port before the server does, so a start is repeated on other
/// ports.
const TRIES_MAX: usize = 5;

/// When the server flushes its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fsync {
    /// The server has no log.
    Never,
    /// The log is flushed in the background, once a second.
    EverySecond,
    /// The log is flushed before each answer.
    Always,
}

/// A process with its own directory; dropping this removes both.
pub(crate) struct Server {
    process: Child,
    port: u16,
    second_port: u16,
    fsync: Fsync,
    settings: Vec<String>,
    directory: TempDir,
}

impl Server {
    pub(crate) async fn start(fsync: Fsync) -> Self {
        Self::start_with(fsync, |_| Vec::new()).await
    }

    /// Starts a server with more settings, as a command line has them. They may use a second port,
    /// which was free too.
    pub(crate) async fn start_with(fsync: Fsync, settings: impl Fn(u16) -> Vec<String>) -> Self {
        for _ in 0..TRIES_MAX {
            let (port, second_port) = free_ports();
            let (settings, directory) = (settings(second_port), tempfile::tempdir().expect("a directory"));
            let process = spawn(port, fsync, &settings, &directory);
            let mut server = Self { process, port, second_port, fsync, settings, directory };
            if server.serves().await {
                return server;
            }
        }
        panic!("the server does not start");
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn second_port(&self) -> u16 {
        self.second_port
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Runs one command that must succeed.
    pub(crate) async fn run(&self, command: &mut Cmd) {
        self.ask::<redis::Value>(command).await.expect("it runs");
    }

    pub(crate) async fn ask<T: FromRedisValue>(&self, command: &Cmd) -> RedisResult<T> {
        command.query_async(&mut self.connect().await?).await
    }

    /// The number of connections accepted so far, including the one that asks.
    pub(crate) async fn connections_made(&self) -> u64 {
        let info = self.info("stats").await;
        let made = info.lines().find_map(|line| line.strip_prefix("total_connections_received:"));
        made.expect("it counts them").trim().parse().expect("a number")
    }

    /// How often each command was called within scripts, since the last reset of the counters.
    pub(crate) async fn calls_of_scripts(&self) -> BTreeMap<String, u64> {
        let info = self.info("commandstats").await;
        let lines = info.lines().filter_map(|line| line.strip_prefix("cmdstat_")?.split_once(":calls="));
        let calls = lines.map(|(name, rest)| {
            let calls = rest.split(',').next().expect("the first").parse().expect("a number");
            (name.to_owned(), calls)
        });
        let is_of_scripts = |name: &str| {
            !["info", "eval", "evalsha", "config|resetstat", "hello", "client|setinfo"].contains(&name)
        };
        calls.filter(|(name, _)| is_of_scripts(name)).collect()
    }

    /// The peak of memory use in bytes, since the start or the last reset of the counters.
    pub(crate) async fn memory_peak(&self) -> u64 {
        let info = self.info("memory").await;
        let peak = info.lines().find_map(|line| line.strip_prefix("used_memory_peak:"));
        peak.expect("it counts them").trim().parse().expect("a number")
    }

    /// How often the text of a script was sent, since the server did not know it.
    pub(crate) async fn texts_sent(&self) -> u64 {
        let info = self.info("commandstats").await;
        let calls = info.lines().find_map(|line| line.strip_prefix("cmdstat_eval:calls="));
        calls.and_then(|line| line.split(',').next()).map_or(0, |calls| calls.parse().expect("a number"))
    }

    /// Kills every connection of calls and hints, except the one that asks for it.
    pub(crate) async fn kill_connections(&self) {
        for kind in ["normal", "pubsub"] {
            self.run(redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg(kind).arg("SKIPME").arg("yes")).await;
        }
    }

    /// Sends a signal to this process.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(format!("-{name}")).arg(self.process.id().to_string()).status();
        assert!(status.expect("kill runs").success());
    }

    /// Kills the process like a crash, and starts it again like a supervisor.
    pub(crate) async fn kill_and_restart(&mut self) {
        self.process.kill().expect("it is killed");
        self.process.wait().expect("it ends");
        for _ in 0..TRIES_MAX {
            self.process = spawn(self.port, self.fsync, &self.settings, &self.directory);
            if self.serves().await {
                return;
            }
            sleep(PAUSE).await;
        }
        panic!("the server does not start again");
    }

    /// What the server says of its snapshots and its log.
    pub(crate) async fn persistence(&self) -> String {
        self.info("persistence").await
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    async fn info(&self, section: &str) -> String {
        self.ask(redis::cmd("INFO").arg(section)).await.expect("it answers")
    }

    async fn connect(&self) -> RedisResult<MultiplexedConnection> {
        crate::harness::connect(&redis::Client::open(self.url())?).await
    }

    /// Waits until the server serves, or has ended. Another server may answer at the port, so the
    /// answer has to come from this process.
    async fn serves(&mut self) -> bool {
        let (end, own) = (Instant::now() + START_MAX, format!("process_id:{}", self.process.id()));
        while self.process.try_wait().expect("it is a child").is_none() {
            assert!(Instant::now() < end, "the server does not serve");
            let answer = self.ask::<String>(redis::cmd("INFO").arg("server")).await;
            if answer.is_ok_and(|info| info.lines().any(|line| line == own)) {
                return true;
            }
            sleep(PAUSE).await;
        }
        false
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may stand still or have ended; either way it has ended afterwards.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Two free ports, held at once so that they differ.
fn free_ports() -> (u16, u16) {
    let listen = || TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    let (one, other) = (listen(), listen());
    let port = |listener: &TcpListener| listener.local_addr().expect("it is bound").port();
    (port(&one), port(&other))
}

fn spawn(port: u16, fsync: Fsync, settings: &[String], directory: &TempDir) -> Child {
    let program = env::var("QUEUE_TEST_REDIS_PROGRAM").unwrap_or_else(|_| "redis-server".to_owned());
    let mut command = Command::new(&program);
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]).arg("--dir");
    command.arg(directory.path()).args(settings).stdout(Stdio::null()).stderr(Stdio::null());
    match fsync {
        Fsync::Never => command.args(["--appendonly", "no"]),
        Fsync::EverySecond => command.args(["--appendonly", "yes", "--appendfsync", "everysec"]),
        Fsync::Always => command.args(["--appendonly", "yes", "--appendfsync", "always"]),
    };
    command.spawn().unwrap_or_else(|error| {
        panic!("{program} does not start ({error}); install it, or name it in QUEUE_TEST_REDIS_PROGRAM")
    })
}
