//! Every statement that runs in normal work must find its rows by an index and in order: one that does not is slow only
//! once a queue is large, which no other test would notice.

use crate::{migrate::migrate, row::COLUMNS, sql};
use rusqlite::Connection;

/// Transaction control, and the list of workers, which answers its whole table.
const WITHOUT_A_SEARCH: [&str; 4] = ["begin", "commit", "rollback", "list_workers"];

fn database() -> Connection {
    let mut connection = Connection::open_in_memory().expect("a database in memory");
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
    step.starts_with("SCAN") || step.contains("TEMP B-TREE") || step.contains("AUTOMATIC")
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
fn a_walk_through_the_jobs_of_a_queue_is_a_range_of_the_table() {
    let connection = database();
    let range = "SEARCH job USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)";
    let of_life = "SEARCH life USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN";
    assert_eq!(plan(&connection, sql::LIST_JOBS), [range, of_life]);
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
    let same = [
        sql::JOB_BY_ID,
        sql::LIST_HELD,
        sql::LIST_JOBS,
        sql::LIST_LAPSED,
        sql::PRUNE_EXPIRED,
        sql::PRUNE_FINISHED,
        sql::PRUNE_EVERYTHING,
    ];
    for sql in same {
        assert_eq!(columns(sql), expected);
    }
    let (payload, outcome) = (columns(sql::LOAD_PAYLOAD), columns(sql::LOAD_OUTCOME));
    assert_eq!(columns(sql::READY_JOBS), [expected.clone(), payload, outcome].concat());
}
