//! Sends scripts to the server, and sends them again where that is safe.

use crate::{
    endpoint::Endpoint,
    error::{Phase, TOO_FEW_REPLICAS, explain, passes_soon, unreachable},
    link::{CallConnection, LentMaster, Link},
    options::Replicas,
    script::Script,
};
use queue_core::{Error, ErrorKind, Result};
use redis::{
    Cmd, ErrorKind as RedisKind, FromRedisValue, Pipeline, RedisError, RedisResult, ServerErrorKind, Value,
};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tracing::debug;

/// How long the cross-check of a queue may take.
const AUDIT_TIMEOUT: Duration = Duration::from_secs(600);
/// How often a call that a Cluster refuses for the moment is sent again.
const RETRIES_MAX: u32 = 24;
/// The first pause before that; it doubles up to the longest.
const PAUSE_MIN: Duration = Duration::from_millis(5);
const PAUSE_MAX: Duration = Duration::from_millis(250);

/// Runs scripts on a link.
#[derive(Debug)]
pub(crate) struct Client {
    endpoint: Endpoint,
    link: Link,
    replicas: Option<Replicas>,
    is_closed: AtomicBool,
}

/// A master, which is asked about itself.
pub(crate) struct Master<'a> {
    link: &'a Link,
    operation: &'static str,
    /// Its host and port; `None` where there is only one server.
    pub(crate) address: Option<String>,
    connection: Result<CallConnection>,
}

/// What a script does, which decides how it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Reads,
    /// The script writes, so replicas are waited for.
    Writes,
    /// Leases and the like, which are only done again if a failover loses them. No replica is
    /// waited for: a caller that never saw the answer would let go of jobs that are leased to it,
    /// and each would be charged a stall.
    WritesLightly,
    /// The script reads everything of a queue, so its answer may take long.
    Audits,
    /// The script that opens a store. Its text is sent whole, so that a user without that right
    /// gets the error now, and not when the server has forgotten a script.
    Opens,
}

/// One run of a script.
#[derive(Debug)]
pub(crate) struct ScriptRun<'a> {
    /// The verb, for error messages.
    pub(crate) operation: &'static str,
    pub(crate) script: &'static Script,
    pub(crate) keys: &'a [String],
    pub(crate) args: &'a [Vec<u8>],
    pub(crate) access: Access,
}

impl Client {
    pub(crate) fn new(endpoint: Endpoint, link: Link, replicas: Option<Replicas>) -> Self {
        Self { endpoint, link, replicas, is_closed: AtomicBool::new(false) }
    }

    /// Sends it, with the whole text if the server does not know the script, and again while a
    /// Cluster says that it will take it soon. Nothing else is repeated, since the outcome would be
    /// unknown: that is for the caller to judge.
    pub(crate) async fn run(&self, run: &ScriptRun<'_>) -> Result<Value> {
        let mut pause = PAUSE_MIN;
        for _ in 0..RETRIES_MAX {
            match self.try_run(run).await? {
                Ok(value) => return Ok(value),
                Err(error) if passes_soon(&error) => {
                    debug!(operation = run.operation, kind = ?error.kind(), "a script is sent again soon");
                    tokio::time::sleep(pause).await;
                    pause = PAUSE_MAX.min(pause * 2);
                }
                Err(error) => return Err(explain(run.operation, Phase::Sent, error)),
            }
        }
        let message = "the server went on redirecting or refusing the call; try again";
        Err(Error::new(ErrorKind::Unavailable, run.operation, message))
    }

    /// Connects to every master, at most so many, for commands about the server rather than about
    /// keys.
    pub(crate) async fn masters(&self, operation: &'static str, most: usize) -> Result<Vec<Master<'_>>> {
        self.check_open(operation)?;
        let lent = self.link.connect_all(most).await;
        let lent = lent.map_err(|error| unreachable(operation, &self.endpoint, error))?;
        let connected = |lent: LentMaster<CallConnection>| Master {
            link: &self.link,
            operation,
            address: lent.address,
            connection: lent.connection.map_err(|error| unreachable(operation, &self.endpoint, error)),
        };
        Ok(lent.into_iter().map(connected).collect())
    }

    /// How many replicas a write waits for.
    pub(crate) fn replicas(&self) -> Option<Replicas> {
        self.replicas
    }

    /// Fails once the handle is closed.
    pub(crate) fn check_open(&self, operation: &'static str) -> Result<()> {
        if self.is_closed.load(Ordering::Acquire) { Err(Error::closed(operation)) } else { Ok(()) }
    }

    /// Lets go of connections; calls on their way still get their answers.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.link.close();
    }

    async fn try_run(&self, run: &ScriptRun<'_>) -> Result<RedisResult<Value>> {
        self.check_open(run.operation)?;
        let key = run.keys.first().expect("every script has a key");
        let connection = self.link.connect(key).await;
        let mut connection = connection.map_err(|error| unreachable(run.operation, &self.endpoint, error))?;
        if run.access == Access::Audits {
            connection.be_patient(AUDIT_TIMEOUT);
        }
        let first = if run.access == Access::Opens { by_text(run) } else { by_name(run) };
        let mut outcome = self.send(&mut connection, run, &first).await;
        if outcome.as_ref().is_err_and(is_unknown_script) {
            debug!(operation = run.operation, "the server does not know a script; its text is sent");
            // The text itself, not SCRIPT LOAD first: in between it might be flushed again.
            outcome = self.send(&mut connection, run, &by_text(run)).await;
        }
        if let Err(redirected) = &outcome
            && is_asked_elsewhere(redirected)
        {
            debug!(operation = run.operation, "the queue is on another node; the script is sent there");
            let elsewhere = self.link.connect_elsewhere(&connection, redirected).await;
            connection = elsewhere.map_err(|error| unreachable(run.operation, &self.endpoint, error))?;
            // The other node may not know the script.
            outcome = connection.ask(&by_text(run)).await;
        }
        if let Err(error) = &outcome {
            self.link.give_up(&connection, error);
        }
        Ok(outcome)
    }

    async fn send(
        &self,
        connection: &mut CallConnection,
        run: &ScriptRun<'_>,
        command: &Cmd,
    ) -> RedisResult<Value> {
        let Some(replicas) = self.replicas.filter(|_| run.access == Access::Writes) else {
            return connection.send(command).await;
        };
        let mut both = Pipeline::new();
        both.add_command(command.clone()).cmd("WAIT").arg(replicas.count).arg(millis(replicas.timeout));
        let mut answers = connection.send_all(&both).await?.into_iter();
        match (answers.next(), answers.next()) {
            (Some(Value::ServerError(refused)), _) => Err(refused.into()),
            (Some(answer), Some(Value::Int(reached))) if reached >= i64::from(replicas.count) => Ok(answer),
            // This is no I/O error, since the connection is as good as before.
            _ => Err(redis::make_extension_error(TOO_FEW_REPLICAS.to_owned(), None)),
        }
    }
}

impl Master<'_> {
    /// Sends a command about the server.
    pub(crate) async fn ask<T: FromRedisValue>(&mut self, command: &Cmd) -> Result<T> {
        let connection = self.connection.as_mut().map_err(|error| error.clone())?;
        let answer = connection.send(command).await.and_then(|value| Ok(redis::from_redis_value(value)?));
        answer.map_err(|error| {
            self.link.give_up(connection, &error);
            explain(self.operation, Phase::Connecting, error)
        })
    }
}

fn by_name(run: &ScriptRun<'_>) -> Cmd {
    command("EVALSHA", &run.script.sha, run)
}

fn by_text(run: &ScriptRun<'_>) -> Cmd {
    command("EVAL", &run.script.text, run)
}

fn command(name: &str, script: &str, run: &ScriptRun<'_>) -> Cmd {
    let mut command = redis::cmd(name);
    command.arg(script).arg(run.keys.len()).arg(run.keys).arg(run.args);
    command
}

fn is_asked_elsewhere(error: &RedisError) -> bool {
    error.kind() == RedisKind::Server(ServerErrorKind::Ask)
}

fn is_unknown_script(error: &RedisError) -> bool {
    error.kind() == RedisKind::Server(ServerErrorKind::NoScript)
}

fn millis(timeout: Duration) -> u64 {
    u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX)
}
