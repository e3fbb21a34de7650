//! Redis Cluster: three masters without replicas, each with a third of the slots.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::package::Package;
use super::redis::REDIS;
use super::redis_node::{self, Node, PROGRAM};
use super::server::{Place, Server};

const MASTERS: usize = 3;
const SLOTS: usize = 16_384;

pub(super) struct RedisCluster;

impl Server for RedisCluster {
    fn name(&self) -> &'static str {
        "redis-cluster"
    }

    fn variable(&self) -> &'static str {
        "QUEUE_TEST_REDIS_CLUSTER_URL"
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

    /// One for clients and one for the other masters: the usual distance between the two leaves the range of ports.
    /// Redis has no password between masters, so that there loopback is the only protection.
    fn ports(&self) -> usize {
        2 * MASTERS
    }

    fn prepare(&self, _bin: &Path, place: &Place) -> Result<()> {
        masters(place).try_for_each(|master| {
            let bus = master.bus_port;
            master.node.prepare(&format!(
                "cluster-enabled yes\ncluster-config-file nodes.conf\ncluster-node-timeout 5000\n\
                 cluster-port {bus}\ncluster-announce-ip 127.0.0.1\ncluster-require-full-coverage no\n"
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
            let meet = format!("CLUSTER MEET 127.0.0.1 {} {}", other.port, other.bus_port);
            first.ask(&[&meet]).map(drop)
        })
    }

    fn is_ready(&self, place: &Place) -> bool {
        masters(place)
            .all(|master| master.node.ask(&["CLUSTER INFO"]).is_ok_and(|answer| says_complete(&answer)))
    }

    fn url(&self, place: &Place) -> String {
        let hosts: Vec<_> = masters(place).map(|master| format!("127.0.0.1:{}", master.port)).collect();
        format!("redis+cluster://default:{}@{}", place.password, hosts.join(","))
    }

    fn stop_signal(&self) -> &'static str {
        redis_node::STOP_SIGNAL
    }
}

struct Master<'a> {
    node: Node<'a>,
    port: u16,
    bus_port: u16,
}

fn masters(place: &Place) -> impl Iterator<Item = Master<'_>> {
    let (ports, bus_ports) = place.ports.split_at(MASTERS);
    let pairs = ports.iter().zip(bus_ports);
    pairs.map(|(&port, &bus_port)| Master { node: Node::new(place, port), port, bus_port })
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
    use super::{MASTERS, RedisCluster, SLOTS, says_complete, slots};
    use crate::services::server::{Server, sample_place};

    #[test]
    fn every_slot_has_one_master() {
        let ranges: Vec<_> = (0..MASTERS).map(slots).collect();
        assert_eq!((ranges[0].0, ranges[MASTERS - 1].1), (0, SLOTS - 1));
        assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 == pair[1].0), "{ranges:?}");
    }

    #[test]
    fn the_url_names_every_port_for_clients() {
        let url = RedisCluster.url(&sample_place(&[1, 2, 3, 4, 5, 6]));
        assert_eq!(url, "redis+cluster://default:abc@127.0.0.1:1,127.0.0.1:2,127.0.0.1:3");
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
