//! `verify` finds contradictions: each kind of damage is done by hand, and must be reported.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, settle};
use queue_core::{Span, Storage};
use rusqlite::Connection;

#[tokio::test]
async fn every_kind_of_damage_is_found() {
    for (damage, told) in [
        ("UPDATE queue_count SET jobs = jobs + 1 WHERE slot = 0", "too many in slot 0"),
        ("DELETE FROM queue_count WHERE slot = 6", "slot 6"),
        ("DELETE FROM queue_job WHERE key & 0xff = 2", "life 2 has no job"),
        ("UPDATE queue_life SET queue = 7 WHERE seq = 2", "life 2 has no job"),
        ("UPDATE queue_life SET result = NULL", "job 1 is wrong about having a result"),
        ("UPDATE queue_life SET result_type = NULL", "job 1 is wrong about having a result"),
        (
            "UPDATE queue_life SET result_type = 'a', result = x'' WHERE seq = 2",
            "job 2 is wrong about having",
        ),
        ("UPDATE queue_life SET token = NULL WHERE state = 1", "job 2 in state 1"),
        ("UPDATE queue_life SET settled_event = 0 WHERE state = 1", "job 2 in state 1"),
        ("UPDATE queue_life SET finished_at = NULL WHERE state = 3", "job 1 in state 3"),
        ("DELETE FROM queue_ready WHERE seq = 3", "job 3 stands 0 times"),
        ("UPDATE queue_ready SET priority = 9", "job 3 stands 0 times"),
        ("UPDATE queue_ready SET priority = 9", "entry 3 among the waiting jobs has no job"),
        ("INSERT INTO queue_ready VALUES (1, 0, 0, 99)", "entry 99 among the waiting jobs has no job"),
        ("INSERT INTO queue_scheduled SELECT queue, run_at, seq FROM queue_ready", "job 3 stands 2 times"),
        (
            "INSERT INTO queue_ready SELECT queue, 0, created_at + run_after, 1 FROM queue_job WHERE key & 0xff = 1",
            "job 1 stands 1 times",
        ),
        (
            "INSERT INTO queue_ready SELECT queue, 0, run_at, seq FROM queue_scheduled",
            "job 4 is ready before",
        ),
        ("UPDATE queue_job SET queue = 7 WHERE key & 0xff = 3", "job 3 is in unnamed queue 7"),
        (
            "UPDATE queue_job SET key = key + (1 << 40) WHERE key & 0xff = 3",
            "job 3 of queue 1 has a key of queue 2",
        ),
        ("UPDATE queue_life SET claimed_after = NULL WHERE state = 1", "job 2 in state 1"),
        ("UPDATE queue_life SET failed_at = 1 WHERE state = 3", "job 1 in state 3"),
        ("INSERT INTO queue_failure VALUES (1, 4, 5, 1)", "job 1 stands 1 times too often among failures"),
        ("UPDATE queue_job SET tags = 'x' WHERE key & 0xff = 3", "job 3 has 1 tags and 0 entries"),
        ("INSERT INTO queue_tag VALUES (1, 'x', 3)", "the tag 'x' leads to job 3"),
        ("INSERT INTO queue_tag VALUES (1, 'x', 99)", "the tag 'x' leads to job 99"),
        ("INSERT INTO queue_attempt VALUES (1, 1, 0, 1, 2, 'w', 'n', 'm')", "life 1 has 1 attempts that"),
        ("INSERT INTO queue_attempt VALUES (99, 1, 0, 1, 2, 'w', 'n', 'm')", "life 99 has 1 attempts that"),
        ("UPDATE queue_life SET flags = 8 WHERE seq = 2", "life 2 has lost its attempts"),
        ("UPDATE queue_store SET seq_mark = 1", "is beyond the mark 1"),
        ("DELETE FROM queue_schema", "schema version"),
    ] {
        let place = Place::new();
        let store = place.open().await;
        enqueue(&store, vec![job("a"), job("b"), job("c"), job("d").with_delay(Span::from_secs(9))]).await;
        let claimed = claim(&store, 2).await.jobs;
        settle(&store, &claimed[0].record.meta, complete(claimed[0].token)).await;
        assert_sound(&store).await;
        Connection::open(place.path()).unwrap().execute(damage, []).unwrap();
        let findings = store.verify().await.unwrap();
        assert!(findings.iter().any(|finding| finding.contains(told)), "{damage}: {findings:?}");
    }
}
