//! The command `queue demo`: its proof, the store that it is given, and the store that it refuses.

use crate::place;

#[test]
fn the_demo_kills_a_worker_and_proves_that_nothing_is_lost() {
    let place = place();
    let summary = place.run(&["demo", "--jobs", "400", "--workers", "3", "--json"]).ok().object();
    assert_eq!((&summary["accepted"], &summary["completed"]), (&400.into(), &400.into()));
    for fault in ["lost", "wrong", "unexplained"] {
        assert_eq!(summary[fault].as_array().map(Vec::len), Some(0), "{summary}");
    }
    assert!(summary["killed_worker_mid_work"].as_u64() > Some(0), "{summary}");
    assert!(summary["run_twice"]["killed"].as_u64() > Some(0), "{summary}");
    assert!(summary["recovery_ms"].is_u64(), "{summary}");
    assert!(
        place.path().read_dir().expect("it exists").next().is_none(),
        "it leaves nothing in the working directory"
    );
}

#[test]
fn the_demo_runs_on_a_store_that_is_given_and_empties_its_queue() {
    let place = place();
    let url = place.url();
    let ran = place.run(&["demo", "--jobs", "200", "--workers", "2", "--store", &url]).ok();
    assert!(ran.text().contains("Nothing was lost."), "{ran:?}");
    assert!(ran.stderr.contains("with SIGKILL"), "{ran:?}");
    assert_eq!(place.run(&["verify"]).ok().text(), "The store is sound.\n");
    let file = rusqlite::Connection::open(place.path().join("queue.db")).unwrap();
    let left: i64 = file.query_row("SELECT count(*) FROM queue_job", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "the queue of the demo is empty");
}

#[test]
fn the_demo_refuses_a_store_that_lives_in_one_process() {
    let ran = place().run(&["demo", "--store", "memory:"]).code(2);
    assert!(ran.stderr.contains("several processes"), "{ran:?}");
}
