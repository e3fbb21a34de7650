//! Connections: one to a server, or one to each master of a Cluster.
//!
//! Absent on purpose: a pool of our own. A server runs one command at a time, so a second connection would wait as the
//! first does; on the one there is, calls that come together travel together.

mod cluster;
mod dial;
#[cfg(feature = "deadpool")]
mod pooled;
mod shared;
mod single;

pub(crate) use cluster::Cluster;
pub(crate) use dial::{Dial, Listen};
#[cfg(feature = "deadpool")]
pub(crate) use pooled::Pooled;
pub(crate) use shared::{Lent, Shared};
pub(crate) use single::Single;

use crate::{endpoint::Endpoint, options::RedisOptions};
use redis::{
    Cmd, Pipeline, RedisError, RedisResult, Value,
    aio::{ConnectionLike, MultiplexedConnection},
    cluster_async::ClusterConnection,
    cluster_routing::{Route, RoutingInfo, SingleNodeRoutingInfo, Slot, SlotAddr},
};
use std::time::Duration;

/// Where calls go.
#[derive(Debug)]
pub(crate) enum Link {
    Single(Single),
    Cluster(Cluster),
    #[cfg(feature = "deadpool")]
    Pooled(Pooled),
}

/// A connection as one call uses it.
pub(crate) enum Line {
    Single(Lent<MultiplexedConnection>),
    Cluster(Lent<ClusterConnection>),
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
            Endpoint::Cluster(nodes) => Ok(Self::Cluster(Cluster::new(nodes, options)?)),
            Endpoint::Single(_) | Endpoint::Sentinel { .. } => Ok(Self::Single(Single::new(dial(options)))),
        }
    }

    pub(crate) async fn line(&self) -> RedisResult<Line> {
        match self {
            Self::Single(single) => single.lend().await.map(Line::Single),
            Self::Cluster(cluster) => cluster.lend().await.map(Line::Cluster),
            #[cfg(feature = "deadpool")]
            Self::Pooled(pooled) => pooled.lend().await.map(Line::Pooled),
        }
    }

    /// After an error.
    pub(crate) fn give_up(&self, line: &Line, error: &RedisError) {
        match (self, line) {
            (Self::Single(single), Line::Single(lent)) => single.give_up(lent, error),
            (Self::Cluster(cluster), Line::Cluster(lent)) => cluster.give_up(lent, error),
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
        match self {
            Self::Single(lent) => lent.connection.set_response_timeout(timeout),
            Self::Cluster(_) => {}
            #[cfg(feature = "deadpool")]
            Self::Pooled(connection) => connection.set_response_timeout(timeout),
        }
    }

    pub(crate) async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        let answer = match self {
            Self::Single(lent) => lent.connection.send_packed_command(command).await?,
            Self::Cluster(lent) => lent.connection.req_packed_command(command).await?,
            #[cfg(feature = "deadpool")]
            Self::Pooled(connection) => connection.send_packed_command(command).await?,
        };
        refused_or(answer)
    }

    /// Sends a command about the server itself: on a Cluster, to the master of the slot of a key.
    pub(crate) async fn send_to_master(&mut self, command: &Cmd, key: &str) -> RedisResult<Value> {
        let Self::Cluster(lent) = self else { return self.send(command).await };
        let route = Route::with_slot(Slot::for_key(key), SlotAddr::Master);
        let node = RoutingInfo::SingleNode(SingleNodeRoutingInfo::SpecificNode(route));
        refused_or(lent.connection.route_command(command.clone(), node).await?)
    }

    /// Sends a command to the node that is taking over the keys which it names, as another node said.
    pub(crate) async fn ask(&mut self, redirected: RedisError, command: &Cmd) -> RedisResult<Value> {
        let address = redirected.redirect_node().and_then(|(address, _)| address.rsplit_once(':'));
        let address = address.and_then(|(host, port)| Some((host.to_owned(), port.parse().ok()?)));
        let (Self::Cluster(lent), Some((host, port))) = (self, address) else { return Err(redirected) };
        let mut both = Pipeline::new();
        both.cmd("ASKING").add_command(command.clone());
        let node = SingleNodeRoutingInfo::ByAddress { host, port };
        let answers = lent.connection.route_pipeline(both, 0, 2, node).await?;
        refused_or(answers.into_iter().nth(1).unwrap_or_default())
    }

    /// Several commands in one round trip; the answers, errors among them, in their order.
    pub(crate) async fn send_all(&mut self, commands: &Pipeline) -> RedisResult<Vec<Value>> {
        let count = commands.len();
        match self {
            Self::Single(lent) => lent.connection.send_packed_commands(commands, 0, count).await,
            Self::Cluster(lent) => lent.connection.req_packed_commands(commands, 0, count).await,
            #[cfg(feature = "deadpool")]
            Self::Pooled(connection) => connection.send_packed_commands(commands, 0, count).await,
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
        response_timeout: options.response_timeout,
        connect_timeout: options.connect_timeout,
    }
}
