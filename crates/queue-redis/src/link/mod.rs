//! Connections: one to a server, or one to each master of a Cluster.
//!
//! Absent on purpose: a pool of our own. A server runs one command at a time, so a second connection would wait as the
//! first does; on the one there is, calls that come together travel together.

mod cluster;
mod connection;
mod dial;
mod nodes;
#[cfg(feature = "deadpool")]
mod pooled;
mod shared;
mod single;
mod slots;

pub(crate) use cluster::{Cluster, Routed};
pub(crate) use connection::Connection;
pub(crate) use dial::{Dial, Listen};
#[cfg(feature = "deadpool")]
pub(crate) use pooled::Pooled;
pub(crate) use shared::{Lent, Shared};
pub(crate) use single::Single;

use crate::{endpoint::Endpoint, options::RedisOptions};
use redis::{Cmd, Pipeline, RedisError, RedisResult, Value, aio::MultiplexedConnection};
use std::time::Duration;

/// Where calls go.
#[derive(Debug)]
pub(crate) enum Link {
    Single(Box<Single>),
    Cluster(Cluster),
    #[cfg(feature = "deadpool")]
    Pooled(Pooled),
}

/// A connection as one call uses it.
pub(crate) enum Line {
    Single(Lent<Connection>),
    Cluster(Routed),
    #[cfg(feature = "deadpool")]
    Pooled(deadpool_redis::Connection),
}

impl Link {
    pub(crate) fn new(options: &RedisOptions) -> RedisResult<Self> {
        #[cfg(feature = "deadpool")]
        if let Some(pool) = &options.pool {
            return Ok(Self::Pooled(Pooled::new(pool.clone(), options.response_timeout)));
        }
        match &options.endpoint {
            Endpoint::Cluster(nodes) => Ok(Self::Cluster(Cluster::new(nodes, dial(options))?)),
            Endpoint::Single(_) | Endpoint::Sentinel { .. } => {
                Ok(Self::Single(Box::new(Single::new(dial(options)))))
            }
        }
    }

    /// A connection to the server, on a Cluster to the master that has a key.
    pub(crate) async fn line(&self, key: &str) -> RedisResult<Line> {
        match self {
            Self::Single(single) => single.lend().await.map(Line::Single),
            Self::Cluster(cluster) => cluster.lend(key).await.map(Line::Cluster),
            #[cfg(feature = "deadpool")]
            Self::Pooled(pooled) => pooled.lend().await.map(Line::Pooled),
        }
    }

    /// A connection to the node that is taking over the key of a call, as its master said.
    pub(crate) async fn line_elsewhere(&self, from: &Line, redirected: &RedisError) -> RedisResult<Line> {
        match (self, from) {
            (Self::Cluster(cluster), Line::Cluster(routed)) => {
                cluster.lend_elsewhere(routed, redirected).await.map(Line::Cluster)
            }
            _ => Err(redirected.clone()),
        }
    }

    /// After an error.
    pub(crate) fn give_up(&self, line: &Line, error: &RedisError) {
        match (self, line) {
            (Self::Single(single), Line::Single(lent)) => single.give_up(lent, error),
            (Self::Cluster(cluster), Line::Cluster(routed)) => cluster.give_up(routed, error),
            // The pool sees to broken ones.
            _ => {}
        }
    }

    pub(crate) fn close(&self) {
        match self {
            Self::Single(single) => single.close(),
            Self::Cluster(cluster) => cluster.close(),
            // The pool is the application's.
            #[cfg(feature = "deadpool")]
            Self::Pooled(_) => {}
        }
    }
}

impl Line {
    /// Waits longer for the answers of this call.
    pub(crate) fn be_patient(&mut self, timeout: Duration) {
        self.driver().set_response_timeout(timeout);
    }

    pub(crate) async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        refused_or(self.driver().send_packed_command(command).await?)
    }

    /// Sends a command to the node that is taking over the keys which it names, and which wants to be asked in this way.
    pub(crate) async fn ask(&mut self, command: &Cmd) -> RedisResult<Value> {
        let mut both = Pipeline::new();
        both.cmd("ASKING").add_command(command.clone());
        let answers = self.send_all(&both).await?;
        refused_or(answers.into_iter().nth(1).unwrap_or_default())
    }

    /// Several commands in one round trip; the answers, errors among them, in their order.
    pub(crate) async fn send_all(&mut self, commands: &Pipeline) -> RedisResult<Vec<Value>> {
        self.driver().send_packed_commands(commands, 0, commands.len()).await
    }

    fn driver(&mut self) -> &mut MultiplexedConnection {
        match self {
            Self::Single(lent) => &mut lent.connection.driver,
            Self::Cluster(routed) => &mut routed.lent.connection.driver,
            #[cfg(feature = "deadpool")]
            Self::Pooled(connection) => connection,
        }
    }
}

fn refused_or(answer: Value) -> RedisResult<Value> {
    match answer {
        Value::ServerError(refused) => Err(refused.into()),
        answer => Ok(answer),
    }
}

/// How connections of a handle are made.
pub(crate) fn dial(options: &RedisOptions) -> Dial {
    Dial {
        endpoint: options.endpoint.clone(),
        certificates: options.certificates.clone(),
        response_timeout: options.response_timeout,
        connect_timeout: options.connect_timeout,
    }
}
