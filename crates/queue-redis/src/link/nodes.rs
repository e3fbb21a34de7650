//! The masters of a Cluster and which of them has which slot, as far as is known.

use super::{
    Dial, Single,
    slots::{Address, Slots},
};
use crate::endpoint::Endpoint;
use futures_util::{StreamExt, stream};
use parking_lot::{Mutex, MutexGuard};
use redis::{ConnectionAddr, ConnectionInfo, ErrorKind, RedisResult, cluster_routing::Slot};
use std::{collections::HashMap, sync::Arc};

/// Nodes that are asked at once which master has which slot. The first answer counts, so that a
/// node which says nothing holds up nothing while another answers.
const ASKED_MAX: usize = 8;

/// The nodes of a Cluster that a handle knows, each with a connection of its own.
#[derive(Debug)]
pub(super) struct Nodes {
    /// How any of them is connected to: the login and the kind of connection are the same on all.
    dial: Dial,
    login: ConnectionInfo,
    /// Those that the URL names, which are asked for the slots even if they have none.
    named: Vec<Address>,
    known: Mutex<KnownNodes>,
}

#[derive(Debug, Default)]
struct KnownNodes {
    slots: Slots,
    nodes: HashMap<Address, Arc<MasterNode>>,
}

/// One master, and the connection to it.
#[derive(Debug)]
pub(crate) struct MasterNode {
    pub(super) address: Address,
    pub(super) single: Single,
}

impl Nodes {
    pub(super) fn new(named: &[ConnectionInfo], dial: Dial) -> RedisResult<Self> {
        let login = named.first().ok_or((ErrorKind::InvalidClientConfig, "no node was named"))?.clone();
        let named = named.iter().map(|info| address(info.addr())).collect::<RedisResult<_>>()?;
        Ok(Self { dial, login, named, known: Mutex::default() })
    }

    /// The master of a slot, as far as is known.
    pub(super) fn owner(&self, slot: Slot) -> Option<Arc<MasterNode>> {
        let mut known = self.known();
        let address = known.slots.owner(slot)?.clone();
        Some(self.node(&mut known, address))
    }

    /// All masters that are known, each with a slot of it, in the order of their addresses.
    pub(super) fn masters(&self) -> Vec<(Arc<MasterNode>, Slot)> {
        let mut known = self.known();
        let mut owned = known.slots.one_of_each();
        owned.sort_by_key(|(address, _)| address.to_string());
        owned.into_iter().map(|(address, slot)| (self.node(&mut known, address), slot)).collect()
    }

    /// The node that a redirection names, as an answer of another one.
    pub(super) fn redirected(&self, target: &str, asked: &MasterNode) -> Option<Arc<MasterNode>> {
        let address = Address::parse(target, &asked.address)?;
        Some(self.node(&mut self.known(), address))
    }

    /// Notes the new master of a slot.
    pub(super) fn moved(&self, slot: Slot, target: &str, asked: &MasterNode) {
        if let Some(address) = Address::parse(target, &asked.address) {
            self.known().slots.moved(slot, address);
        }
    }

    /// Asks which master has which slot. It fails if no node answers.
    pub(super) async fn look_up(&self) -> RedisResult<()> {
        let answers = self.to_ask().into_iter().map(|node| async move { node.slots().await });
        let mut answers = stream::iter(answers).buffer_unordered(ASKED_MAX);
        let mut failed = (ErrorKind::ClusterConnectionNotFound, "no node is known").into();
        while let Some(answer) = answers.next().await {
            match answer {
                Ok(slots) => {
                    self.known().learn(slots, &self.named);
                    return Ok(());
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Lets go of all connections.
    pub(super) fn close(&self) {
        self.known().nodes.values().for_each(|node| node.single.close());
    }

    fn to_ask(&self) -> Vec<Arc<MasterNode>> {
        let mut known = self.known();
        let masters = known.slots.masters().to_vec();
        let others = self.named.iter().filter(|address| !masters.contains(address)).cloned();
        let all: Vec<_> = masters.iter().cloned().chain(others).collect();
        all.into_iter().map(|address| self.node(&mut known, address)).collect()
    }

    fn node(&self, known: &mut KnownNodes, address: Address) -> Arc<MasterNode> {
        let node = known.nodes.entry(address).or_insert_with_key(|address| {
            let info = self.login.clone().set_addr(at(self.login.addr(), address));
            let dial = Dial { endpoint: Endpoint::Single(info), ..self.dial.clone() };
            Arc::new(MasterNode { address: address.clone(), single: Single::new(dial) })
        });
        node.clone()
    }

    fn known(&self) -> MutexGuard<'_, KnownNodes> {
        self.known.lock()
    }
}

impl KnownNodes {
    /// A node that has no slots any more is let go, with its connection.
    fn learn(&mut self, slots: Slots, named: &[Address]) {
        self.nodes.retain(|address, _| slots.masters().contains(address) || named.contains(address));
        self.slots = slots;
    }
}

impl MasterNode {
    async fn slots(&self) -> RedisResult<Slots> {
        let mut clone = self.single.lend().await?;
        let asked = redis::cmd("CLUSTER").arg("SLOTS").to_owned();
        let answer = clone.connection.driver.send_packed_command(&asked).await;
        let slots = answer.and_then(|answer| Slots::read(&answer.extract_error()?, &self.address));
        slots.inspect_err(|error| self.single.give_up(&clone, error))
    }
}

fn address(addr: &ConnectionAddr) -> RedisResult<Address> {
    match addr {
        ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
            Ok(Address { host: host.clone(), port: *port })
        }
        _ => Err((ErrorKind::InvalidClientConfig, "nodes of a Cluster have a host and a port").into()),
    }
}

/// A connection of the same kind to another address.
fn at(kind: &ConnectionAddr, address: &Address) -> ConnectionAddr {
    let Address { host, port } = address.clone();
    match kind {
        ConnectionAddr::TcpTls { insecure, tls_params, .. } => {
            ConnectionAddr::TcpTls { host, port, insecure: *insecure, tls_params: tls_params.clone() }
        }
        _ => ConnectionAddr::Tcp(host, port),
    }
}
