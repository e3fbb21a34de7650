//! Connections to a Cluster: each call goes to the master of its key.

use super::{
    Connection, ConnectionClone, Dial, LentMaster, SharedConnection,
    nodes::{MasterNode, Nodes},
};
use crate::spawn::spawn;
use futures_util::future::join_all;
use parking_lot::{Mutex, MutexGuard};
use redis::{ConnectionInfo, ErrorKind, RedisError, RedisResult, ServerErrorKind, cluster_routing::Slot};
use std::{sync::Arc, time::Duration};
use tokio::{task::JoinHandle, time::sleep};

/// The pause after a look at the slots, so that many calls which fail at once ask for few of them.
const LOOK_UP_PAUSE: Duration = Duration::from_millis(100);

/// The masters of a Cluster, each with a connection of its own, so that calls to one never wait for
/// another.
///
/// Absent on purpose: the driver's own connection to a Cluster. While it learns which master has
/// which slot, and that includes reaching for a master that is silent, it serves nobody (ADR 0021).
#[derive(Debug)]
pub(crate) struct Cluster {
    nodes: Arc<Nodes>,
    /// The first look at the slots, which all early calls wait for.
    first: SharedConnection<()>,
    /// A later look. Meanwhile calls go by what is known, since most of them are for other slots.
    renewal: Mutex<Option<JoinHandle<()>>>,
}

/// A connection to the master of a slot, for one call.
pub(crate) struct NodeConnection {
    pub(crate) clone: ConnectionClone<Connection>,
    node: Arc<MasterNode>,
    slot: Slot,
}

impl Cluster {
    pub(crate) fn new(named: &[ConnectionInfo], dial: Dial) -> RedisResult<Self> {
        let nodes = Arc::new(Nodes::new(named, dial)?);
        Ok(Self { nodes, first: SharedConnection::default(), renewal: Mutex::default() })
    }

    /// Lends a connection to the master that has a key.
    pub(crate) async fn lend(&self, key: &str) -> RedisResult<NodeConnection> {
        self.first.lend(|| self.nodes.look_up()).await?;
        let slot = Slot::for_key(key);
        let Some(node) = self.nodes.owner(slot) else {
            self.renew();
            return Err((ErrorKind::ClusterConnectionNotFound, "no master has the slot").into());
        };
        self.connect(node, slot).await
    }

    /// Lends a connection to each master, at most so many, with its address. The slots are looked
    /// up anew, so that a master counts that no call has needed yet. Fails if no node knows them.
    pub(crate) async fn lend_all(&self, most: usize) -> RedisResult<Vec<LentMaster<NodeConnection>>> {
        self.nodes.look_up().await?;
        let masters = self.nodes.masters().into_iter().take(most).map(|(node, slot)| async move {
            let address = node.address.to_string();
            LentMaster { address: Some(address), connection: self.connect(node, slot).await }
        });
        Ok(join_all(masters).await)
    }

    /// Lends a connection to the node that is taking over a slot, as its master said.
    pub(crate) async fn lend_elsewhere(
        &self,
        from: &NodeConnection,
        redirected: &RedisError,
    ) -> RedisResult<NodeConnection> {
        let target =
            redirected.redirect_node().and_then(|(target, _)| self.nodes.redirected(target, &from.node));
        self.connect(target.ok_or_else(|| redirected.clone())?, from.slot).await
    }

    /// Handles an error of a call: where another node may have the slot by now, the slots are
    /// looked up anew.
    pub(crate) fn give_up(&self, connection: &NodeConnection, error: &RedisError) {
        connection.node.single.give_up(&connection.clone, error);
        if error.kind() == ErrorKind::Server(ServerErrorKind::Moved)
            && let Some((target, _)) = error.redirect_node()
        {
            self.nodes.moved(connection.slot, target, &connection.node);
        }
        if may_be_elsewhere(error) {
            self.renew();
        }
    }

    /// Closes the connections.
    pub(crate) fn close(&self) {
        if let Some(renewal) = self.renewal().take() {
            renewal.abort();
        }
        self.nodes.close();
    }

    async fn connect(&self, node: Arc<MasterNode>, slot: Slot) -> RedisResult<NodeConnection> {
        let clone = node.single.lend().await.inspect_err(|_| self.renew())?;
        Ok(NodeConnection { clone, node, slot })
    }

    /// Looks up the slots in the background, once at a time.
    fn renew(&self) {
        let mut renewal = self.renewal();
        if renewal.as_ref().is_none_or(JoinHandle::is_finished) {
            let nodes = self.nodes.clone();
            *renewal = Some(spawn(async move {
                // If the look fails, the next call that fails starts another.
                drop(nodes.look_up().await);
                sleep(LOOK_UP_PAUSE).await;
            }));
        }
    }

    fn renewal(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.renewal.lock()
    }
}

/// A handle that is dropped without being closed ends the task too.
impl Drop for Cluster {
    fn drop(&mut self) {
        self.close();
    }
}

fn may_be_elsewhere(error: &RedisError) -> bool {
    use ServerErrorKind::{ClusterDown, MasterDown, Moved, ReadOnly};
    match error.kind() {
        ErrorKind::Server(kind) => matches!(kind, ClusterDown | MasterDown | Moved | ReadOnly),
        _ => error.is_io_error(),
    }
}
