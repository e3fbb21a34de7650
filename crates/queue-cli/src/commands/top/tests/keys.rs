//! Keys: the way to every view and back, filters, pages, and changes that ask first.

use super::{
    super::{deed::Deed, place::Place},
    Stage, demo,
};
use queue::{
    JobId, State, StorageExt, WorkerId,
    queue_core::{Detail, Duty, QueueName, Storage},
};

const SIZE: (u16, u16) = (100, 30);

async fn stage() -> Stage {
    Stage::new(demo::store().await, SIZE).await
}

#[tokio::test]
async fn keys_reach_every_view_and_come_back() {
    let mut stage = stage().await;
    for (keys, title) in [
        ("<enter>", "queue billing"),
        ("<enter>", "jobs of billing"),
        ("<enter>", "job charge-3 of billing"),
        ("v", "job charge-3 of billing"),
        ("<tab>", "errors of billing"),
        ("<enter>", "job charge-2 of billing"),
        ("<esc>", "errors of billing"),
        ("<tab>", "schedules of billing"),
        ("<tab>", "workers"),
        ("l", "worker web-1"),
        ("l", "job receipt-1 of emails"),
        ("h", "worker web-1"),
        ("7", "operations"),
        ("<tab>", "all queues"),
        ("<backtab>", "operations"),
    ] {
        stage.press(keys).await;
        assert!(stage.shown().starts_with(&format!("queue top: {title} ")), "{keys}: {}", stage.shown());
    }
    for _ in 0..20 {
        stage.press("<esc>").await;
    }
    assert_eq!(stage.app.place, Place::Overview);
}

#[tokio::test]
async fn the_selection_stays_with_its_row_when_others_come_and_one_goes_back() {
    let mut stage = stage().await;
    stage.press("jj").await;
    let storage = stage.source.storage().await.unwrap().clone();
    demo::enqueue(&*storage, "a-new-queue", "x", "k", "1").await;
    stage.read().await;
    stage.press("<enter>").await;
    assert!(stage.shown().contains("queue webhooks"), "{}", stage.shown());
    stage.press("<esc><enter>").await;
    assert!(stage.shown().contains("queue webhooks"), "{}", stage.shown());
}

#[tokio::test]
async fn jobs_are_filtered_by_the_store_and_other_rows_by_their_text() {
    let mut stage = stage().await;
    stage.press("/web<enter>").await;
    let shown = stage.shown();
    let is_row = |name: &str| shown.lines().any(|line| line.starts_with(&format!("{name} ")));
    assert!(is_row("webhooks") && !is_row("emails"), "{shown}");
    stage.press("<enter><enter>ssssss").await;
    assert!(stage.shown().contains("[failed 0]"), "{}", stage.shown());
    stage.press("/<backspace>").await;
    assert!(stage.shown().contains("/state=faile_"), "{}", stage.shown());
    stage.press("<enter>").await;
    assert!(stage.shown().contains("there is no state"), "{}", stage.shown());
    stage.press("<esc>13/state=failed kind=charge charge-2<enter>").await;
    let shown = stage.shown();
    assert!(shown.contains("charge-2 ") && !shown.contains("charge-1 "), "{shown}");
}

#[tokio::test]
async fn pages_go_forth_and_back() {
    let mut stage = stage().await;
    let storage = stage.source.storage().await.unwrap().clone();
    for number in 0..250 {
        demo::enqueue(&*storage, "many", &format!("job-{number:03}"), "k", "1").await;
    }
    stage.app.queue = demo::name("many");
    stage.press("1/many<enter>3").await;
    assert!(stage.shown().contains("job-249") && stage.shown().contains("jobs of many "));
    stage.press("nn").await;
    assert!(stage.shown().contains("job-049") && stage.shown().contains("page 3"), "{}", stage.shown());
    stage.press("n").await;
    assert!(stage.shown().contains("page 3"), "it is the last: {}", stage.shown());
    stage.press("ppp").await;
    assert!(stage.shown().contains("job-249"), "{}", stage.shown());
}

async fn state(storage: &dyn Storage, queue: &str, id: &str) -> State {
    let id = JobId::new(id).unwrap();
    let found = storage.get(&demo::name(queue), &[id], Detail::Meta).await.unwrap();
    found.value[0].as_ref().unwrap().meta.state
}

#[tokio::test]
async fn changes_happen_after_a_yes_alone_and_say_what_came_of_them() {
    let mut stage = stage().await;
    let storage = stage.source.storage().await.unwrap().clone();
    let is_paused =
        async |queue: &str| storage.status_of(&demo::name(queue)).await.unwrap().unwrap().pause.is_on();
    for no in ["P", "Pn", "P<esc>", "P<enter>", "PP", "Pq"] {
        stage.press(no).await;
        stage.press("<esc>").await;
        assert!(!is_paused("billing").await, "{no}");
    }
    stage.press("Py").await;
    assert!(is_paused("billing").await && stage.shown().contains("paused \"billing\""), "{}", stage.shown());
    stage.press("Uy").await;
    assert!(!is_paused("billing").await);
    stage.press("3/charge-1<enter>Ry").await;
    assert_eq!(state(&*storage, "billing", "charge-1").await, State::Queued);
    stage.press("Cy").await;
    assert_eq!(state(&*storage, "billing", "charge-1").await, State::Cancelled);
    stage.press("Ny").await;
    assert!(stage.shown().contains("refused: the job \"charge-1\" is cancelled"), "{}", stage.shown());
    stage.press("6Dy").await;
    let duty = storage.workers().await.unwrap()[0].duty;
    assert!(duty == Duty::Drain && stage.shown().contains("asked \"web-1\" to drain"), "{}", stage.shown());
    stage.app.queue = demo::name("emails");
    stage.press("5Ny").await;
    assert!(stage.shown().contains("enqueued \"digest"), "{}", stage.shown());
    stage.press("P").await;
    assert!(stage.shown().contains("choose one first"), "a schedule is no queue: {}", stage.shown());
}

#[tokio::test]
async fn what_belongs_to_the_library_and_what_is_gone_is_not_changed() {
    let mut stage = stage().await;
    // The job that is the schedule.
    stage.press("j3/state=scheduled<enter>Cy").await;
    assert!(stage.shown().contains("is the schedule"), "{}", stage.shown());
    let gone = Deed::Drain(WorkerId::from_static("gone")).carry_out(&stage.source).await;
    assert!(gone.unwrap_err().message().contains("is not present any more"));
    let of_library = Deed::Pause(QueueName::from_static("queue.operations")).carry_out(&stage.source).await;
    assert!(of_library.unwrap_err().message().contains("belongs to the library"));
}

#[tokio::test]
async fn read_only_refuses_every_change_without_a_question() {
    let mut stage = stage().await;
    stage.app.is_read_only = true;
    for key in ["P", "U", "R", "N", "C", "D"] {
        stage.press(key).await;
        assert!(stage.shown().contains("--read-only"), "{key}: {}", stage.shown());
        stage.press("y").await;
    }
    assert!(stage.shown().lines().next().unwrap().ends_with("read-only"), "{}", stage.shown());
}
