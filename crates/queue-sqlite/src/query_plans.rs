//! Every statement that runs in normal work must find its rows by an index and in order: one that
//! does not is slow only once a queue is large, which no other test would notice.

use crate::{connect::plan_once, migrate::migrate, row::COLUMNS, sql};
use rusqlite::Connection;

/// Transaction control; the list of workers, which answers its whole table; and what came due since
/// the last claim, which is in claim order only once a claim has moved it.
const WITHOUT_A_SEARCH: [&str; 6] =
    ["begin", "commit", "rollback", "list_workers", "list_came_due", "list_timed_out"];

fn database() -> Connection {
    let mut connection = Connection::open_in_memory().expect("a database in memory");
    plan_once(&connection).expect("it is set");
    migrate(&mut connection).unwrap_or_else(|refused| panic!("{refused:?}"));
    connection
}

/// The steps by which SQLite would run a statement.
fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let without_header: String =
        sql.lines().filter(|line| !line.starts_with("--")).collect::<Vec<_>>().join("\n");
    let mut statement =
        connection.prepare(&format!("EXPLAIN QUERY PLAN {without_header}")).expect("it prepares");
    for at in 1..=statement.parameter_count() {
        statement.raw_bind_parameter(at, 1).expect("it binds");
    }
    let mut rows = statement.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next().expect("it explains") {
        steps.push(row.get(3).expect("a step is text"));
    }
    steps
}

fn is_slow(step: &str) -> bool {
    let is_scan = step.starts_with("SCAN") && !step.ends_with("VALUES CLAUSE");
    is_scan || step.contains("TEMP B-TREE") || step.contains("AUTOMATIC")
}

#[test]
fn no_statement_scans_or_sorts() {
    let connection = database();
    for (name, sql) in sql::ALL.iter().filter(|(name, _)| !WITHOUT_A_SEARCH.contains(name)) {
        let slow: Vec<_> = plan(&connection, sql).into_iter().filter(|step| is_slow(step)).collect();
        assert_eq!(slow, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_statement_without_a_fitting_index_is_noticed() {
    let connection = database();
    for sql in [
        "SELECT key FROM queue_job WHERE kind = ?1",
        "SELECT key FROM queue_job WHERE queue = ?1 ORDER BY created_at",
    ] {
        assert!(plan(&connection, sql).iter().any(|step| is_slow(step)), "{sql}");
    }
}

#[test]
fn settles_go_by_the_primary_key_and_claims_by_the_order_of_ready_jobs() {
    let connection = database();
    let by_key = |table| format!("SEARCH {table} USING INTEGER PRIMARY KEY (rowid=?)");
    let of_life = by_key("life") + " LEFT-JOIN";
    assert_eq!(plan(&connection, sql::JOB_BY_KEY), [by_key("job"), of_life.clone()]);
    assert_eq!(plan(&connection, sql::SAVE_LIFE), [by_key("queue_life")]);
    let in_order = "SEARCH waiting USING PRIMARY KEY (queue=?)".to_owned();
    assert_eq!(plan(&connection, sql::READY_JOBS), [in_order, by_key("job"), of_life]);
}

#[test]
fn signals_find_a_gate_by_its_key_and_claims_step_through_time_outs_in_order() {
    let connection = database();
    let by_key = |table| format!("SEARCH {table} USING INTEGER PRIMARY KEY (rowid=?)");
    assert_eq!(plan(&connection, sql::LOAD_GATE), [by_key("queue_gate")]);
    let of_sender = "SEARCH queue_end_signal USING PRIMARY KEY (seq=?)";
    assert_eq!(plan(&connection, sql::LOAD_END_SIGNALS), [of_sender]);
    let timed_out = "SEARCH waiting USING PRIMARY KEY (queue=? AND run_at<?)".to_owned();
    assert_eq!(plan(&connection, sql::PROMOTE_TIMED_OUT), [timed_out, by_key("job")]);
    let first = "SEARCH queue_gated USING PRIMARY KEY (queue=?)";
    assert_eq!(plan(&connection, sql::FIRST_GATED), [first]);
}

#[test]
fn claims_in_turn_step_through_open_partitions_alone() {
    let connection = database();
    let fronts = "SEARCH queue_partition USING COVERING INDEX queue_partition_front \
                  (queue=? AND front_limited=? AND (front_priority,turn,partition)>(?,?,?))";
    assert_eq!(plan(&connection, sql::FRONTS), [fronts]);
    let first = "SEARCH waiting USING PRIMARY KEY (queue=? AND partition=?)";
    assert_eq!(plan(&connection, sql::PARTITION_JOB)[0], first);
    let next = "SEARCH queue_partition_ready USING PRIMARY KEY (queue=? AND partition=? AND priority>?)";
    assert_eq!(plan(&connection, sql::FIRST_OF_PARTITION), [next]);
}

#[test]
fn a_walk_through_the_jobs_of_a_queue_is_a_range_of_the_table() {
    let connection = database();
    let range = "SEARCH job USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)";
    for sql in [sql::LIST_JOBS, sql::LIST_JOBS_BACK] {
        assert_eq!(plan(&connection, sql)[0], range);
    }
}

#[test]
fn listings_step_from_place_to_place_in_an_index_of_what_they_show() {
    let connection = database();
    let places = "(at,seq)>(?,?) AND (at,seq)<(?,?)";
    let failures = &*format!("failure USING PRIMARY KEY (queue=? AND state=? AND {places})");
    let tagged = "tagged USING PRIMARY KEY (queue=? AND tag=? AND seq>? AND seq<?)";
    for (sql, step) in [
        (sql::LIST_FAILURES, failures),
        (sql::LIST_FAILURES_BACK, failures),
        (sql::LIST_TAGGED, tagged),
        (sql::LIST_TAGGED_BACK, tagged),
        (sql::LIST_READY, "waiting USING PRIMARY KEY (queue=? AND (priority,run_at,seq)>(?,?,?))"),
        (sql::LIST_SCHEDULED, "waiting USING PRIMARY KEY (queue=? AND (run_at,seq)>(?,?))"),
        (sql::LIST_GATED, "waiting USING PRIMARY KEY (queue=? AND (run_at,seq)>(?,?))"),
    ] {
        assert_eq!(plan(&connection, sql)[0], format!("SEARCH {step}"));
    }
}

#[test]
fn statements_that_read_jobs_select_the_same_columns() {
    let connection = database();
    let columns = |sql: &str| {
        let statement = connection.prepare(sql).expect("it prepares");
        statement.column_names().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let expected = columns(sql::JOB_BY_KEY);
    assert_eq!(expected.len(), COLUMNS);
    let reads_jobs =
        |name: &str| name == "job_by_id" || name.starts_with("prune_") || name.starts_with("list_");
    let of_others = ["list_queues", "list_series", "list_workers"];
    for (name, sql) in sql::ALL.iter().filter(|(name, _)| reads_jobs(name) && !of_others.contains(name)) {
        assert_eq!(columns(sql), expected, "{name}");
    }
    let (payload, outcome) = (columns(sql::LOAD_PAYLOAD), columns(sql::LOAD_OUTCOME));
    let whole = [expected, payload, outcome].concat();
    assert_eq!((columns(sql::READY_JOBS), columns(sql::PARTITION_JOB)), (whole.clone(), whole));
}
