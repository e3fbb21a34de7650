//! What a server is, asked once when a store is opened.

use crate::{
    error::{Phase, explain, unreachable},
    link::{CallConnection, Link},
    options::{Eviction, RedisOptions},
};
use queue_core::{Durability, Error, ErrorKind, Result};
use redis::{Cmd, FromRedisValue, RedisError, RedisResult};

/// The first version whose scripts have flags.
const VERSION_MIN: (u32, u32) = (7, 0);

/// Refuses a server on which jobs could be lost or stuck, and answers what writes survive on it. Of
/// a Cluster one master is asked, that of the namespace's layout, which opening needs anyway: a
/// replica takes no calls, and may be set otherwise.
pub(crate) async fn probe(options: &RedisOptions, link: &Link) -> Result<Durability> {
    let key = options.namespace.layout();
    let connection = link.connect(&key).await;
    let mut server = ProbedServer(connection.map_err(|error| unreachable("open", &options.endpoint, error))?);
    let info: String = server.ask(&redis::cmd("INFO")).await.map_err(failed)?;
    let info = Info(&info);
    info.check_version()?;
    info.check_role()?;
    info.check_eviction(options.eviction)?;
    if info.field("aof_enabled") != Some("1") {
        return Ok(Durability::None);
    }
    let fsync = server.setting("appendfsync").await;
    Ok(if fsync.as_deref() == Some("always") { Durability::Power } else { Durability::Process })
}

fn failed(error: RedisError) -> Error {
    explain("open", Phase::Connecting, error)
}

/// A connection to the server that is probed; of a Cluster, to the master that has the key.
struct ProbedServer(CallConnection);

impl ProbedServer {
    async fn ask<T: FromRedisValue>(&mut self, command: &Cmd) -> RedisResult<T> {
        Ok(redis::from_redis_value(self.0.send(command).await?)?)
    }

    /// Reads a setting; `None` where the server keeps its settings to itself, as hosted ones do.
    async fn setting(&mut self, name: &str) -> Option<String> {
        let answer: Vec<(String, String)> = self.ask(redis::cmd("CONFIG").arg("GET").arg(name)).await.ok()?;
        answer.into_iter().next().map(|(_, value)| value)
    }
}

/// The answer to `INFO`: lines of `name:value`.
pub(crate) struct Info<'a>(pub(crate) &'a str);

impl Info<'_> {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    }

    fn check_version(&self) -> Result<()> {
        let version = self.field("redis_version").unwrap_or_default();
        let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
        let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if found >= VERSION_MIN {
            return Ok(());
        }
        let message = format!("Redis 7.0 or Valkey 8 is needed, this server says {version:?}");
        Err(Error::new(ErrorKind::Unsupported, "open", message))
    }

    fn check_role(&self) -> Result<()> {
        if self.field("role") != Some("slave") {
            return Ok(());
        }
        let message = "this server is a replica, which takes no writes; connect to its master";
        Err(Error::new(ErrorKind::Unavailable, "open", message))
    }

    fn check_eviction(&self, eviction: Eviction) -> Result<()> {
        let policy = self.field("maxmemory_policy").unwrap_or("noeviction");
        if policy == "noeviction" || eviction == Eviction::Allow {
            return Ok(());
        }
        let message = format!(
            "the server may evict keys when its memory is full (maxmemory-policy {policy}), which loses jobs; \
             set it to noeviction, or allow it with the option `eviction`"
        );
        Err(Error::new(ErrorKind::Unsupported, "open", message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# Server\r\nredis_version:7.0.15\r\nrole:master\r\nmaxmemory_policy:noeviction\r\n";

    fn refused(info: &str) -> ErrorKind {
        let info = Info(info);
        let checks = [info.check_version(), info.check_role(), info.check_eviction(Eviction::Refuse)];
        checks.into_iter().find_map(Result::err).expect("something is refused").kind()
    }

    #[test]
    fn a_good_server_is_taken() {
        let info = Info(GOOD);
        assert!(
            info.check_version().and(info.check_role()).and(info.check_eviction(Eviction::Refuse)).is_ok()
        );
    }

    #[test]
    fn old_servers_replicas_and_eviction_are_refused() {
        assert_eq!(refused(&GOOD.replace("7.0.15", "6.2.14")), ErrorKind::Unsupported);
        assert_eq!(refused(&GOOD.replace("redis_version", "x")), ErrorKind::Unsupported);
        assert_eq!(refused(&GOOD.replace("master", "slave")), ErrorKind::Unavailable);
        assert_eq!(refused(&GOOD.replace("noeviction", "allkeys-lru")), ErrorKind::Unsupported);
    }

    #[test]
    fn eviction_may_be_allowed() {
        assert!(Info("maxmemory_policy:volatile-ttl").check_eviction(Eviction::Allow).is_ok());
    }
}
