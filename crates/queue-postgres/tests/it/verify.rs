//! `verify` finds contradictions: each kind of damage is done by hand, and must be reported.

use crate::common::{Place, assert_sound, claim, complete, enqueue, fail, job, settle};
use queue_core::{Storage, Tag, Tags};

#[tokio::test]
async fn every_kind_of_damage_is_found() {
    for (damage, told) in [
        ("DELETE FROM {schema}.ready", "has no state"),
        (
            "INSERT INTO {schema}.ready SELECT l.seq, 0, 1, 0, 0, 0, l.queue, 0, 0, 0, 0 FROM {schema}.lease AS l",
            "has 2 states",
        ),
        ("DELETE FROM {schema}.body USING {schema}.lease AS l WHERE body.seq = l.seq", "lease 3 has no body"),
        ("UPDATE {schema}.ready SET priority = 9", "waits in priority 9"),
        (
            "UPDATE {schema}.ready SET priority = priority + 65536",
            "job 4 is set aside in line 1, which is not of its kind",
        ),
        ("UPDATE {schema}.queue SET has_lines = true", "queue 1 is wrong about having lines"),
        ("UPDATE {schema}.ready SET size = 77", "waits with 77 bytes"),
        ("DELETE FROM {schema}.lane", "has no lane"),
        ("DELETE FROM {schema}.queue", "is in unnamed queue"),
        ("UPDATE {schema}.ready SET state = 4", "waits in state 4"),
        ("UPDATE {schema}.finished SET state = 0", "is finished in state 0"),
        ("UPDATE {schema}.lease SET expires_at = 0", "lapses before its deadline"),
        ("UPDATE {schema}.finished SET result = NULL", "is wrong about having a result"),
        ("UPDATE {schema}.finished SET reason = 1", "is wrong about having a reason"),
        ("UPDATE {schema}.finished SET settled_event = NULL", "is wrong about its last settle"),
        ("UPDATE {schema}.finished SET claimed_at = NULL", "job 1 is wrong about when it was claimed"),
        ("UPDATE {schema}.ready SET claimed_at = 0", "job 4 is wrong about when it was claimed"),
        ("UPDATE {schema}.lease SET failed_at = 0", "job 3 is wrong about its last error"),
        (
            "UPDATE {schema}.finished SET failed_at = NULL WHERE state = 4",
            "job 2 is wrong about its last error",
        ),
        ("DELETE FROM {schema}.tag WHERE tag = 'red'", "job 4 is not found by its tag red"),
        (
            "INSERT INTO {schema}.tag SELECT queue, 'red', seq FROM {schema}.lease",
            "job 3 is found by the foreign tag red",
        ),
        ("DELETE FROM {schema}.attempt", "job 2 has 0 attempts and is marked to have some"),
        ("UPDATE {schema}.finished SET flags = flags & 7", "job 2 has 1 attempts and no mark"),
        (
            "INSERT INTO {schema}.attempt SELECT seq, n, 0, 0, queue, 0, 'w', '', ''
             FROM {schema}.attempt, generate_series(2, 11) AS n",
            "job 2 has 11 attempts and is marked",
        ),
        ("DELETE FROM {schema}.tally WHERE completed > 0", "counts 1 too many unfinished"),
        ("UPDATE {schema}.tally SET completed = 5 WHERE completed > 0", "counts 4 too many completed"),
        ("INSERT INTO {schema}.total (queue, failing) VALUES (1, 2)", "counts 2 too many failing"),
        ("SELECT setval('{schema}.life', 1)", "is beyond the last number"),
    ] {
        let Some(place) = Place::new().await else { return };
        let store = place.open().await;
        let tags = Tags::new(["red", "tall"].map(|tag| Tag::new(tag).expect("valid"))).expect("few");
        enqueue(&store, vec![job("a"), job("failed"), job("b"), job("c").with_tags(tags)]).await;
        let claimed = claim(&store, 3).await.jobs;
        settle(&store, &claimed[0].record.meta, complete(claimed[0].token)).await;
        settle(&store, &claimed[1].record.meta, fail(claimed[1].token)).await;
        assert_sound(&store).await;
        place.execute(damage).await;
        let findings = store.verify().await.unwrap();
        assert!(findings.iter().any(|finding| finding.contains(told)), "{damage}: {findings:?}");
        store.close().await.unwrap();
        place.remove().await;
    }
}
