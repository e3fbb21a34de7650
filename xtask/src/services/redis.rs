//! Redis and Valkey, alone, as a Cluster and under Sentinel: kept in memory, reachable by password
//! over loopback alone.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::certificates::Certificates;
use super::server::{Durability, Place, Plan, Sign};

/// Masters of a Cluster, without replicas; each has a third of the slots.
pub(super) const MASTERS: usize = 3;
const SLOTS: usize = 16_384;

/// A master, its replica, and the sentinels.
pub(super) const OF_SENTINEL: usize = 2 + SENTINELS;
const SENTINELS: usize = 3;
/// What the sentinels call the master.
const SERVICE: &str = "queue";
/// Two sentinels must find the master dead before one of them replaces it, and soon, since tests
/// wait for that.
const MONITORED: &str = "2";
const SOON: &str = "down-after-milliseconds 1000 failover-timeout 10000";

pub(super) fn redis(place: &Place) -> Result<Plan> {
    single(place, "redis-server")
}

pub(super) fn valkey(place: &Place) -> Result<Plan> {
    single(place, "valkey-server")
}

fn single(place: &Place, program: &str) -> Result<Plan> {
    let nodes = Nodes { place, count: 1 };
    let settings = vec![nodes.of_data("")];
    let scheme = if place.tls { "rediss" } else { "redis" };
    nodes.plan(program, settings, &nodes.url(scheme, 0..1, "/0"))
}

/// Redis has no password between masters, so that there loopback is the only protection, or the
/// certificate.
pub(super) fn cluster(place: &Place) -> Result<Plan> {
    let nodes = Nodes { place, count: MASTERS };
    let buses = &place.ports[place.ports.len() - MASTERS..];
    let settings = buses.iter().map(|bus| {
        let encrypts = if place.tls { "yes" } else { "no" };
        nodes.of_data(&format!(
            "cluster-enabled yes\ncluster-config-file nodes.conf\ncluster-node-timeout 5000\n\
             cluster-port {bus}\ncluster-announce-ip 127.0.0.1\ncluster-require-full-coverage no\n\
             tls-cluster {encrypts}\n"
        ))
    });
    let scheme = if place.tls { "rediss+cluster" } else { "redis+cluster" };
    let mut plan = nodes.plan("redis-server", settings.collect(), &nodes.url(scheme, 0..MASTERS, ""))?;
    // Each master gets its slots and an epoch of its own, then the first meets the others.
    for (index, &port) in nodes.plain().iter().enumerate() {
        let [first, last] = [index * SLOTS / MASTERS, (index + 1) * SLOTS / MASTERS - 1];
        plan.join.push((port, format!("CLUSTER ADDSLOTSRANGE {first} {last}")));
        plan.join.push((port, format!("CLUSTER SET-CONFIG-EPOCH {}", index + 1)));
    }
    for (port, bus) in nodes.for_clients().iter().zip(buses).skip(1) {
        plan.join.push((nodes.plain()[0], format!("CLUSTER MEET 127.0.0.1 {port} {bus}")));
    }
    let complete = ["cluster_state:ok\r", "cluster_slots_ok:16384\r", "cluster_size:3\r"];
    plan.serves = nodes.plain().iter().map(|&port| answer(port, "CLUSTER INFO", &complete)).collect();
    Ok(plan)
}

/// A master, a replica, and three sentinels. Processes are stopped from the last on, so that no
/// failover begins meanwhile.
pub(super) fn sentinel(place: &Place) -> Result<Plan> {
    let nodes = Nodes { place, count: OF_SENTINEL };
    let (master, password) = (nodes.for_clients()[0], &place.password);
    // Both servers know the password of the other, as either may become the replica.
    let auth = format!("masterauth {password}\n");
    let mut settings =
        vec![nodes.of_data(&auth), nodes.of_data(&format!("{auth}replicaof 127.0.0.1 {master}\n"))];
    settings.resize(OF_SENTINEL, String::new());
    let scheme = if place.tls { "rediss+sentinel" } else { "redis+sentinel" };
    let url = nodes.url(scheme, 2..OF_SENTINEL, &format!("/?service={SERVICE}"));
    let mut plan = nodes.plan("redis-server", settings, &url)?;
    for sentinel in &mut plan.processes[2..] {
        sentinel.arg("--sentinel");
    }
    // The master is named only now, since a sentinel that knows its master before that one is up
    // takes it for dead.
    for &port in &nodes.plain()[2..] {
        plan.join.push((port, format!("SENTINEL MONITOR {SERVICE} 127.0.0.1 {master} {MONITORED}")));
        plan.join.push((port, format!("SENTINEL SET {SERVICE} auth-pass {password} {SOON}")));
    }
    plan.serves.push(answer(nodes.plain()[0], "INFO replication", &["state=online"]));
    // Each sentinel has found the replica and the other sentinels, and the master in good health.
    let found =
        ["flags\r\n$6\r\nmaster\r\n", "num-slaves\r\n$1\r\n1\r\n", "num-other-sentinels\r\n$1\r\n2\r\n"];
    let question = format!("SENTINEL MASTER {SERVICE}");
    plan.serves.extend(nodes.plain()[2..].iter().map(|&port| answer(port, &question, &found)));
    Ok(plan)
}

/// Processes on the ports of a place: first a plain one for each, and, where clients encrypt, one
/// for them each. The plain ones are for questions from here then.
struct Nodes<'p> {
    place: &'p Place,
    count: usize,
}

impl Nodes<'_> {
    fn plain(&self) -> &[u16] {
        &self.place.ports[..self.count]
    }

    /// Where clients find the processes, and these each other.
    fn for_clients(&self) -> &[u16] {
        if self.place.tls { &self.place.ports[self.count..2 * self.count] } else { self.plain() }
    }

    /// With more settings for each process.
    fn plan(&self, program: &str, settings: Vec<String>, url: &str) -> Result<Plan> {
        let certificates = Certificates::below(&self.place.folder);
        let mut files = if self.place.tls { certificates.make()? } else { Vec::new() };
        let mut processes = Vec::new();
        for (index, more) in settings.into_iter().enumerate() {
            let (file, text) = self.settings(index, &certificates);
            let mut process = Command::new(self.place.bin.join(program));
            process.arg(&file);
            processes.push(process);
            files.push((file, text + &more));
        }
        let answers = self.plain().iter().map(|&port| answer(port, "PING", &["+PONG\r\n"])).collect();
        let (join, serves, url) = (Vec::new(), Vec::new(), url.to_owned());
        Ok(Plan { files, setup: None, processes, stop_signal: "TERM", answers, join, serves, url })
    }

    /// Of a process in a folder of its own.
    fn settings(&self, index: usize, certificates: &Certificates) -> (PathBuf, String) {
        let (port, password) = (self.plain()[index], &self.place.password);
        let folder = self.place.folder.join(port.to_string());
        let mut text = format!(
            "bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir \"{}\"\ndaemonize no\n",
            folder.display()
        );
        if self.place.tls {
            let [authority, certificate, key] =
                certificates.of_server().map(|file| file.display().to_string());
            write!(
                text,
                "tls-port {}\ntls-ca-cert-file \"{authority}\"\ntls-cert-file \"{certificate}\"\n\
                 tls-key-file \"{key}\"\ntls-auth-clients yes\ntls-replication yes\n",
                self.for_clients()[index]
            )
            .expect("a string takes text");
        }
        (folder.join("redis.conf"), text)
    }

    /// A queue must never be evicted, so that the store refuses any other policy.
    fn of_data(&self, more: &str) -> String {
        let append = match self.place.durability {
            Durability::None => "appendonly no\n",
            Durability::Disk => "appendonly yes\nappendfsync always\n",
        };
        format!("save \"\"\nmaxmemory-policy noeviction\n{append}{more}")
    }

    /// The user is spelt out, since some clients take an empty name for a user without one.
    fn url(&self, scheme: &str, which: std::ops::Range<usize>, path: &str) -> String {
        let hosts: Vec<_> =
            self.for_clients()[which].iter().map(|port| format!("127.0.0.1:{port}")).collect();
        let url = format!("{scheme}://default:{}@{}{path}", self.place.password, hosts.join(","));
        if !self.place.tls {
            return url;
        }
        let files = Certificates::below(&self.place.folder);
        let options = files.options(["ssl_ca_certs", "ssl_certfile", "ssl_keyfile"]);
        format!("{url}{}{options}", if path.contains('?') { '&' } else { '?' })
    }
}

fn answer(port: u16, question: &str, contains: &[&str]) -> Sign {
    Sign::Answer(port, question.to_owned(), contains.iter().map(|&part| part.to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::{cluster, redis, sentinel};
    use crate::services::server::{Durability, Place, Plan, sample_place};

    fn settings(plan: &Plan, index: usize) -> &str {
        let mut files = plan.files.iter().filter(|(path, _)| path.ends_with("redis.conf"));
        &files.nth(index).expect("each process has one").1
    }

    fn assert_lines(text: &str, lines: &[&str]) {
        for line in lines {
            assert!(text.lines().any(|found| found == *line), "{line} in {text}");
        }
    }

    #[test]
    fn settings_keep_to_loopback_and_evict_nothing() {
        let plan = redis(&sample_place(1, false)).expect("a plan");
        let lines =
            ["bind 127.0.0.1", "port 1", "requirepass abc", "maxmemory-policy noeviction", "appendonly no"];
        assert_lines(settings(&plan, 0), &lines);
        assert_eq!(plan.url, "redis://default:abc@127.0.0.1:1/0");
    }

    #[test]
    fn a_durable_process_writes_before_it_answers() {
        let place = Place { durability: Durability::Disk, ..sample_place(1, false) };
        assert_lines(settings(&redis(&place).expect("a plan"), 0), &["appendonly yes", "appendfsync always"]);
    }

    #[test]
    fn an_encrypted_process_asks_for_certificates() {
        let plan = redis(&sample_place(2, true)).expect("a plan");
        let key = "tls-key-file \"/tmp/x y/tls/server.key\"";
        assert_lines(settings(&plan, 0), &["port 1", "tls-port 2", "tls-auth-clients yes", key]);
        assert!(plan.url.starts_with("rediss://default:abc@127.0.0.1:2/0?ssl_ca_certs=/tmp"), "{}", plan.url);
    }

    #[test]
    fn every_slot_has_one_master_and_the_first_one_meets_the_others_where_clients_do() {
        let plan = cluster(&sample_place(9, true)).expect("a plan");
        let told: Vec<_> = plan.join.iter().map(|(port, told)| format!("{port} {told}")).collect();
        for expected in [
            "1 CLUSTER ADDSLOTSRANGE 0 5460",
            "2 CLUSTER ADDSLOTSRANGE 5461 10921",
            "3 CLUSTER ADDSLOTSRANGE 10922 16383",
            "1 CLUSTER MEET 127.0.0.1 5 8",
            "1 CLUSTER MEET 127.0.0.1 6 9",
        ] {
            assert!(told.iter().any(|told| told == expected), "{expected} in {told:?}");
        }
        let hosts = "rediss+cluster://default:abc@127.0.0.1:4,127.0.0.1:5,127.0.0.1:6?ssl_ca_certs=/";
        assert!(plan.url.starts_with(hosts), "{}", plan.url);
    }

    #[test]
    fn sentinels_watch_the_master_and_are_what_clients_ask() {
        let plan = sentinel(&sample_place(5, false)).expect("a plan");
        let hosts = "127.0.0.1:3,127.0.0.1:4,127.0.0.1:5";
        assert_eq!(plan.url, format!("redis+sentinel://default:abc@{hosts}/?service=queue"));
        assert_lines(settings(&plan, 1), &["masterauth abc", "replicaof 127.0.0.1 1"]);
        assert!(!settings(&plan, 2).contains("appendonly"), "a sentinel holds no data");
        assert_eq!(plan.join[0], (3, "SENTINEL MONITOR queue 127.0.0.1 1 2".to_owned()));
    }
}
