//! `verify` finds what does not add up: each kind of damage is done by hand, and must be told.

mod common;

use common::{Place, assert_sound, claim, complete, enqueue, job, settle};
use queue_core::Storage;

#[tokio::test]
async fn every_kind_of_damage_is_found() {
    for (damage, told) in [
        ("DELETE FROM {schema}.ready", "has no state"),
        (
            "INSERT INTO {schema}.ready SELECT l.seq, 0, 1, 0, 0, 0, l.queue, 0, 0, 0, 0 FROM {schema}.lease AS l",
            "has 2 states",
        ),
        ("DELETE FROM {schema}.body USING {schema}.lease AS l WHERE body.seq = l.seq", "lease 2 has no body"),
        ("UPDATE {schema}.ready SET priority = 9", "waits in priority 9"),
        ("UPDATE {schema}.ready SET size = 77", "waits with 77 bytes"),
        ("DELETE FROM {schema}.lane", "has no lane"),
        ("DELETE FROM {schema}.queue", "is in unnamed queue"),
        ("UPDATE {schema}.ready SET state = 4", "waits in state 4"),
        ("UPDATE {schema}.finished SET state = 0", "is finished in state 0"),
        ("UPDATE {schema}.lease SET expires_at = 0", "lapses before its deadline"),
        ("UPDATE {schema}.finished SET result = NULL", "is wrong about having a result"),
        ("UPDATE {schema}.finished SET reason = 1", "is wrong about having a reason"),
        ("UPDATE {schema}.finished SET settled_event = NULL", "is wrong about its last settle"),
        ("DELETE FROM {schema}.tally WHERE completed > 0", "counts 1 too many unfinished"),
        ("UPDATE {schema}.tally SET completed = 5 WHERE completed > 0", "counts 4 too many completed"),
        ("INSERT INTO {schema}.total (queue, failing) VALUES (1, 2)", "counts 2 too many failing"),
        ("SELECT setval('{schema}.life', 1)", "is beyond the last number"),
    ] {
        let Some(place) = Place::new().await else { return };
        let store = place.open().await;
        enqueue(&store, vec![job("a"), job("b"), job("c")]).await;
        let claimed = claim(&store, 2).await.jobs;
        settle(&store, &claimed[0].record.meta, complete(claimed[0].token)).await;
        assert_sound(&store).await;
        place.execute(damage).await;
        let findings = store.verify().await.unwrap();
        assert!(findings.iter().any(|finding| finding.contains(told)), "{damage}: {findings:?}");
        store.close().await.unwrap();
        place.remove().await;
    }
}
