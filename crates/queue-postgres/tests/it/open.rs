//! What a URL may lead to, and what opening makes of it.

use crate::common::{Place, assert_sound, claim, enqueue, job, queue};
use queue_core::{Certainty, Error, ErrorKind, Storage};
use queue_postgres::{MIGRATIONS, Migrations, PostgresOptions, PostgresStorage, schema, schema_down};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};
use std::{error::Error as _, io, sync::Arc, time::Duration};
use tokio::task::JoinSet;

async fn refusal(options: PostgresOptions) -> Error {
    let error = PostgresStorage::open(options).await.expect_err("it is refused");
    assert_eq!((error.operation(), error.certainty()), ("open", Certainty::NotApplied), "{error}");
    error
}

/// The options with settings of the server, as a URL has them.
fn with_settings(place: &Place, settings: &[(&str, &str)]) -> PostgresOptions {
    let settings: Vec<String> =
        settings.iter().map(|(key, value)| format!("options[{key}]={value}")).collect();
    let url = format!("{}?{}", place.schema.url, settings.join("&"));
    PostgresOptions::new(&url).expect("a URL").schema(&place.schema.name).expect("a name")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ten_that_start_at_once_make_the_tables_once() {
    let Some(place) = Place::new().await else { return };
    let opens: JoinSet<_> = (0..10)
        .map(|_| {
            let options = place.options().connections_max(1);
            async move { PostgresStorage::open(options).await }
        })
        .collect();
    let stores: Vec<_> = opens.join_all().await.into_iter().map(|store| store.expect("it opens")).collect();
    let count = format!("SELECT count(*) FROM {}.migration", place.schema.quoted());
    let mut connection = place.schema.connect().await.unwrap();
    let row = sqlx::query(AssertSqlSafe(count)).fetch_one(&mut connection).await.unwrap();
    assert_eq!(usize::try_from(row.get::<i64, _>(0)).unwrap(), MIGRATIONS.len());
    enqueue(&stores[0], vec![job("a")]).await;
    assert_eq!(claim(&stores[9], 10).await.jobs.len(), 1);
    place.finish(&stores[0]).await;
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone() {
    let Some(place) = Place::new().await else { return };
    place.open().await.close().await.unwrap();
    place.execute("INSERT INTO {schema}.migration (version) VALUES (99)").await;
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("99"), "{error}");
    place.remove().await;
}

#[tokio::test]
async fn a_schema_of_before_the_first_release_is_refused_and_left_alone() {
    let Some(place) = Place::new().await else { return };
    place.open().await.close().await.unwrap();
    place.execute("UPDATE {schema}.migration SET version = 1").await;
    let error = refusal(place.options()).await;
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("version 1") && error.message().contains("another schema"), "{error}");
    place.remove().await;
}

#[tokio::test]
async fn tables_of_our_names_that_are_not_ours_are_refused_and_left_alone() {
    let Some(place) = Place::new().await else { return };
    place.execute("CREATE SCHEMA {schema}; CREATE TABLE {schema}.body (mine text)").await;
    assert_eq!(refusal(place.options()).await.kind(), ErrorKind::Invalid);
    assert_eq!(place.execute("INSERT INTO {schema}.body VALUES ('still mine')").await, 1);
    place.remove().await;
}

#[tokio::test]
async fn tables_applied_by_hand_are_taken_as_they_are_and_can_be_taken_back() {
    let Some(place) = Place::new().await else { return };
    let missing = refusal(place.options().migrations(Migrations::Expect)).await;
    assert_eq!(missing.kind(), ErrorKind::Unsupported, "{missing}");
    place.execute(&schema(&place.schema.name).unwrap()).await;
    let store = place.open_with(|options| options.migrations(Migrations::Expect)).await;
    enqueue(&store, vec![job("a")]).await;
    assert_sound(&store).await;
    store.close().await.unwrap();
    place.execute(&schema_down(&place.schema.name).unwrap()).await;
    place.execute("DROP SCHEMA {schema} RESTRICT").await;
}

/// Each name is also a placeholder in the texts of statements.
#[tokio::test]
async fn a_schema_may_be_called_what_stands_for_something_in_statements() {
    for name in ["{schema}", "{life} {now}", "$1", "a\"b'c\\d{"] {
        let Some(place) = Place::new().await else { return };
        let options = || place.options().schema(name).unwrap();
        let store = PostgresStorage::open(options()).await.expect(name);
        enqueue(&store, vec![job("a")]).await;
        assert_eq!(claim(&store, 1).await.jobs.len(), 1, "{name}");
        assert_sound(&store).await;
        store.close().await.unwrap();
        // An administrator may apply it by hand in this way.
        let mut connection = place.schema.connect().await.unwrap();
        let remove = format!("DROP SCHEMA \"{}\" CASCADE", name.replace('"', "\"\""));
        sqlx::raw_sql(AssertSqlSafe(remove.clone())).execute(&mut connection).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(schema(name).unwrap())).execute(&mut connection).await.expect(name);
        let store = PostgresStorage::open(options().migrations(Migrations::Expect)).await.expect(name);
        store.close().await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(remove)).execute(&mut connection).await.unwrap();
    }
}

#[tokio::test]
async fn a_user_with_nothing_but_a_schema_of_its_own_is_enough() {
    let Some(place) = Place::new().await else { return };
    let role = place.schema.quoted();
    place.execute(&format!("DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN PASSWORD 'x'")).await;
    place.execute(&format!("CREATE SCHEMA {{schema}} AUTHORIZATION {role}")).await;
    let at = place.schema.url.rfind('@').unwrap();
    let url = format!("postgres://{}:x{}", place.schema.name.replace(' ', "%20"), &place.schema.url[at..]);
    let options = PostgresOptions::new(&url).unwrap().schema(&place.schema.name).unwrap();
    let store = PostgresStorage::open(options).await.unwrap();
    enqueue(&store, vec![job("a")]).await;
    assert_eq!(claim(&store, 1).await.jobs.len(), 1);
    store.close().await.unwrap();
    place.execute(&format!("DROP SCHEMA {{schema}} CASCADE; DROP ROLE {role}")).await;
}

#[tokio::test]
async fn what_cannot_be_connected_to_is_told_with_advice_and_without_the_password() {
    let Some(place) = Place::new().await else { return };
    let at = place.schema.url.rfind('@').unwrap();
    let (address, database) = place.schema.url[at + 1..].split_once('/').unwrap();
    for (url, kind) in [
        (format!("postgres://nobody-known:hunter2@{address}/{database}"), ErrorKind::Invalid),
        (
            format!("{}no-such-database", &place.schema.url[..place.schema.url.len() - database.len()]),
            ErrorKind::Invalid,
        ),
        ("postgres://queue:hunter2@127.0.0.1:1/postgres".to_owned(), ErrorKind::Unavailable),
    ] {
        let error = refusal(PostgresOptions::new(&url).unwrap()).await;
        assert_eq!(error.kind(), kind, "{error}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
        let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
        let is_absent = source.is_some_and(|source| source.kind() == io::ErrorKind::NotFound);
        assert_eq!(is_absent, url.contains("no-such-database"), "a program that waits tells it by this");
    }
    for url in ["", "mysql://h/d", "postgres://h:x/d", "postgres://h/d?schema=pg_x", "postgres://h/d?schema="]
    {
        assert_eq!(PostgresOptions::new(url).expect_err("it is refused").kind(), ErrorKind::Invalid, "{url}");
    }
}

#[tokio::test]
async fn a_server_that_only_reads_is_told_as_such() {
    let Some(place) = Place::new().await else { return };
    let error = refusal(with_settings(&place, &[("default_transaction_read_only", "on")])).await;
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.message().contains("read-only"), "{error}");
}

/// Holds an id in an open transaction, so that an enqueue of it waits.
async fn hold_id(place: &Place, store: &PostgresStorage) -> PgConnection {
    let mut connection = place.schema.connect().await.expect("the server answers");
    sqlx::raw_sql("BEGIN").execute(&mut connection).await.expect("it begins");
    store.enqueue_in(&mut connection, &queue(), &[job("held")]).await.expect("it enqueues");
    connection
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_told_as_unavailable_and_did_nothing() {
    let Some(place) = Place::new().await else { return };
    let (patient, store) = (
        place.open().await,
        PostgresStorage::open(with_settings(&place, &[("statement_timeout", "300")])).await.unwrap(),
    );
    enqueue(&patient, vec![job("known")]).await;
    let holder = hold_id(&place, &patient).await;
    let error = store.enqueue(&queue(), vec![vec![job("held")]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
    assert!(error.message().contains("statement_timeout"), "{error}");
    holder.close().await.unwrap();
    store.close().await.unwrap();
    place.finish(&patient).await;
}

#[tokio::test]
async fn a_pool_without_a_free_connection_is_told_as_unavailable_and_did_nothing() {
    let Some(place) = Place::new().await else { return };
    let narrow =
        |options: PostgresOptions| options.connections_max(1).acquire_timeout(Duration::from_secs(5));
    let (patient, store) = (place.open().await, Arc::new(place.open_with(narrow).await));
    enqueue(&*store, vec![job("known")]).await;
    let holder = hold_id(&place, &patient).await;
    let mut waiting = JoinSet::new();
    let busy = store.clone();
    waiting.spawn(async move { busy.enqueue(&queue(), vec![vec![job("held")]]).await });
    // The only connection is taken once the server shows a waiting statement.
    place.until_one_waits_for_a_lock().await;
    let error = store.counts(&queue()).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
    assert!(error.message().contains("connections_max"), "{error}");
    holder.close().await.unwrap();
    waiting.join_next().await.unwrap().unwrap().expect("it goes on once the id is free");
    place.finish(&store).await;
}

#[tokio::test]
async fn tables_that_are_gone_are_told_with_advice() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    enqueue(&store, vec![job("a")]).await;
    place.execute("DROP SCHEMA {schema} CASCADE").await;
    let error = store.enqueue(&queue(), vec![vec![job("b")]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unsupported, Certainty::NotApplied), "{error}");
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_full_queue_of_notifications_is_told_with_advice() {
    let Some(place) = Place::new().await else { return };
    let store = place.open().await;
    let refuse = "CREATE FUNCTION {schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE 'too many notifications in the NOTIFY queue' USING ERRCODE = '54000'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON {schema}.ready FOR EACH ROW EXECUTE FUNCTION {schema}.refuse()";
    place.execute(refuse).await;
    let error = store.enqueue(&queue(), vec![vec![job("a")]]).await.unwrap_err();
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
    assert!(error.message().contains("pg_terminate_backend"), "{error}");
    store.close().await.unwrap();
    place.remove().await;
}
