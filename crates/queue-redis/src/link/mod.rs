//! Connections: for each runtime that calls one to a server, or one to each master of a Cluster.
//!
//! Absent on purpose: a pool of our own. A server runs one command at a time, so a second
//! connection would wait as the first does; on the one there is, calls that come together travel
//! together.

#[cfg(feature = "deadpool")]
mod application_pool;
mod cluster;
mod connection;
mod dial;
mod nodes;
mod shared_connection;
mod single;
mod slot_looks;
mod slots;

#[cfg(feature = "deadpool")]
pub(crate) use application_pool::ApplicationPool;
pub(crate) use cluster::{Cluster, NodeConnection};
pub(crate) use connection::Connection;
pub(crate) use dial::{Dial, Listen};
pub(crate) use shared_connection::{ConnectionClone, SharedConnection};
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
    Pooled(ApplicationPool),
}

/// A connection for the length of one call.
pub(crate) enum CallConnection {
    Single(ConnectionClone<Connection>),
    Cluster(NodeConnection),
    #[cfg(feature = "deadpool")]
    Pooled(deadpool_redis::Connection),
}

/// A master, and a connection to it unless it could not be reached.
pub(crate) struct LentMaster<C> {
    /// Its host and port; `None` where there is only one server.
    pub(crate) address: Option<String>,
    pub(crate) connection: RedisResult<C>,
}

impl Link {
    pub(crate) fn new(options: &RedisOptions) -> RedisResult<Self> {
        #[cfg(feature = "deadpool")]
        if let Some(pool) = &options.pool {
            return Ok(Self::Pooled(ApplicationPool::new(pool.clone(), options.response_timeout)));
        }
        match &options.endpoint {
            Endpoint::Cluster(nodes) => Ok(Self::Cluster(Cluster::new(nodes, dial(options))?)),
            Endpoint::Single(_) | Endpoint::Sentinel { .. } => {
                Ok(Self::Single(Box::new(Single::new(dial(options)))))
            }
        }
    }

    /// Gives a connection to the server, on a Cluster to the master that has a key.
    pub(crate) async fn connect(&self, key: &str) -> RedisResult<CallConnection> {
        match self {
            Self::Single(single) => single.lend().await.map(CallConnection::Single),
            Self::Cluster(cluster) => cluster.lend(key).await.map(CallConnection::Cluster),
            #[cfg(feature = "deadpool")]
            Self::Pooled(pooled) => pooled.lend().await.map(CallConnection::Pooled),
        }
    }

    /// Gives a connection to each master, of which a store without a Cluster has one.
    pub(crate) async fn connect_all(&self, most: usize) -> RedisResult<Vec<LentMaster<CallConnection>>> {
        let one = |connection| vec![LentMaster { address: None, connection: Ok(connection) }];
        match self {
            Self::Single(single) => single.lend().await.map(CallConnection::Single).map(one),
            Self::Cluster(cluster) => Ok(cluster.lend_all(most).await?.into_iter().map(of_cluster).collect()),
            #[cfg(feature = "deadpool")]
            Self::Pooled(pooled) => pooled.lend().await.map(CallConnection::Pooled).map(one),
        }
    }

    /// Gives a connection to the node that is taking over the key of a call, as its master said.
    pub(crate) async fn connect_elsewhere(
        &self,
        from: &CallConnection,
        redirected: &RedisError,
    ) -> RedisResult<CallConnection> {
        match (self, from) {
            (Self::Cluster(cluster), CallConnection::Cluster(node)) => {
                cluster.lend_elsewhere(node, redirected).await.map(CallConnection::Cluster)
            }
            _ => Err(redirected.clone()),
        }
    }

    /// Handles an error of a call on this connection.
    pub(crate) fn give_up(&self, connection: &CallConnection, error: &RedisError) {
        match (self, connection) {
            (Self::Single(single), CallConnection::Single(clone)) => single.give_up(clone, error),
            (Self::Cluster(cluster), CallConnection::Cluster(node)) => cluster.give_up(node, error),
            // The application's pool sees to broken connections itself.
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

impl CallConnection {
    /// Waits longer for the answers of this call.
    pub(crate) fn be_patient(&mut self, timeout: Duration) {
        self.driver().set_response_timeout(timeout);
    }

    pub(crate) async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        refused_or(self.driver().send_packed_command(command).await?)
    }

    /// Sends a command to the node that is taking over the keys which it names, and which wants to
    /// be asked in this way.
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
            Self::Single(clone) => &mut clone.connection.driver,
            Self::Cluster(node) => &mut node.clone.connection.driver,
            #[cfg(feature = "deadpool")]
            Self::Pooled(connection) => connection,
        }
    }
}

fn of_cluster(lent: LentMaster<NodeConnection>) -> LentMaster<CallConnection> {
    LentMaster { address: lent.address, connection: lent.connection.map(CallConnection::Cluster) }
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
