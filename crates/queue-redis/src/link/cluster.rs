//! Connections to a Cluster: each call goes to the master of its key.

use super::{
    Connection, ConnectionClone, Dial, LentMaster,
    nodes::{MasterNode, Nodes},
    slot_looks::SlotLooks,
};
use futures_util::future::join_all;
use queue_store::PerRuntime;
use redis::{ConnectionInfo, ErrorKind, RedisError, RedisResult, ServerErrorKind, cluster_routing::Slot};
use std::sync::Arc;

/// The masters of a Cluster, each with connections of its own, so that calls to one never wait for
/// another. What is known of the slots is the same for all runtimes; each looks by itself.
///
/// Absent on purpose: the driver's own connection to a Cluster. While it learns which master has
/// which slot, and that includes reaching for a master that is silent, it serves no call (ADR
/// 0021).
#[derive(Debug)]
pub(crate) struct Cluster {
    nodes: Arc<Nodes>,
    looks: PerRuntime<SlotLooks>,
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
        Ok(Self { nodes, looks: PerRuntime::default() })
    }

    /// Gives a connection to the master that has a key.
    pub(crate) async fn lend(&self, key: &str) -> RedisResult<NodeConnection> {
        self.looks().first(&self.nodes).await?;
        let slot = Slot::for_key(key);
        let Some(node) = self.nodes.owner(slot) else {
            self.renew();
            return Err((ErrorKind::ClusterConnectionNotFound, "no master has the slot").into());
        };
        self.connect(node, slot).await
    }

    /// Gives a connection to each master, at most so many, with its address. The slots are looked
    /// up again, so that a master counts that no call has needed yet. Fails if no node knows them.
    pub(crate) async fn lend_all(&self, most: usize) -> RedisResult<Vec<LentMaster<NodeConnection>>> {
        self.nodes.look_up().await?;
        let masters = self.nodes.masters().into_iter().take(most).map(|(node, slot)| async move {
            let address = node.address.to_string();
            LentMaster { address: Some(address), connection: self.connect(node, slot).await }
        });
        Ok(join_all(masters).await)
    }

    /// Gives a connection to the node that is taking over a slot, as its master said.
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
    /// looked up again.
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
        self.looks.close().iter().for_each(|looks| looks.close());
        self.nodes.close();
    }

    async fn connect(&self, node: Arc<MasterNode>, slot: Slot) -> RedisResult<NodeConnection> {
        let clone = node.single.lend().await.inspect_err(|_| self.renew())?;
        Ok(NodeConnection { clone, node, slot })
    }

    fn renew(&self) {
        self.looks().renew(&self.nodes);
    }

    fn looks(&self) -> Arc<SlotLooks> {
        self.looks.here(SlotLooks::default)
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
