//! `diagnose`: what the server reports of itself, judged.

mod cluster;
mod masters;
mod memory;
mod persistence;
mod replicas;
mod slow_scripts;

use crate::{
    client::Master,
    handle::{HandleState, LAYOUT},
    keys::Spread,
    probe::Info,
};
use futures_util::future::join_all;
use masters::MasterLook;
use queue_core::{Error, ErrorKind, Finding, Result};

/// What the library says where a user may not ask.
const ASK_RIGHT: &str = "give the user of the store this right, or run `queue doctor` as one who has it";

/// The most masters of a Cluster that are looked at.
const MASTERS_MAX: usize = 128;

impl HandleState {
    /// Looks at the health of the server, of a Cluster at that of every master; one finding for
    /// each check.
    pub(crate) async fn diagnose(&self) -> Result<Vec<Finding>> {
        let masters = self.client.masters("diagnose", MASTERS_MAX).await?;
        let looks = masters.into_iter().map(|master| self.look_at(master));
        masters::merged(join_all(looks).await)
    }

    async fn look_at(&self, mut master: Master<'_>) -> MasterLook {
        let findings = self.findings(&mut master).await;
        MasterLook { address: master.address, findings }
    }

    async fn findings(&self, master: &mut Master<'_>) -> Result<Vec<Finding>> {
        let text: String = master.ask(&redis::cmd("INFO")).await?;
        let info = Info(&text);
        let mut findings = vec![
            layout(&info),
            memory::eviction(&info),
            memory::headroom(&info),
            persistence::writes(&info),
            persistence::durability(&info, setting(master, "appendfsync").await.as_deref()),
            replicas::replicas(&info, self.client.replicas()),
            clients(&info),
            slow_scripts::judge(slow_log(master).await),
        ];
        if self.queues.spread() != Spread::OneServer {
            findings.push(cluster::judge(master.ask(redis::cmd("CLUSTER").arg("INFO")).await));
        }
        Ok(findings)
    }
}

/// Reads a setting; `None` where the user may not, or the host keeps its settings to itself.
async fn setting(master: &mut Master<'_>, name: &str) -> Option<String> {
    let answer: Vec<(String, String)> = master.ask(redis::cmd("CONFIG").arg("GET").arg(name)).await.ok()?;
    answer.into_iter().next().map(|(_, value)| value)
}

async fn slow_log(master: &mut Master<'_>) -> Result<Vec<slow_scripts::SlowCall>> {
    let entries = master.ask(redis::cmd("SLOWLOG").arg("GET").arg(slow_scripts::ENTRIES)).await?;
    Ok(slow_scripts::read(&entries))
}

/// Opening compared the layout; this says which server answered.
fn layout(info: &Info<'_>) -> Finding {
    let version = info.field("valkey_version").or(info.field("redis_version")).unwrap_or("of no version");
    let name = if info.field("valkey_version").is_some() { "Valkey" } else { "Redis" };
    Finding::fine(
        "store-layout",
        format!("the namespace has layout {LAYOUT}; the server is {name} {version}"),
    )
}

fn clients(info: &Info<'_>) -> Finding {
    const CODE: &str = "redis-clients";
    /// The rest is for the moment in which new programs start beside the old ones.
    const PERCENT_WARNING: u64 = 80;
    let (Some(used), Some(most)) = (number(info, "connected_clients"), number(info, "maxclients")) else {
        return Finding::unknown(CODE, "the server does not tell how many connections it takes", ASK_RIGHT);
    };
    let seen = format!("{used} of {most} connections are taken");
    let advice = "raise maxclients, or have programs share a handle: each takes one connection, and one more for hints";
    if used * 100 < most * PERCENT_WARNING {
        return Finding::fine(CODE, seen);
    }
    Finding::warning(CODE, seen, advice)
}

fn number(info: &Info<'_>, field: &str) -> Option<u64> {
    info.field(field)?.parse().ok()
}

/// The finding for an answer that did not come: a right is missing, or the command.
fn unanswered(code: &'static str, error: &Error) -> Finding {
    let seen = match error.kind() {
        ErrorKind::Invalid | ErrorKind::Unsupported => "this user may not ask the server".to_owned(),
        _ => format!("the server does not say: {}", error.message()),
    };
    Finding::unknown(code, seen, ASK_RIGHT)
}
