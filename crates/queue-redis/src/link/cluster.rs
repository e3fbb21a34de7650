use super::{
    Connection, Dial, Lent, Shared,
    nodes::{Node, Nodes},
};
use crate::spawn::spawn;
use parking_lot::{Mutex, MutexGuard};
use redis::{ConnectionInfo, ErrorKind, RedisError, RedisResult, ServerErrorKind, cluster_routing::Slot};
use std::{sync::Arc, time::Duration};
use tokio::{task::JoinHandle, time::sleep};

/// The pause after a look at the slots, so that many calls which fail at once ask for few of them.
const LOOK_UP_PAUSE: Duration = Duration::from_millis(100);

/// The masters of a Cluster, each with a connection of its own, so that calls to one never wait for another.
///
/// Absent on purpose: the driver's own connection to a Cluster. While it learns which master has which slot, and that
/// includes reaching for a master that is silent, it serves nobody (ADR 0021).
#[derive(Debug)]
pub(crate) struct Cluster {
    nodes: Arc<Nodes>,
    /// The first look at the slots, which all who come early wait for.
    first: Shared<()>,
    /// A later one. Meanwhile calls go by what is known, since most of them are for others.
    renewal: Mutex<Option<JoinHandle<()>>>,
}

/// A connection to the master of a slot, for one call.
pub(crate) struct Routed {
    pub(crate) lent: Lent<Connection>,
    node: Arc<Node>,
    slot: Slot,
}

impl Cluster {
    pub(crate) fn new(named: &[ConnectionInfo], dial: Dial) -> RedisResult<Self> {
        let nodes = Arc::new(Nodes::new(named, dial)?);
        Ok(Self { nodes, first: Shared::default(), renewal: Mutex::default() })
    }

    /// A connection to the master that has a key.
    pub(crate) async fn lend(&self, key: &str) -> RedisResult<Routed> {
        self.first.lend(|| self.nodes.look_up()).await?;
        let slot = Slot::for_key(key);
        let Some(node) = self.nodes.owner(slot) else {
            self.renew();
            return Err((ErrorKind::ClusterConnectionNotFound, "no master has the slot").into());
        };
        self.connect(node, slot).await
    }

    /// A connection to the node that is taking over a slot, as its master said.
    pub(crate) async fn lend_elsewhere(&self, from: &Routed, redirected: &RedisError) -> RedisResult<Routed> {
        let target =
            redirected.redirect_node().and_then(|(target, _)| self.nodes.redirected(target, &from.node));
        self.connect(target.ok_or_else(|| redirected.clone())?, from.slot).await
    }

    /// After an error. Where it may be that another node has the slot by now, the slots are looked up anew.
    pub(crate) fn give_up(&self, routed: &Routed, error: &RedisError) {
        routed.node.single.give_up(&routed.lent, error);
        if error.kind() == ErrorKind::Server(ServerErrorKind::Moved)
            && let Some((target, _)) = error.redirect_node()
        {
            self.nodes.moved(routed.slot, target, &routed.node);
        }
        if may_be_elsewhere(error) {
            self.renew();
        }
    }

    /// Lets go of the connections.
    pub(crate) fn close(&self) {
        if let Some(renewal) = self.renewal().take() {
            renewal.abort();
        }
        self.nodes.close();
    }

    async fn connect(&self, node: Arc<Node>, slot: Slot) -> RedisResult<Routed> {
        let lent = node.single.lend().await.inspect_err(|_| self.renew())?;
        Ok(Routed { lent, node, slot })
    }

    /// Looks up the slots in the background, once at a time.
    fn renew(&self) {
        let mut renewal = self.renewal();
        if renewal.as_ref().is_none_or(JoinHandle::is_finished) {
            let nodes = self.nodes.clone();
            *renewal = Some(spawn(async move {
                // If it fails, the next call that does starts another.
                drop(nodes.look_up().await);
                sleep(LOOK_UP_PAUSE).await;
            }));
        }
    }

    fn renewal(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.renewal.lock()
    }
}

/// Whoever drops the handle without closing it ends the task too.
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
