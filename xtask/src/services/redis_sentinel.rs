//! Redis under Sentinel: a master, a replica, and three sentinels that agree by two on who is the
//! master.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::certificates::{Certificates, Transport};
use super::package::Package;
use super::redis::REDIS;
use super::redis_node::{self, Node, PROGRAM};
use super::server::{Place, Server};

/// What the sentinels call the master.
const SERVICE: &str = "queue";
const SENTINELS: usize = 3;
const PROCESSES: usize = 2 + SENTINELS;
/// Sentinels that must find the master dead before one of them replaces it.
const QUORUM: usize = 2;
/// Short, since tests wait for a failover.
const DOWN_AFTER_MS: u32 = 1_000;
const FAILOVER_MAX_MS: u32 = 10_000;

/// Not among everyday tests: what they say of Sentinels, they say of those that encrypt.
pub(super) static SENTINEL: RedisSentinel = RedisSentinel {
    name: "redis-sentinel",
    variable: "QUEUE_TEST_REDIS_SENTINEL_URL",
    store: None,
    transport: Transport::Plain,
};

/// For clients that encrypt and show a certificate, as all of them do among each other.
pub(super) static SENTINEL_TLS: RedisSentinel = RedisSentinel {
    name: "redis-sentinel-tls",
    variable: "QUEUE_TEST_REDIS_SENTINEL_TLS_URL",
    store: Some("queue-redis"),
    transport: Transport::Tls,
};

pub(super) struct RedisSentinel {
    name: &'static str,
    variable: &'static str,
    store: Option<&'static str>,
    transport: Transport,
}

impl Server for RedisSentinel {
    fn name(&self) -> &'static str {
        self.name
    }

    fn variable(&self) -> &'static str {
        self.variable
    }

    fn store(&self) -> Option<&'static str> {
        self.store
    }

    fn package(&self) -> Package {
        redis_node::PACKAGE
    }

    fn find(&self) -> Option<PathBuf> {
        REDIS.find()
    }

    fn ports(&self) -> usize {
        match self.transport {
            Transport::Plain => PROCESSES,
            Transport::Tls => 2 * PROCESSES,
        }
    }

    /// Both servers know the password of the other, as either may become the replica.
    fn prepare(&self, _bin: &Path, place: &Place) -> Result<()> {
        if self.transport == Transport::Tls {
            Certificates::make(place)?;
        }
        let Parts { master, replica, sentinels } = parts(place);
        let auth = format!("masterauth {}\n", place.password);
        master.prepare(&auth)?;
        replica.prepare(&format!("{auth}replicaof 127.0.0.1 {}\n", clients_ports(place)[0]))?;
        sentinels.iter().try_for_each(|sentinel| sentinel.prepare_as(""))
    }

    fn commands(&self, bin: &Path, place: &Place) -> Vec<Command> {
        let Parts { master, replica, sentinels } = parts(place);
        let servers = [master, replica].map(|server| server.command(bin, PROGRAM));
        let sentinels = sentinels.iter().map(|sentinel| {
            let mut command = sentinel.command(bin, PROGRAM);
            command.arg("--sentinel");
            command
        });
        servers.into_iter().chain(sentinels).collect()
    }

    fn answers(&self, place: &Place) -> bool {
        place.ports[..PROCESSES].iter().all(|&port| Node::new(place, port).answers())
    }

    /// Told only now, since a sentinel that knows its master before that one is up takes it for
    /// dead.
    fn join(&self, place: &Place) -> Result<()> {
        let (port, password) = (clients_ports(place)[0], &place.password);
        let monitor = format!("SENTINEL MONITOR {SERVICE} 127.0.0.1 {port} {QUORUM}");
        let set = format!(
            "SENTINEL SET {SERVICE} auth-pass {password} \
             down-after-milliseconds {DOWN_AFTER_MS} failover-timeout {FAILOVER_MAX_MS}"
        );
        parts(place).sentinels.iter().try_for_each(|sentinel| sentinel.ask(&[&monitor, &set]).map(drop))
    }

    fn is_ready(&self, place: &Place) -> bool {
        let Parts { master, sentinels, .. } = parts(place);
        let question = format!("SENTINEL MASTER {SERVICE}");
        master.ask(&["INFO replication"]).is_ok_and(|answer| answer.contains("state=online"))
            && sentinels.iter().all(|sentinel| sentinel.ask(&[&question]).is_ok_and(|text| sees_all(&text)))
    }

    /// The sentinels have the password of the servers.
    fn url(&self, place: &Place) -> String {
        let sentinels = clients_ports(place)[2..].iter().map(|port| format!("127.0.0.1:{port}"));
        let sentinels: Vec<_> = sentinels.collect();
        let rest = format!("://default:{}@{}/?service={SERVICE}", place.password, sentinels.join(","));
        match self.transport {
            Transport::Plain => format!("redis+sentinel{rest}"),
            Transport::Tls => format!("rediss+sentinel{rest}&{}", redis_node::tls_options(place)),
        }
    }

    fn stop_signal(&self) -> &'static str {
        redis_node::STOP_SIGNAL
    }
}

/// By port, in this order. Servers are stopped from the last on, so that no failover begins
/// meanwhile.
struct Parts<'a> {
    master: Node<'a>,
    replica: Node<'a>,
    sentinels: Vec<Node<'a>>,
}

fn parts(place: &Place) -> Parts<'_> {
    let (plain, encrypted) = place.ports.split_at(PROCESSES);
    let mut nodes = plain.iter().enumerate().map(|(index, &port)| match encrypted.get(index) {
        Some(&tls_port) => Node::new(place, port).with_tls_port(tls_port),
        None => Node::new(place, port),
    });
    let mut next = || nodes.next().expect("a place has the ports that were asked for");
    Parts { master: next(), replica: next(), sentinels: nodes.collect() }
}

/// Where clients find the processes, and these each other.
fn clients_ports(place: &Place) -> &[u16] {
    let (plain, encrypted) = place.ports.split_at(PROCESSES);
    if encrypted.is_empty() { plain } else { encrypted }
}

/// True once a sentinel has found the replica and the other sentinels, and the master in good
/// health.
fn sees_all(master: &str) -> bool {
    let others = (SENTINELS - 1).to_string();
    field(master, "flags") == Some("master")
        && field(master, "num-slaves") == Some("1")
        && field(master, "num-other-sentinels") == Some(others.as_str())
}

/// A value from a flat list of names and values, each behind a line with its length.
fn field<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    let mut values = list.lines().filter(|line| !line.starts_with(['$', '*']));
    values.find(|value| *value == name)?;
    values.next()
}

#[cfg(test)]
mod tests {
    use super::{SENTINEL, SENTINEL_TLS, field, sees_all};
    use crate::services::server::{Server, sample_place};

    const SEEN: &str = "*6\r\n$5\r\nflags\r\n$6\r\nmaster\r\n$10\r\nnum-slaves\r\n$1\r\n1\r\n\
                        $19\r\nnum-other-sentinels\r\n$1\r\n2\r\n";

    #[test]
    fn a_field_is_the_value_behind_its_name() {
        assert_eq!(field(SEEN, "num-slaves"), Some("1"));
        assert_eq!(field(SEEN, "quorum"), None);
    }

    #[test]
    fn a_sentinel_is_ready_once_it_has_found_everybody() {
        assert!(sees_all(SEEN));
        assert!(!sees_all(&SEEN.replace("\r\n1\r\n", "\r\n0\r\n")), "no replica");
        assert!(!sees_all(&SEEN.replace("\r\n2\r\n", "\r\n1\r\n")), "a sentinel is missing");
        assert!(!sees_all(&SEEN.replace("\r\nmaster\r\n", "\r\ns_down,master\r\n")), "the master is down");
    }

    #[test]
    fn the_url_names_the_sentinels_and_the_service() {
        let url = SENTINEL.url(&sample_place(&[1, 2, 3, 4, 5]));
        let expected = "redis+sentinel://default:abc@127.0.0.1:3,127.0.0.1:4,127.0.0.1:5/?service=queue";
        assert_eq!(url, expected);
        let url = SENTINEL_TLS.url(&sample_place(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
        let expected =
            "rediss+sentinel://default:abc@127.0.0.1:8,127.0.0.1:9,127.0.0.1:10/?service=queue&ssl_";
        assert!(url.starts_with(expected), "{url}");
    }
}
