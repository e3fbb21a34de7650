//! What a claim reads beside many partitions, full or open (ADR 84).

use crate::common::{Place, claim, complete, enqueue, queue, settle};
use crate::partitions::{PATIENCE, of, set_each};
use queue_core::{PartitionQuery, Storage};
use queue_postgres::PostgresStorage;
use sqlx::{AssertSqlSafe, Connection, Row};
use tokio::time::Instant;

fn claim_of_nothing(place: &Place) -> String {
    let schema = place.schema.quoted();
    format!(
        "SELECT * FROM {schema}.claim_in_turn(
           0, true, 1, '{{0}}', 0, '{{1000}}', '{{\"\\\\x00\"}}', '{{w}}', 1000000, 1000, true, '{{NULL}}', NULL, 'x')"
    )
}

/// How many pages a claim of nothing reads. It is rolled back.
async fn pages_of_a_claim(place: &Place) -> i64 {
    let mut connection = place.schema.connect().await.expect("the server answers");
    let explain = format!("EXPLAIN (ANALYZE, BUFFERS) {}", claim_of_nothing(place));
    let mut lines = Vec::new();
    // The first call of a session reads catalogs too.
    for _ in 0..2 {
        let mut transaction = connection.begin().await.expect("it begins");
        let explained = sqlx::query(AssertSqlSafe(explain.clone())).fetch_all(&mut *transaction).await;
        lines = explained.expect("it explains").iter().map(|row| row.get::<String, _>(0)).collect();
        transaction.rollback().await.expect("it rolls back");
    }
    let pages = lines.iter().find_map(|line| line.trim().strip_prefix("Buffers: shared hit="));
    let pages = pages.and_then(|text| text.split(' ').next()).and_then(|number| number.parse().ok());
    pages.unwrap_or_else(|| panic!("no pages in {lines:?}"))
}

/// A claim leaves dead rows, which the next one reads.
async fn clean(place: &Place) {
    let tables = ["body", "ready", "lease", "partition", "partition_slip", "tally"];
    for table in tables {
        place.execute(&format!("VACUUM ANALYZE {{schema}}.{table}")).await;
    }
}

async fn fill(store: &PostgresStorage, from: usize, count: usize) {
    for first in (from..from + count).step_by(1_000) {
        let numbers = first..(first + 1_000).min(from + count);
        let jobs =
            numbers.flat_map(|n| [0, 1, 2].map(|m| of(&format!("p{n}"), &format!("{n}-{m}")))).collect();
        enqueue(store, jobs).await;
    }
    // Of leases that lapse at one moment, a claim reads all.
    while !claim(store, 50).await.jobs.is_empty() {}
    let query = PartitionQuery::all(queue(), 1_000);
    let page = store.partitions(query).await.expect("it lists partitions");
    assert!(page.partitions.iter().all(queue_core::PartitionStatus::is_full));
}

/// How many pages a claim reads once nobody's snapshot keeps the rows that others have left: it
/// waits until these are few enough.
async fn until_pages(place: &Place, most: i64) -> i64 {
    let begun = Instant::now();
    loop {
        clean(place).await;
        let pages = pages_of_a_claim(place).await;
        if pages <= most {
            return pages;
        }
        assert!(begun.elapsed() < PATIENCE, "a claim of nothing reads {pages} pages, and may read {most}");
    }
}

#[tokio::test]
async fn a_claim_reads_no_more_beside_many_full_partitions_than_beside_few() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    set_each(&store, 1).await;
    fill(&store, 0, 20).await;
    let few = until_pages(&place, 400).await;
    fill(&store, 20, 2_000).await;
    let many = until_pages(&place, 400).await;
    println!("{few} pages beside 20 full partitions, {many} beside 2,020");
    place.finish(&store).await;
}

/// How many entries of the indexes of waiting jobs and of partitions a claim of nothing reads.
async fn entries_of_a_claim(place: &Place) -> i64 {
    const READ: &str = "SELECT sum(pg_stat_get_xact_tuples_returned(i.indexrelid))::bigint FROM pg_index AS i
        JOIN pg_class AS c ON c.oid = i.indrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname IN ('partition', 'ready')";
    let mut connection = place.schema.connect().await.expect("the server answers");
    let mut transaction = connection.begin().await.expect("it begins");
    sqlx::raw_sql(AssertSqlSafe(claim_of_nothing(place)))
        .execute(&mut *transaction)
        .await
        .expect("it claims");
    let read = sqlx::query_scalar(READ).bind(&place.schema.name).fetch_one(&mut *transaction).await;
    transaction.rollback().await.expect("it rolls back");
    read.expect("the server counts")
}

/// `EXISTS` read all of them for the end of one lease.
#[tokio::test]
async fn the_end_of_a_lease_reads_no_more_beside_many_open_partitions_than_beside_few() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    let mut entries = Vec::new();
    for numbers in [0..20, 20..4_000] {
        for first in numbers.clone().step_by(1_000) {
            let some = first..numbers.end.min(first + 1_000);
            enqueue(&store, some.map(|n| of(&format!("p{n}"), &n.to_string())).collect()).await;
        }
        // These take the slips of the enqueues; then there is one, of the end of a lease.
        let held = claim(&store, 1).await.jobs;
        for _ in 0..=numbers.len() / 1_000 {
            claim(&store, 1).await;
        }
        settle(&store, &held[0].record.meta, complete(held[0].token)).await;
        entries.push(entries_of_a_claim(&place).await);
        claim(&store, 1).await;
    }
    println!("{} entries beside 20 open partitions, {} beside 4,000", entries[0], entries[1]);
    assert!(entries[0] > 0 && entries[1] < 400, "{entries:?}");
    place.finish(&store).await;
}
