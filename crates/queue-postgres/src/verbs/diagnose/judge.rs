//! Verdicts on what the server reports: pure functions, each with its thresholds.

use super::server_health::{OldestSnapshot, ServerHealth, TableHealth};
use crate::{migrate, wakeup::ListenerState};
use queue_core::{Finding, Severity};

/// An old snapshot matters by the rows that were removed since. A transaction of the store removes
/// about two rows, so this many leave twice as many dead rows as `DEAD_ROWS_WARNING`.
const SNAPSHOT_TRANSACTIONS_WARNING: i64 = 50_000;
/// A transaction of a program that works with a queue ends within a minute; one of five minutes was
/// forgotten, or is a report that belongs on a standby.
const SNAPSHOT_SECONDS_WARNING: i64 = 300;
/// Autovacuum begins at 2,000 in these tables. A claim steps over the dead rows at the front of its
/// order, and at this number that takes longer than the claim itself.
const DEAD_ROWS_WARNING: i64 = 50_000;
/// From here on the next few programs get no connection.
const CONNECTIONS_LEFT_BROKEN: i64 = 3;
/// Of a hundred connections, when to warn: a deployment that starts its new processes beside the
/// old ones needs the rest.
const CONNECTIONS_PERCENT_WARNING: i64 = 80;
/// When the room for notifications is full, every commit that sends one fails.
const NOTIFICATIONS_WARNING: f64 = 0.5;

pub(super) fn layout(server: &ServerHealth) -> Finding {
    let newest = migrate::newest();
    let seen = format!(
        "the tables have version {}, this program has version {newest}; PostgreSQL {}",
        server.layout, server.version
    );
    let severity = if server.layout == newest { Severity::Fine } else { Severity::Broken };
    Finding::new(
        "store-layout",
        severity,
        seen,
        "run the same version everywhere; a program that starts brings older tables up to date",
    )
}

pub(super) fn durability(server: &ServerHealth) -> Finding {
    const CODE: &str = "durability";
    if !server.is_flushing || !server.writes_full_pages {
        return Finding::broken(
            CODE,
            format!(
                "fsync is {}, full_page_writes is {}",
                on(server.is_flushing),
                on(server.writes_full_pages)
            ),
            "a power cut can damage the whole database: set both to on",
        );
    }
    match &*server.synchronous_commit {
        "off" => Finding::warning(
            CODE,
            "commits are answered before they are flushed (synchronous_commit=off)",
            "a crash of the server loses the newest jobs; set it to on for this role or database, or accept it",
        ),
        other => Finding::fine(CODE, format!("each commit is flushed (synchronous_commit={other})")),
    }
}

pub(super) fn old_snapshot(oldest: Option<&OldestSnapshot>, hidden: i64) -> Finding {
    const CODE: &str = "postgres-old-snapshot";
    let is_old = |oldest: &OldestSnapshot| {
        oldest.age >= SNAPSHOT_TRANSACTIONS_WARNING
            || oldest.seconds.is_some_and(|seconds| seconds >= SNAPSHOT_SECONDS_WARNING)
    };
    let words = |oldest: &OldestSnapshot| {
        let since = oldest.seconds.map_or_else(String::new, |seconds| format!(" and {seconds} s"));
        format!("{} sees a state of {} transactions{since} ago", oldest.holder, oldest.age)
    };
    match oldest {
        Some(oldest) if is_old(oldest) => Finding::warning(
            CODE,
            words(oldest),
            "end it (pg_terminate_backend, ROLLBACK PREPARED, pg_drop_replication_slot): until then no removed row is \
             cleaned away, and claims become slower",
        ),
        _ if hidden > 0 => Finding::unknown(
            CODE,
            format!("{hidden} sessions of other users cannot be seen"),
            "grant pg_read_all_stats to the user of the store, or run `queue doctor` as one who may see them",
        ),
        Some(oldest) => Finding::fine(CODE, words(oldest)),
        None => Finding::fine(CODE, "no session sees an old state"),
    }
}

pub(super) fn dead_rows(tables: &[TableHealth]) -> Finding {
    let hot = || tables.iter().filter(|table| table.is_hot());
    let dead: i64 = hot().map(|table| table.dead).sum();
    let each: Vec<String> = hot().map(words_of).collect();
    let severity = if dead > DEAD_ROWS_WARNING { Severity::Warning } else { Severity::Fine };
    Finding::new(
        "postgres-dead-rows",
        severity,
        each.join("; "),
        "see postgres-old-snapshot and postgres-autovacuum; then VACUUM these tables",
    )
}

fn words_of(table: &TableHealth) -> String {
    let cleaned = table
        .vacuumed_before_seconds
        .map_or_else(|| "never vacuumed".to_owned(), |seconds| format!("vacuumed {seconds} s ago"));
    let (name, live, dead) = (&table.name, table.live, table.dead);
    format!("{name} has {live} live and {dead} dead rows in {} KiB, {cleaned}", table.bytes >> 10)
}

pub(super) fn autovacuum(server: &ServerHealth, tables: &[TableHealth]) -> Finding {
    const CODE: &str = "postgres-autovacuum";
    const ADVICE: &str = "switch it on again (autovacuum and track_counts of the server, ALTER TABLE .. RESET (autovacuum_enabled)): \
        nobody else cleans up after jobs";
    if !server.has_autovacuum {
        return Finding::warning(CODE, "autovacuum or track_counts is off on this server", ADVICE);
    }
    let without: Vec<&str> =
        tables.iter().filter(|table| table.is_never_vacuumed).map(|table| &*table.name).collect();
    if without.is_empty() {
        return Finding::fine(CODE, "autovacuum is on for all tables");
    }
    Finding::warning(CODE, format!("autovacuum is off for {}", without.join(", ")), ADVICE)
}

pub(super) fn connections(server: &ServerHealth) -> Finding {
    let (used, most) = (server.clients, server.clients_max);
    let severity = if most - used < CONNECTIONS_LEFT_BROKEN {
        Severity::Broken
    } else if used * 100 >= most * CONNECTIONS_PERCENT_WARNING {
        Severity::Warning
    } else {
        Severity::Fine
    };
    Finding::new(
        "postgres-connections",
        severity,
        format!("{used} of {most} connections are taken"),
        "lower connections_max of programs, put a pooler in front, or raise max_connections; a handle takes up to 10, 3 for \
         heartbeats and 1 to listen",
    )
}

pub(super) fn pooler(is_told: bool, keeps_settings: bool) -> Finding {
    const CODE: &str = "postgres-pooler";
    match (is_told, keeps_settings) {
        (true, _) => {
            Finding::fine(CODE, "a pooler that gives out transactions, so jobs are found by polling")
        }
        (false, true) => Finding::fine(CODE, "connections keep the settings of the store"),
        (false, false) => Finding::warning(
            CODE,
            "something replaces the settings of connections, so each transaction brings them, which costs a round trip",
            "behind a pooler in transaction mode add `pooler=transactions` to the URL; else see what sets them anew: \
             a hook of the pool, the role or the database",
        ),
    }
}

pub(super) fn listener(is_wanted: bool, state: ListenerState, server: &ServerHealth) -> Finding {
    const CODE: &str = "postgres-listen";
    let taken = server.notifications * 100.0;
    if server.notifications > NOTIFICATIONS_WARNING {
        return Finding::warning(
            CODE,
            format!("{taken:.0} % of the room for notifications is taken"),
            "end the session that listens and stands still in a transaction (pg_stat_activity, state idle in transaction): once \
             the room is full, commits fail",
        );
    }
    let listeners = server.listeners;
    match state {
        _ if !is_wanted => Finding::fine(CODE, "listening is off, so jobs are found by polling"),
        ListenerState::Lost => Finding::warning(
            CODE,
            format!("the connection of this program that listened is gone; {listeners} sessions listen"),
            "see that the server takes connections; jobs are found by polling until a subscription makes it again",
        ),
        ListenerState::Idle => {
            Finding::fine(CODE, format!("{listeners} sessions listen, none of them of this program"))
        }
        ListenerState::Listening => Finding::fine(CODE, format!("{listeners} sessions listen")),
    }
}

const fn on(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Severity::{Broken, Fine, Warning};

    fn server(clients: i64) -> ServerHealth {
        ServerHealth { clients, clients_max: 97, ..ServerHealth::default() }
    }

    #[test]
    fn connections_are_short_from_four_fifths_on_and_gone_when_two_are_left() {
        let severities = [70, 78, 94, 95, 97].map(|clients| connections(&server(clients)).severity);
        assert_eq!(severities, [Fine, Warning, Warning, Broken, Broken]);
    }

    #[test]
    fn sessions_that_cannot_be_seen_make_it_unknown() {
        assert_eq!(old_snapshot(None, 1).severity, Severity::Unknown);
        assert_eq!(old_snapshot(None, 0).severity, Severity::Fine);
    }

    #[test]
    fn a_listener_that_is_gone_and_a_full_room_are_warnings() {
        let full = ServerHealth { notifications: 0.6, ..ServerHealth::default() };
        assert_eq!(listener(true, ListenerState::Listening, &full).severity, Severity::Warning);
        let empty = ServerHealth::default();
        assert_eq!(listener(true, ListenerState::Lost, &empty).severity, Severity::Warning);
        assert_eq!(listener(false, ListenerState::Idle, &empty).severity, Severity::Fine);
    }
}
