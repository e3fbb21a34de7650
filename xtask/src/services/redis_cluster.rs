//! Redis Cluster: three masters without replicas, each with a third of the slots.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::certificates::{Certificates, Transport};
use super::package::Package;
use super::redis::REDIS;
use super::redis_node::{self, Node, PROGRAM};
use super::server::{Place, Server};

const MASTERS: usize = 3;
const SLOTS: usize = 16_384;

pub(super) static CLUSTER: RedisCluster = RedisCluster {
    name: "redis-cluster",
    variable: "QUEUE_TEST_REDIS_CLUSTER_URL",
    transport: Transport::Plain,
};

/// For clients that encrypt and show a certificate, as its masters do among each other.
pub(super) static CLUSTER_TLS: RedisCluster = RedisCluster {
    name: "redis-cluster-tls",
    variable: "QUEUE_TEST_REDIS_CLUSTER_TLS_URL",
    transport: Transport::Tls,
};

pub(super) struct RedisCluster {
    name: &'static str,
    variable: &'static str,
    transport: Transport,
}

impl Server for RedisCluster {
    fn name(&self) -> &'static str {
        self.name
    }

    fn variable(&self) -> &'static str {
        self.variable
    }

    fn store(&self) -> Option<&'static str> {
        Some("queue-redis")
    }

    fn package(&self) -> Package {
        redis_node::PACKAGE
    }

    fn find(&self) -> Option<PathBuf> {
        REDIS.find()
    }

    /// One for clients and one for the other masters: the usual distance between the two leaves the
    /// range of ports. Redis has no password between masters, so that there loopback is the only
    /// protection, or the certificate. One more for clients that encrypt.
    fn ports(&self) -> usize {
        match self.transport {
            Transport::Plain => 2 * MASTERS,
            Transport::Tls => 3 * MASTERS,
        }
    }

    fn prepare(&self, _bin: &Path, place: &Place) -> Result<()> {
        if self.transport == Transport::Tls {
            Certificates::make(place)?;
        }
        masters(place).try_for_each(|master| {
            let (bus, encrypts) = (master.bus_port, if master.tls_port.is_some() { "yes" } else { "no" });
            master.node.prepare(&format!(
                "cluster-enabled yes\ncluster-config-file nodes.conf\ncluster-node-timeout 5000\n\
                 cluster-port {bus}\ncluster-announce-ip 127.0.0.1\ncluster-require-full-coverage no\n\
                 tls-cluster {encrypts}\n"
            ))
        })
    }

    fn commands(&self, bin: &Path, place: &Place) -> Vec<Command> {
        masters(place).map(|master| master.node.command(bin, PROGRAM)).collect()
    }

    fn answers(&self, place: &Place) -> bool {
        masters(place).all(|master| master.node.answers())
    }

    /// Each master gets its slots and an epoch of its own, then the first meets the others.
    fn join(&self, place: &Place) -> Result<()> {
        for (index, master) in masters(place).enumerate() {
            let (first, last) = slots(index);
            let slots = format!("CLUSTER ADDSLOTSRANGE {first} {last}");
            master.node.ask(&[&slots, &format!("CLUSTER SET-CONFIG-EPOCH {}", index + 1)])?;
        }
        let first = Node::new(place, place.port());
        masters(place).skip(1).try_for_each(|other| {
            let meet = format!("CLUSTER MEET 127.0.0.1 {} {}", other.port(), other.bus_port);
            first.ask(&[&meet]).map(drop)
        })
    }

    fn is_ready(&self, place: &Place) -> bool {
        masters(place)
            .all(|master| master.node.ask(&["CLUSTER INFO"]).is_ok_and(|answer| says_complete(&answer)))
    }

    fn url(&self, place: &Place) -> String {
        let hosts: Vec<_> = masters(place).map(|master| format!("127.0.0.1:{}", master.port())).collect();
        let rest = format!("://default:{}@{}", place.password, hosts.join(","));
        match self.transport {
            Transport::Plain => format!("redis+cluster{rest}"),
            Transport::Tls => format!("rediss+cluster{rest}?{}", redis_node::tls_options(place)),
        }
    }

    fn stop_signal(&self) -> &'static str {
        redis_node::STOP_SIGNAL
    }
}

struct Master<'a> {
    node: Node<'a>,
    plain_port: u16,
    bus_port: u16,
    tls_port: Option<u16>,
}

impl Master<'_> {
    /// Where clients find it.
    fn port(&self) -> u16 {
        self.tls_port.unwrap_or(self.plain_port)
    }
}

/// By port: the plain ones, those among masters, and any for clients that encrypt.
fn masters(place: &Place) -> impl Iterator<Item = Master<'_>> {
    (0..MASTERS).map(|index| {
        let (plain_port, bus_port) = (place.ports[index], place.ports[MASTERS + index]);
        let tls_port = place.ports.get(2 * MASTERS + index).copied();
        let node = Node::new(place, plain_port);
        let node = match tls_port {
            Some(port) => node.with_tls_port(port),
            None => node,
        };
        Master { node, plain_port, bus_port, tls_port }
    })
}

/// The first and last slot of a master.
fn slots(index: usize) -> (usize, usize) {
    let start_of = |index| index * SLOTS / MASTERS;
    (start_of(index), start_of(index + 1) - 1)
}

/// True once a master knows an owner of every slot, and that all of them serve.
fn says_complete(info: &str) -> bool {
    let has = |line| info.lines().any(|found| found == line);
    has("cluster_state:ok") && has("cluster_slots_ok:16384") && has("cluster_size:3")
}

#[cfg(test)]
mod tests {
    use super::{CLUSTER, CLUSTER_TLS, MASTERS, SLOTS, says_complete, slots};
    use crate::services::server::{Server, sample_place};

    #[test]
    fn every_slot_has_one_master() {
        let ranges: Vec<_> = (0..MASTERS).map(slots).collect();
        assert_eq!((ranges[0].0, ranges[MASTERS - 1].1), (0, SLOTS - 1));
        assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0), "{ranges:?}");
    }

    #[test]
    fn the_url_names_every_port_for_clients() {
        let url = CLUSTER.url(&sample_place(&[1, 2, 3, 4, 5, 6]));
        assert_eq!(url, "redis+cluster://default:abc@127.0.0.1:1,127.0.0.1:2,127.0.0.1:3");
        let url = CLUSTER_TLS.url(&sample_place(&[1, 2, 3, 4, 5, 6, 7, 8, 9]));
        let hosts = "127.0.0.1:7,127.0.0.1:8,127.0.0.1:9";
        assert!(url.starts_with(&format!("rediss+cluster://default:abc@{hosts}?ssl_ca_certs=/")), "{url}");
    }

    #[test]
    fn a_cluster_is_complete_when_all_slots_are_served() {
        let info = |state, slots, size| {
            format!("$1\r\ncluster_state:{state}\r\ncluster_slots_ok:{slots}\r\ncluster_size:{size}\r\n")
        };
        assert!(says_complete(&info("ok", 16_384, 3)));
        assert!(!says_complete(&info("fail", 16_384, 3)));
        assert!(!says_complete(&info("ok", 5_461, 1)));
    }
}
