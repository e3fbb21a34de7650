//! What acknowledged writes survive on this server.

use super::number;
use crate::probe::Info;
use queue_core::Finding;

pub(super) fn durability(info: &Info<'_>, appendfsync: Option<&str>) -> Finding {
    const CODE: &str = "durability";
    const ADVICE: &str = "set appendonly yes and appendfsync always, or accept it";
    if info.field("aof_enabled") != Some("1") {
        return Finding::warning(
            CODE,
            "the server has no append-only file: a crash loses every job since the last snapshot",
            ADVICE,
        );
    }
    match appendfsync {
        Some("always") => Finding::fine(CODE, "each write is flushed before it is answered"),
        Some("everysec") => {
            Finding::warning(CODE, "a power cut loses up to two seconds (appendfsync everysec)", ADVICE)
        }
        Some(other) => Finding::warning(
            CODE,
            format!("a power cut loses what the system has not flushed (appendfsync {other})"),
            ADVICE,
        ),
        None => Finding::unknown(
            CODE,
            "there is an append-only file, and the server does not tell when it is flushed",
            "grant +config|get, or look at appendfsync",
        ),
    }
}

/// Whether the last writes to the disk succeeded: a server whose snapshots fail refuses writes.
pub(super) fn writes(info: &Info<'_>) -> Finding {
    const CODE: &str = "redis-disk-writes";
    let failed: Vec<&str> = ["rdb_last_bgsave_status", "aof_last_write_status", "aof_last_bgrewrite_status"]
        .into_iter()
        .filter(|field| info.field(field).is_some_and(|status| status != "ok"))
        .collect();
    if failed.is_empty() {
        let unsaved = number(info, "rdb_changes_since_last_save").unwrap_or(0);
        return Finding::fine(
            CODE,
            format!("the last writes to disk succeeded; {unsaved} changes since the last snapshot"),
        );
    }
    Finding::broken(
        CODE,
        format!("the server could not write to its disk ({})", failed.join(", ")),
        "free room on its disk and check the rights on its directory: until then it may refuse all writes",
    )
}
