//! `verify` finds what does not add up: each kind of damage is done by hand, and must be told.

mod common;

use common::{Place, assert_sound, claim, complete, enqueue, job, settle};
use queue_core::{Span, Storage};
use rusqlite::Connection;

#[tokio::test]
async fn every_kind_of_damage_is_found() {
    for (damage, told) in [
        ("UPDATE queue_count SET jobs = jobs + 1 WHERE slot = 0", "too many in slot 0"),
        ("DELETE FROM queue_count WHERE slot = 6", "slot 6"),
        ("DELETE FROM queue_body WHERE seq = 1", "job 1 has no body"),
        ("INSERT INTO queue_body VALUES (99, 'a', x'')", "body 99 has no job"),
        ("INSERT INTO queue_outcome VALUES (99, 'a', x'', NULL)", "outcome 99 has no job"),
        ("UPDATE queue_job SET flags = flags | 4 WHERE seq = 2", "job 2 is wrong about having an outcome"),
        ("UPDATE queue_outcome SET result = NULL", "job 1 is wrong about having a result"),
        ("UPDATE queue_job SET lane = 1 WHERE state = 1", "job 2 in state 1 stands in lane 1"),
        ("UPDATE queue_job SET token = NULL WHERE state = 1", "job 2 in state 1"),
        ("UPDATE queue_job SET lane = 0 WHERE lane = 1", "job 4 is ready before its time"),
        ("UPDATE queue_job SET queue = 7 WHERE seq = 3", "job 3 is in unnamed queue 7"),
        ("UPDATE queue_store SET seq_mark = 1", "is beyond the mark 1"),
        ("DELETE FROM queue_schema", "schema version"),
    ] {
        let place = Place::new();
        let store = place.open().await;
        enqueue(&store, vec![job("a"), job("b"), job("c"), job("d").with_delay(Span::from_secs(9))]).await;
        let claimed = claim(&store, 2, 1).await.jobs;
        settle(&store, &claimed[0].record.meta, complete(claimed[0].token)).await;
        assert_sound(&store).await;
        Connection::open(place.path()).unwrap().execute(damage, []).unwrap();
        let findings = store.verify().await.unwrap();
        assert!(findings.iter().any(|finding| finding.contains(told)), "{damage}: {findings:?}");
    }
}
