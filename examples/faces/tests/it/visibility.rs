//! Tests of the visibility timeout and its patterns, and what they share with the tests of the
//! loop.

use crate::stores::{on_each_store, on_manual_clocks, tells};
use queue::{Delivery, Extended, Failure, Id, Settled};
use queue_faces::{
    Stage,
    visibility::{Candidate, Visibility, claim_share, demo},
};
use std::time::Duration;

pub(crate) const MINUTE: Duration = Duration::from_mins(1);

pub(crate) fn numbers(stage: &Stage) -> Visibility<u32> {
    Visibility::new(stage.store(), stage.queue(), MINUTE).expect("valid")
}

pub(crate) async fn publish(messages: &Visibility<u32>, numbers: impl IntoIterator<Item = u32>) {
    for number in numbers {
        assert!(messages.publish(Id::Generated, number).await.expect("stores").is_new());
    }
}

pub(crate) async fn claim(messages: &Visibility<u32>) -> Option<Delivery<u32>> {
    messages.claim(Duration::ZERO).await.expect("claims")
}

#[tokio::test]
async fn the_demonstration_tells_what_happens() {
    let expected = [
        "published: 3",
        "claimed one: a, and a batch: b, c",
        "visible: false",
        "nack a: Done; visible again, attempt 2",
        "ack a: Done",
        "extend b: Done",
        "not extended again, b becomes visible, attempt 2",
        "its first holder: ack LeaseLost, nack LeaseLost, extend LeaseLost",
        "its second holder: ack Done",
        "purged: 0 left",
        "the holder of c is told that it is gone: true",
        "leader election: Ada leads with fence 1",
        "  Bob asks meanwhile: None",
        "  Ada stays: true",
        "  Ada freezes",
        "  Bob leads with fence 2",
        "  Ada wakes up and stays: false",
        "  Bob resigns: true",
        "  Eve leads with fence 3",
        "work sharing: Ada has [0, 1, 2], Bob [3, 4, 5]",
        "  Eve comes too: []",
        "  Ada leaves: 3 rows given back",
        "  Eve takes over: [0, 1, 2]",
        "  Ada gives back again: 0 rows",
        "elastic overflow: a slow worker claims 4 messages",
        "  a second worker does 4 of them",
        "  the slow worker ends: 4 of 4 too late",
    ];
    tells(demo, &expected).await;
}

#[tokio::test]
async fn a_message_is_hidden_for_the_timeout_to_the_millisecond_and_comes_back_without_end() {
    on_manual_clocks(async |stage, clock| {
        let messages = numbers(stage);
        publish(&messages, [7]).await;
        for attempt in 1..=10 {
            let message = claim(&messages).await.expect("it is visible");
            assert_eq!(message.attempt(), attempt);
            clock.advance(Duration::from_millis(59_999));
            assert!(claim(&messages).await.is_none());
            clock.advance(Duration::from_millis(1));
        }
    })
    .await;
}

#[tokio::test]
async fn an_extension_hides_a_message_for_longer_and_is_refused_once_the_timeout_has_passed() {
    on_manual_clocks(async |stage, clock| {
        let messages = numbers(stage);
        publish(&messages, [7]).await;
        let message = claim(&messages).await.expect("it is visible");
        clock.advance(MINUTE / 2);
        assert_eq!(message.extend(MINUTE).await.expect("answers"), Extended::Done);
        clock.advance(MINUTE / 2);
        assert!(claim(&messages).await.is_none());
        clock.advance(MINUTE / 2);
        assert_eq!(message.extend(MINUTE).await.expect("answers"), Extended::LeaseLost);
        assert_eq!(claim(&messages).await.expect("it is visible").attempt(), 2);
    })
    .await;
}

#[tokio::test]
async fn one_who_is_no_longer_the_holder_changes_nothing() {
    on_manual_clocks(async |stage, clock| {
        let messages = numbers(stage);
        publish(&messages, [7]).await;
        let late = claim(&messages).await.expect("it is visible");
        clock.advance(MINUTE);
        let holder = claim(&messages).await.expect("it is visible again");
        assert_eq!(late.ack(&()).await.expect("answers"), Settled::LeaseLost);
        assert_eq!(late.nack(Failure::new("Late", "")).await.expect("answers"), Settled::LeaseLost);
        assert_eq!(late.release().await.expect("answers"), Settled::LeaseLost);
        assert_eq!(late.extend(MINUTE).await.expect("answers"), Extended::LeaseLost);
        assert!(claim(&messages).await.is_none(), "a late holder made it visible");
        assert_eq!(messages.len().await.expect("counts"), 1);
        assert_eq!(holder.ack(&()).await.expect("answers"), Settled::Done);
        assert!(messages.is_empty().await.expect("counts"));
    })
    .await;
}

#[tokio::test]
async fn a_purge_takes_hidden_messages_too_and_their_holders_are_told() {
    on_each_store(async |stage| {
        let messages = numbers(stage);
        publish(&messages, 0..5).await;
        let held = claim(&messages).await.expect("it is visible");
        messages.purge().await.expect("purges");
        assert!(messages.is_empty().await.expect("counts"));
        assert_eq!(held.ack(&()).await.expect("answers"), Settled::Missing);
        assert_eq!(held.extend(MINUTE).await.expect("answers"), Extended::Missing);
    })
    .await;
}

#[tokio::test]
async fn there_is_one_leader_at_a_time_and_each_has_a_higher_fence() {
    on_manual_clocks(async |stage, clock| {
        let candidate = || Candidate::new(stage.store(), stage.queue(), MINUTE).expect("valid");
        let mut candidates = [candidate(), candidate(), candidate()];
        let mut fences = Vec::new();
        for round in 0..9 {
            let mut leaders = 0;
            for candidate in &mut candidates {
                if let Some(fence) = candidate.lead(Duration::ZERO).await.expect("answers") {
                    fences.push(fence);
                    leaders += 1;
                }
            }
            assert_eq!(leaders, 1, "round {round}");
            clock.advance(MINUTE);
        }
        assert!(fences.is_sorted_by(|earlier, later| earlier < later), "{fences:?}");
    })
    .await;
}

#[tokio::test]
async fn members_share_all_rows_and_no_row_twice() {
    on_each_store(async |stage| {
        let rows = numbers(stage);
        publish(&rows, 0..10).await;
        let mut shared = Vec::new();
        for _ in 0..4 {
            let share = claim_share(&numbers(stage), 10, 4).await.expect("claims");
            assert!(share.len() <= 3);
            shared.extend(share.iter().map(|row| *row.payload()));
        }
        assert_eq!(shared, (0..10).collect::<Vec<_>>());
    })
    .await;
}
