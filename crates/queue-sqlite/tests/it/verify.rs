//! `verify` finds contradictions: each kind of damage is done by hand, and must be reported.

use crate::common::{Place, assert_sound, claim, complete, enqueue, job, queue, settle};
use queue_core::{EndSignal, JobId, Limit, LimitScope, NewGate, Partition, Span, Storage};
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

#[tokio::test]
async fn every_kind_of_damage_to_partitions_is_found() {
    for (damage, told) in [
        (
            "UPDATE queue_partition SET leases = 0 WHERE partition = 'a'",
            "partition 'a' of queue 1 counts -1 leases",
        ),
        (
            "UPDATE queue_partition SET waiting = 9 WHERE partition = 'b'",
            "partition 'b' of queue 1 counts 0 leases and 7",
        ),
        (
            "DELETE FROM queue_partition WHERE partition = 'b'",
            "partition 'b' of queue 1 counts 0 leases and -2",
        ),
        (
            "INSERT INTO queue_partition VALUES (1, 'x', 0, 0, NULL, NULL, NULL)",
            "'x' of queue 1 is kept for nothing",
        ),
        (
            "DELETE FROM queue_partition WHERE partition = 'own'",
            "the limit of partition 'own' of queue 1 has no",
        ),
        (
            "UPDATE queue_partition SET front_priority = 0, front_limited = 1, turn = 5 WHERE partition = 'a'",
            "'a' of queue 1 stands",
        ),
        (
            "UPDATE queue_partition SET front_priority = 3 WHERE partition = 'b'",
            "'b' of queue 1 stands with priority 3",
        ),
        ("UPDATE queue_partition SET front_limited = 0 WHERE partition = 'b'", "'b' of queue 1 stands"),
        ("UPDATE queue_partition SET turn = NULL WHERE partition = 'b'", "'b' of queue 1 stands"),
        ("UPDATE queue_limit SET running = 9 WHERE scope = 0", "'a' of queue 1 stands with priority none"),
        ("UPDATE queue_limit SET weight = 0 WHERE scope = 0", "queue 1 has a limit that cannot be"),
        ("UPDATE queue_name SET marks = 0", "queue 1 is wrong about having partitions"),
        (
            "UPDATE queue_partition_ready SET partition = 'x' WHERE partition = 'b' AND seq = 3",
            "entry 3 among",
        ),
        ("DELETE FROM queue_partition_ready WHERE seq = 2", "job 2 stands 0 times"),
        (
            "UPDATE queue_job SET awaited = 0, terms = NULL WHERE key & 0xff = 3",
            "entry 3 among the waiting jobs has no job",
        ),
        ("INSERT INTO queue_turn VALUES (9, 0, NULL, NULL)", "queue 9 has turns without partitions"),
    ] {
        let place = Place::new();
        let store = place.open().await;
        let at_most = |running| Some(Limit { running: Some(running), ..Limit::default() });
        let [a, b, own] = ["a", "b", "own"].map(Partition::from_static);
        let limits = vec![(LimitScope::EachPartition, at_most(1)), (LimitScope::Partition(own), at_most(3))];
        store.set_limits(&queue(), limits).await.unwrap();
        let of = |partition: &Partition, id: &str| job(id).with_partition(partition.clone());
        let urgent = of(&a, "1").with_priority(-1);
        enqueue(&store, vec![urgent, of(&a, "2"), of(&b, "3"), of(&b, "4").with_delay(Span::from_secs(9))])
            .await;
        claim(&store, 1).await;
        assert_sound(&store).await;
        Connection::open(place.path()).unwrap().execute(damage, []).unwrap();
        let findings = store.verify().await.unwrap();
        assert!(findings.iter().any(|finding| finding.contains(told)), "{damage}: {findings:?}");
    }
}

#[tokio::test]
async fn every_kind_of_damage_to_gates_and_end_signals_is_found() {
    for (damage, told) in [
        ("UPDATE queue_count SET jobs = jobs + 1 WHERE slot = 7", "slot 7"),
        ("UPDATE queue_name SET marks = 0", "queue 1 is wrong about having gated jobs"),
        ("UPDATE queue_name SET marks = 3", "queue 1 is wrong about having pauses of kinds"),
        ("DELETE FROM queue_gated", "job 2 stands 0 times"),
        ("UPDATE queue_gated SET run_at = run_at + 1", "entry 2 among the waiting jobs has no job"),
        (
            "INSERT INTO queue_scheduled SELECT queue, run_at, seq FROM queue_gated",
            "job 2 is scheduled behind a closed gate",
        ),
        ("UPDATE queue_gate SET closed_at = NULL WHERE seq = 2", "job 2 is gated without a closed gate"),
        ("UPDATE queue_gate SET completed = 2 WHERE seq = 2", "job 2 has a gate that is complete and closed"),
        ("UPDATE queue_gate SET closed_at = 1 WHERE seq = 2", "job 2 has a gate of a later claim"),
        ("DELETE FROM queue_gate WHERE seq = 2", "job 2 is wrong about having a gate"),
        ("INSERT INTO queue_gate VALUES (1, 0, 0, 0, 0, 0, NULL)", "job 1 is wrong about having a gate"),
        ("INSERT INTO queue_gate VALUES (99, 0, 0, 0, 0, 0, NULL)", "gate 99 has no job"),
        ("DELETE FROM queue_end_signal", "job 3 has 0 end signals, and is marked with 3"),
        ("INSERT INTO queue_end_signal VALUES (1, 0, 'x', 2, 0)", "job 1 has 1 end signals"),
        ("INSERT INTO queue_end_signal VALUES (99, 0, 'x', 2, 0)", "the end signals of 99 have no job"),
        (
            "UPDATE queue_life SET flags = 3 << 5 WHERE seq = 4",
            "job 4 has 1 end signals, and is marked with 3",
        ),
    ] {
        let place = Place::new();
        let store = place.open().await;
        let sum = JobId::from_static("sum");
        let gated = job("sum").with_gate(NewGate { needs: 2, is_sealed: true, timeout: None });
        let sender = |id: &str| job(id).with_end_signals([EndSignal::to(sum.clone())]);
        enqueue(&store, vec![job("plain"), gated, sender("b"), sender("c").with_priority(-1)]).await;
        let held = claim(&store, 1).await.jobs.remove(0);
        settle(&store, &held.record.meta, complete(held.token)).await;
        assert_sound(&store).await;
        Connection::open(place.path()).unwrap().execute(damage, []).unwrap();
        let findings = store.verify().await.unwrap();
        assert!(findings.iter().any(|finding| finding.contains(told)), "{damage}: {findings:?}");
    }
}
