//! What the server does when its memory is full, and how soon that is.

use super::{ASK_RIGHT, number};
use crate::probe::Info;
use queue_core::{Finding, Severity};

/// From here on a snapshot, or a burst of enqueues, may reach the limit.
const PERCENT_WARNING: u64 = 80;
/// From here on the next large batch is refused.
const PERCENT_BROKEN: u64 = 95;
/// Without a limit the system kills the server when memory is used up; saving a snapshot may take
/// as much again as the data.
const PERCENT_OF_SYSTEM_WARNING: u64 = 60;

pub(super) fn eviction(info: &Info<'_>) -> Finding {
    const CODE: &str = "redis-eviction";
    let policy = info.field("maxmemory_policy").unwrap_or("noeviction");
    let seen = format!("maxmemory-policy is {policy}");
    let advice =
        "set it to noeviction: a server that evicts removes jobs and whole queues, and nobody is told";
    match (policy, number(info, "maxmemory")) {
        ("noeviction", _) => Finding::fine(CODE, seen),
        (_, Some(0)) => Finding::warning(CODE, format!("{seen}, without a limit of memory so far"), advice),
        _ => {
            let evicted = number(info, "evicted_keys").unwrap_or(0);
            Finding::broken(CODE, format!("{seen}; {evicted} keys were evicted so far"), advice)
        }
    }
}

pub(super) fn headroom(info: &Info<'_>) -> Finding {
    const CODE: &str = "redis-memory";
    let (Some(used), Some(limit)) = (number(info, "used_memory"), number(info, "maxmemory")) else {
        return Finding::unknown(CODE, "the server does not tell its memory", ASK_RIGHT);
    };
    if let Some(percent) = (used * 100).checked_div(limit) {
        let severity = match percent {
            PERCENT_BROKEN.. => Severity::Broken,
            PERCENT_WARNING.. => Severity::Warning,
            _ => Severity::Fine,
        };
        let seen = format!("{} MiB are used, {percent} % of maxmemory", used >> 20);
        let advice =
            "raise maxmemory, or keep less: `queue prune`, shorter retention; a full server refuses new jobs";
        return Finding::new(CODE, severity, seen, advice);
    }
    let system = number(info, "total_system_memory").unwrap_or(0);
    let seen = format!("{} MiB are used of {} MiB of the host, without maxmemory", used >> 20, system >> 20);
    if system > 0 && used * 100 / system >= PERCENT_OF_SYSTEM_WARNING {
        let advice =
            "set maxmemory with noeviction, so that new jobs are refused before the system ends the server";
        return Finding::warning(CODE, seen, advice);
    }
    Finding::fine(CODE, seen)
}
