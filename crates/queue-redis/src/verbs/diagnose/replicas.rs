//! The replicas of the server, and how far they are behind.

use super::number;
use crate::{options::Replicas, probe::Info};
use queue_core::Finding;

/// A replica reports each second; one that was silent for ten is stopped or cut off.
const SILENT_SECONDS: u64 = 10;
/// The backlog from which a replica catches up has a MiB by default; one that is further behind
/// has to copy everything once it is cut off.
const BEHIND_BYTES: u64 = 1 << 20;
/// The most replicas that are looked at.
const REPLICAS_MAX: usize = 64;

struct Replica {
    is_online: bool,
    silent_seconds: u64,
    behind_bytes: u64,
}

pub(super) fn replicas(info: &Info<'_>, wanted: Option<Replicas>) -> Finding {
    const CODE: &str = "redis-replicas";
    let written = number(info, "master_repl_offset").unwrap_or(0);
    let lines = (0..REPLICAS_MAX).map_while(|n| info.field(&format!("slave{n}")));
    let replicas: Vec<Replica> = lines.map(|line| Replica::read(line, written)).collect();
    let good = replicas.iter().filter(|replica| !replica.is_behind()).count();
    let (silent, behind) = (
        replicas.iter().map(|replica| replica.silent_seconds).max().unwrap_or(0),
        replicas.iter().map(|replica| replica.behind_bytes).max().unwrap_or(0),
    );
    let seen = format!(
        "{good} of {} replicas keep up; one was last heard {silent} s ago, one is {} KiB behind",
        replicas.len(),
        behind >> 10
    );
    match wanted {
        Some(wanted) if good < wanted.count as usize => Finding::broken(
            CODE,
            format!("{seen}; each write waits for {}", wanted.count),
            "start the replicas again, or open the store with fewer in `wait_for_replicas`: until then writes fail, with an \
             unknown outcome",
        ),
        _ if replicas.is_empty() => Finding::fine(CODE, "there is no replica, and no write waits for one"),
        _ if good == replicas.len() => Finding::fine(CODE, seen),
        _ => Finding::warning(
            CODE,
            seen,
            "look at the replica and at the network between: what it has not received is lost when it takes over",
        ),
    }
}

impl Replica {
    fn read(line: &str, written: u64) -> Self {
        let field = |name: &str| line.split(',').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        let number = |name: &str| field(name).and_then(|value| value.parse().ok()).unwrap_or(0);
        Self {
            is_online: field("state") == Some("online"),
            silent_seconds: number("lag"),
            behind_bytes: written.saturating_sub(number("offset")),
        }
    }

    fn is_behind(&self) -> bool {
        !self.is_online || self.silent_seconds > SILENT_SECONDS || self.behind_bytes > BEHIND_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queue_core::Severity;
    use std::time::Duration;

    const TWO: &str = "master_repl_offset:5000000\r\nslave0:ip=a,port=1,state=online,offset=4999000,lag=1\r\nslave1:ip=b,port=1,state=online,offset=1000,lag=0\r\n";

    fn wanted(count: u32) -> Replicas {
        Replicas { count, timeout: Duration::ZERO }
    }

    #[test]
    fn a_replica_that_is_far_behind_is_a_warning_and_broken_if_writes_wait_for_it() {
        assert_eq!(replicas(&Info(TWO), None).severity, Severity::Warning);
        assert_eq!(replicas(&Info(TWO), Some(wanted(1))).severity, Severity::Warning);
        assert_eq!(replicas(&Info(TWO), Some(wanted(2))).severity, Severity::Broken);
    }

    #[test]
    fn a_silent_replica_is_a_warning() {
        let silent = TWO.replace("offset=1000,lag=0", "offset=5000000,lag=11");
        assert_eq!(replicas(&Info(&silent), None).severity, Severity::Warning);
        assert_eq!(replicas(&Info(&silent.replace("lag=11", "lag=10")), None).severity, Severity::Fine);
    }
}
