//! `--wait`: a command that is started before its store.

use crate::place;
use queue_e2e::{CommandDirectory, Process, until};
use queue_testkit::proxy::lasting_address;
use rustix::process::Signal;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use std::{env, fs};

fn waits(process: &Process) {
    until("it says that it waits", || process.stderr().contains("waiting for the store: ").then_some(()));
}

/// A worker that ends once its store is there and empty.
fn worker(place: &CommandDirectory, store: &[&str]) -> Process {
    let worker = place.start(&[&["work", "--exec", "cat", "--drain", "--wait"], store].concat());
    waits(&worker);
    worker
}

fn free_port() -> String {
    lasting_address().expect("a port is free").port().to_string()
}

#[test]
fn a_worker_waits_for_a_redis_that_starts_later() {
    if env::var_os("QUEUE_TEST_REDIS_URL").is_none() {
        eprintln!("skipped: no Redis");
        return;
    }
    let (place, redis, port) = (place(), CommandDirectory::new("redis-server"), free_port());
    let worker = worker(&place, &["--store", &format!("redis://127.0.0.1:{port}")]);
    let _server = redis.start(&["--bind", "127.0.0.1", "--port", &port, "--save", ""]);
    assert!(worker.wait().ok().text().starts_with("completed 0 jobs"));
}

#[tokio::test]
async fn a_worker_waits_for_a_database_of_postgres_that_is_made_later() {
    let Ok(url) = env::var("QUEUE_TEST_POSTGRES_URL") else {
        eprintln!("skipped: no Postgres");
        return;
    };
    let (place, database) = (place(), format!("late_{}", std::process::id()));
    let mut server = PgConnection::connect(&url).await.expect("it answers");
    let (whole, options) = url.split_once('?').unwrap_or((&url, ""));
    let (before, _) = whole.rsplit_once('/').expect("it names a database");
    let worker = worker(&place, &["--store", &format!("{before}/{database}?{options}")]);
    let make = format!("CREATE DATABASE {database}");
    sqlx::raw_sql(AssertSqlSafe(make)).execute(&mut server).await.expect("it may");
    assert!(worker.wait().ok().text().starts_with("completed 0 jobs"));
    let remove = format!("DROP DATABASE {database} WITH (FORCE)");
    sqlx::raw_sql(AssertSqlSafe(remove)).execute(&mut server).await.expect("it may");
}

#[test]
fn a_worker_waits_for_a_service_that_starts_later() {
    let (place, address) = (place(), format!("127.0.0.1:{}", free_port()));
    let server = format!("http://{address}");
    let worker = place.start(&["work", "--exec", "cat", "--drain", "--wait", "--server", &server]);
    until("it says that it waits", || worker.stderr().contains("trying again").then_some(()));
    let (_service, _) = place.serve(&address, &["--no-auth"]);
    assert!(worker.wait().ok().text().starts_with("completed 0 jobs"));
}

#[test]
fn a_worker_waits_for_a_file_that_is_made_later_and_does_its_jobs() {
    for store in ["sqlite:late/queue.db", "file:late/queue"] {
        let place = place();
        let worker = worker(&place, &["--store", store]);
        fs::create_dir(place.path().join("late")).expect("it is new");
        place.run(&["enqueue", "x", "--id", "a", "--store", store]).ok();
        assert!(worker.wait().ok().text().starts_with("completed 1 job"), "{store}");
    }
}

#[test]
fn a_server_waits_for_its_store_and_then_says_where_it_listens() {
    let place = place();
    let server = place.start(&["serve", "--no-auth", "--wait", "--listen", "127.0.0.1:0", "--json"]);
    waits(&server);
    assert_eq!(String::from_utf8_lossy(&server.stdout()), "");
    place.run(&["enqueue", "x"]).ok();
    until("it listens", || String::from_utf8_lossy(&server.stdout()).contains("listening").then_some(()));
    server.signal(Signal::TERM);
    server.wait().ok();
}

#[test]
fn a_signal_ends_the_wait_with_nothing_done() {
    for command in [&["work", "--exec", "cat"][..], &["serve", "--no-auth", "--listen", "127.0.0.1:0"]] {
        for signal in [Signal::TERM, Signal::INT] {
            let place = place();
            let process = place.start(&[command, &["--wait"]].concat());
            waits(&process);
            process.signal(signal);
            assert_eq!(process.wait().ok().text(), "", "{command:?}");
            assert!(!place.path().join("queue.db").exists());
        }
    }
}

#[test]
fn a_wait_that_is_over_ends_with_the_error_and_its_code() {
    let place = place();
    let away = ["work", "--exec", "cat", "--wait=100ms", "--store", "redis://127.0.0.1:1"];
    place.run(&away).code(5);
    let missing = place.run(&["work", "--exec", "cat", "--wait=1s"]).code(2);
    assert!(missing.stderr.contains("queue.db: there is no store"), "{missing:?}");
    place.run(&["work", "--exec", "cat", "--wait=5s", "--server", "http://127.0.0.1:1"]).code(2);
}

#[test]
fn what_no_waiting_mends_ends_at_once() {
    let place = place();
    fs::write(place.path().join("other.db"), [7; 8_192]).expect("it is written");
    for (store, code) in [("sqlite:other.db", 6), ("redis://127.0.0.1:port", 2), ("nothing:there", 2)] {
        let ended = place.run(&["work", "--exec", "cat", "--wait", "--store", store]).code(code);
        assert!(!ended.stderr.contains("waiting"), "{ended:?}");
    }
    place.run(&["work", "--exec", "cat", "--wait=0s"]).code(2);
    if let Ok(url) = env::var("QUEUE_TEST_POSTGRES_URL") {
        let (scheme, place_of_server) = url.split_once("://").expect("a URL");
        let (_, host) = place_of_server.rsplit_once('@').unwrap_or(("", place_of_server));
        let wrong = format!("{scheme}://nobody-{}:wrong@{host}", std::process::id());
        let ended = place.run(&["work", "--exec", "cat", "--wait", "--store", &wrong]).code(2);
        assert!(!ended.stderr.contains("waiting"), "{ended:?}");
    }
}
