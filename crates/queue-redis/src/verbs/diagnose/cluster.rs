//! Whether a Cluster serves all of its slots.

use super::{number, unanswered};
use crate::probe::Info;
use queue_core::{Finding, Result};

/// The slots of a Cluster.
const SLOTS: u64 = 16_384;

pub(super) fn judge(answer: Result<String>) -> Finding {
    const CODE: &str = "redis-cluster-slots";
    let text = match answer {
        Ok(text) => text,
        Err(error) => return unanswered(CODE, &error),
    };
    let info = Info(&text);
    let served = number(&info, "cluster_slots_ok").unwrap_or(0);
    let failing =
        number(&info, "cluster_slots_pfail").unwrap_or(0) + number(&info, "cluster_slots_fail").unwrap_or(0);
    let nodes = number(&info, "cluster_known_nodes").unwrap_or(0);
    let seen = format!("{served} of {SLOTS} slots are served, {failing} fail; {nodes} nodes");
    if info.field("cluster_state") == Some("ok") && served == SLOTS {
        return Finding::fine(CODE, seen);
    }
    Finding::broken(
        CODE,
        seen,
        "bring the missing masters back or let their replicas take over (redis-cli --cluster check): queues of these slots \
         do not work",
    )
}
