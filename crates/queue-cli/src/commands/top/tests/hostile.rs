//! Texts that were chosen to harm who reads them.

use super::{Stage, demo};
use queue::{Failure, MemoryStorage, Storage, WorkerId, queue_core::WorkerInfo};
use std::{sync::Arc, time::Duration};

/// Free text: a title, colours in both notations, a forged line, and what hides and reorders.
const TEXT: &str = "\u{1b}]0;owned\u{7}\u{1b}[31m\u{9b}2J\u{7f}\r\nerror: forged\t\u{202e}gnp\u{2066}\u{200b}\u{2028}\u{feff}字字";
/// Names have no control characters.
const NAME: &str = "a\u{202e}b\u{2066}c\u{200b}d\u{feff}e\u{2028}f\u{2029}g\u{e0041}h\u{ad}i字שלום";

async fn store() -> Arc<dyn Storage> {
    let store: Arc<dyn Storage> = Arc::new(MemoryStorage::new());
    let huge = format!("{TEXT}{}", "字".repeat(340_000));
    for id in [NAME.to_owned(), "x".repeat(255), "字".repeat(85)] {
        demo::enqueue(&*store, NAME, &id, NAME, &huge).await;
    }
    demo::fail(&store, NAME, &Failure::new(TEXT, TEXT)).await;
    let mut worker = WorkerInfo::new(WorkerId::new(NAME).unwrap());
    TEXT.clone_into(&mut worker.host);
    worker.queues = vec![demo::name(NAME)];
    worker.about = format!(
        r#"{{"version":{text},"kinds":[{text}],"jobs":[{{"queue":{text},"id":{text},"seq":1,"attempt":1,"since":0}}]}}"#,
        text = serde_json::json!(TEXT)
    )
    .into();
    store.announce(worker, Duration::from_mins(1)).await.unwrap();
    store
}

#[tokio::test]
async fn nothing_that_was_stored_acts_on_the_terminal() {
    for size in [(120, 40), (40, 12)] {
        for keys in [
            "",
            "<enter>",
            "3",
            "3<enter>",
            "3G<enter>v",
            "3G<enter>v<end>",
            "4",
            "5",
            "6",
            "6<enter>",
            "7",
            "P",
            "3R",
            "6D",
            "/\u{202e}\u{200b}",
            "3G<enter>Py",
        ] {
            let mut stage = Stage::new(store().await, size).await;
            let shown = stage.press(keys).await.shown();
            let acts = |character: char| {
                character.is_control() && character != '\n'
                    || "\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{2029}\u{e0041}\u{ad}".contains(character)
            };
            assert!(!shown.contains(acts), "{keys} at {size:?}: {shown:?}");
            assert_eq!(shown.lines().count(), usize::from(size.1));
        }
    }
}

#[tokio::test]
async fn what_looks_like_a_secret_is_masked_in_a_job_that_is_opened() {
    let store: Arc<dyn Storage> = Arc::new(MemoryStorage::new());
    demo::enqueue(&*store, "mail", "a", "send", r#"{"to":"ada","password":"hunter2-and-more"}"#).await;
    let mut stage = Stage::new(store, (120, 40)).await;
    let shown = stage.press("3G<enter>v").await.shown();
    assert!(shown.contains("ada") && shown.contains("***") && !shown.contains("hunter2"), "{shown}");
}
