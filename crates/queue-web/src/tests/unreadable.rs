//! Schedules and operations that this server cannot read.

use super::{dashboard, enqueue, get, memory, new_job, post};
use queue::schedules::{Schedule, Timing};
use queue_core::{Tag, Tags};
use std::time::Duration;

const NEWER: &str = r#"{"version":99}"#;

#[tokio::test]
async fn a_schedule_that_cannot_be_read_here_is_shown_beside_the_others() {
    let store = memory();
    let schedules = super::client(&store, "mail").schedules();
    let hourly = Timing::every(Duration::from_hours(1)).unwrap();
    schedules
        .put(&Schedule::new("readable", hourly, queue::Raw(new_job("any", "any", "1").payload)))
        .await
        .unwrap();
    let tags = Tags::new([Tag::new("queue.schedule").unwrap()]).unwrap();
    let unreadable = new_job("queue.schedule:martian", "queue.schedule", NEWER).with_tags(tags);
    enqueue(&store, "mail", vec![unreadable]).await;
    let dashboard = dashboard(store.clone());
    let page = get(&dashboard, "/schedules?queue=mail").await;
    assert_eq!(page.status, 200, "{}", page.text);
    for text in ["readable", "martian", "unreadable here", "version 99"] {
        assert!(page.text.contains(text), "{text}: {}", page.text);
    }
    let form = "queue=mail&name=martian&action=pause";
    let paused = post(&dashboard, "/schedules?queue=mail", "/schedule", form).await;
    assert!(paused.location().contains("schedule-pause"), "{}", paused.location());
    // Pages are read again after some seconds.
    let page = get(&super::dashboard(store), "/schedules?queue=mail").await.text;
    let offered = |name: &str| {
        let row = page.split("<tr>").find(|row| row.contains(name)).expect("a row");
        ["pause", "resume"].map(|action| row.contains(&format!("value=\"{action}\"")))
    };
    assert_eq!([offered("readable"), offered("martian")], [[true, false], [false, true]], "{page}");
}

#[tokio::test]
async fn an_operation_that_cannot_be_read_here_is_shown_beside_the_others() {
    let store = memory();
    let unreadable = new_job("mail/from-tomorrow", "queue.operation", NEWER);
    enqueue(&store, "queue.operations", vec![unreadable]).await;
    let page = get(&dashboard(store), "/operations").await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("from-tomorrow") && page.text.contains("version 99"), "{}", page.text);
}
