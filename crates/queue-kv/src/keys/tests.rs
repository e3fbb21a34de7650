//! The order of keys.

use super::*;
use queue_core::{
    ContentType, Kind, LimitScope, NewJob, Partition, Payload,
    lifecycle::{Opening, Turn, TurnPlace},
};

fn name(text: &str) -> QueueName {
    QueueName::new(text).expect("valid")
}

fn waiting(priority: i16, run_at: i64, seq: u64) -> JobMeta {
    let payload = Payload::new("", ContentType::from_static("x/y"));
    let new = NewJob::new(JobId::from_static("a"), Kind::unnamed(), payload).with_priority(priority);
    JobMeta::begin(name("q"), &new, Seq::new(seq), Timestamp::from_millis(run_at))
}

#[test]
fn ready_keys_sort_by_priority_then_time_then_seq() {
    let in_order = [
        waiting(i16::MIN, 9, 9),
        waiting(-1, 5, 1),
        waiting(0, i64::MIN, 7),
        waiting(0, -1, 3),
        waiting(0, 1, 2),
        waiting(0, 1, 300),
        waiting(i16::MAX, 0, 0),
    ];
    let keys: Vec<Key> = in_order.iter().map(|meta| due(&meta.queue, None, &place_in_order(meta))).collect();
    assert!(keys.is_sorted_by(|a, b| a < b));
    for (meta, key) in in_order.iter().zip(&keys) {
        assert_eq!((time_of(key), seq_of(key)), (meta.run_at, meta.seq));
        assert!(all(Family::Ready, &meta.queue).contains(key));
    }
    assert!(next_priority(keys[2].clone()) > keys[5] && next_priority(keys[2].clone()) < keys[6]);
    assert!(
        next_priority(keys[6].clone()) >= all(Family::Ready, &name("q")).end,
        "no priority follows the last"
    );
}

#[test]
fn names_and_ids_that_run_together_stay_apart() {
    let pairs = [("a", "bc"), ("ab", "c"), ("a", "b"), ("abc", "c")];
    let keys: std::collections::BTreeSet<Key> =
        pairs.iter().map(|(queue, of)| id(&name(queue), &JobId::new(of).expect("valid"))).collect();
    assert_eq!(keys.len(), pairs.len());
}

#[test]
fn a_queue_holds_no_key_of_another() {
    let (short, long) = (name("a"), name("ab"));
    let key = life(Family::Job, &long, Seq::new(u64::MAX));
    assert!(all(Family::Job, &long).contains(&key) && !all(Family::Job, &short).contains(&key));
}

#[test]
fn until_takes_its_own_moment_and_none_after_it() {
    let at = |millis| {
        timed(of_queue(Family::Purge, &name("q")), Timestamp::from_millis(millis), Seq::new(u64::MAX))
    };
    let range = until(Family::Purge, &name("q"), Timestamp::from_millis(5));
    assert_eq!([-1, 5, 6].map(|millis| range.contains(&at(millis))), [true, true, false]);
    assert!(until(Family::Purge, &name("q"), Timestamp::from_millis(i64::MAX)).contains(&at(i64::MAX)));
}

#[test]
fn fronts_sort_by_priority_then_turn_and_those_without_a_partition_go_first() {
    let queue = name("q");
    let key = |text| Partition::new(text).expect("valid");
    let turn = Turn::from_u64;
    let fronts = [
        (i16::MIN, turn(9), Some(key("z"))),
        (-1, turn(u64::MAX), Some(key("a"))),
        (0, turn(1), None),
        (0, turn(1), Some(key("a"))),
        (0, turn(1), Some(key("ab"))),
        (0, turn(300), None),
        (i16::MAX, turn(0), None),
    ];
    let place = |priority, turn| TurnPlace { opening: Opening { priority, is_limited: true }, turn };
    let keys: Vec<Key> = fronts
        .iter()
        .map(|(priority, turn, partition)| front(&queue, place(*priority, *turn), partition.as_ref()))
        .collect();
    assert!(keys.is_sorted_by(|a, b| a < b));
    for ((priority, turn, partition), key) in fronts.iter().zip(&keys) {
        let bytes = partition.as_ref().map_or("", Partition::as_str).as_bytes();
        assert_eq!(front_of(&queue, key), Some((*priority, *turn, bytes)));
        assert!(fronts_of_priority(&queue, true, *priority).contains(key));
        assert!(!super::fronts(&queue, false).contains(key));
    }
}

#[test]
fn limits_sort_as_their_scopes_and_partitions_that_run_together_stay_apart() {
    let queue = name("q");
    let own = |text| LimitScope::Partition(Partition::new(text).expect("valid"));
    let scopes = [LimitScope::EachPartition, LimitScope::Unpartitioned, own("a"), own("ab")];
    let keys: Vec<Key> = scopes.iter().filter_map(|scope| limit(&queue, scope)).collect();
    assert!(keys.is_sorted_by(|a, b| a < b));
    assert!(scopes.iter().zip(&keys).all(|(scope, key)| scope_of(&queue, key).as_ref() == Some(scope)));
    let (a, ab) = (Partition::new("a").expect("valid"), Partition::new("ab").expect("valid"));
    let of_ab = due(&queue, Some(&ab), &place(0, Timestamp::from_millis(0), Seq::new(1)));
    assert!(due_of(&queue, Some(&ab)).contains(&of_ab) && !due_of(&queue, Some(&a)).contains(&of_ab));
}
