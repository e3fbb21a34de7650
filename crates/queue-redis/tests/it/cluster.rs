//! A private Cluster, whose masters a test may stop or kill.
#![allow(dead_code, reason = "each test file uses a part")]

use crate::server::{Fsync, Server};
use queue_core::QueueName;
use redis::Cmd;
use std::time::Duration;
use tokio::time::{Instant, sleep};

pub(crate) const MASTERS: usize = 3;
const SLOTS: usize = 16_384;
const JOIN_MAX: Duration = Duration::from_secs(30);

/// Three masters without replicas. A master that is down takes only its own slots with it.
pub(crate) struct Cluster {
    pub(crate) masters: Vec<Server>,
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        let mut masters = Vec::new();
        for index in 0..MASTERS {
            let master = Server::start_with(Fsync::Never, settings).await;
            let (first, next) = (index * SLOTS / MASTERS, (index + 1) * SLOTS / MASTERS);
            master.run(command("ADDSLOTSRANGE").arg(first).arg(next - 1)).await;
            master.run(command("SET-CONFIG-EPOCH").arg(index + 1)).await;
            let meets = masters.first().unwrap_or(&master);
            meets.run(command("MEET").arg("127.0.0.1").arg(master.port()).arg(master.second_port())).await;
            masters.push(master);
        }
        let cluster = Self { masters };
        cluster.wait_until_it_serves().await;
        cluster
    }

    pub(crate) fn url(&self) -> String {
        let hosts: Vec<_> =
            self.masters.iter().map(|master| format!("127.0.0.1:{}", master.port())).collect();
        format!("redis+cluster://{}", hosts.join(","))
    }

    /// The master of a queue, or, for `*`, of the keys that belong to no queue.
    pub(crate) async fn master_of(&self, tag: &str) -> usize {
        let slot = self.masters[0].ask(command("KEYSLOT").arg(format!("{{{tag}}}"))).await;
        let slot: usize = slot.expect("a slot");
        (0..MASTERS).find(|index| slot < (index + 1) * SLOTS / MASTERS).expect("somebody has it")
    }

    /// A queue on a given master.
    pub(crate) async fn queue_of(&self, master: usize) -> QueueName {
        let mut number = 0;
        loop {
            let name = format!("queue-{number}");
            if self.master_of(&name).await == master {
                return QueueName::new(name).expect("valid");
            }
            number += 1;
        }
    }

    async fn wait_until_it_serves(&self) {
        let end = Instant::now() + JOIN_MAX;
        for master in &self.masters {
            while !master.ask::<String>(&command("INFO")).await.is_ok_and(|info| is_whole(&info)) {
                assert!(Instant::now() < end, "the masters do not join");
                sleep(Duration::from_millis(20)).await;
            }
        }
    }
}

fn settings(bus_port: u16) -> Vec<String> {
    let settings = format!(
        "--cluster-enabled yes --cluster-port {bus_port} --cluster-announce-ip 127.0.0.1 \
         --cluster-node-timeout 1000 --cluster-require-full-coverage no"
    );
    settings.split(' ').map(str::to_owned).collect()
}

fn command(name: &str) -> Cmd {
    let mut command = redis::cmd("CLUSTER");
    command.arg(name);
    command
}

fn is_whole(info: &str) -> bool {
    ["cluster_state:ok", "cluster_slots_ok:16384", "cluster_size:3"].iter().all(|line| info.contains(line))
}
