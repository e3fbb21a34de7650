//! What pages show of all queues at once.

use super::{ask, client, dashboard, enqueue, fail_one, get, memory, new_job, post, principal};
use http::Method;
use queue::{
    Raw,
    schedules::{Schedule, Timing},
};
use queue_core::{
    ContentType, Failure, Kind, Payload, QueueName, SeriesEntry, Storage, WorkerId,
    lifecycle::Cause,
    series::{SlotCounts, SlotLength, WorkOutcome},
};
use queue_http::Scope;
use std::{sync::Arc, time::Duration};

/// Three queues that fail, and one that does not.
async fn failing() -> Arc<dyn Storage> {
    let store = memory();
    for queue in ["mail", "pay", "zoom"] {
        enqueue(&store, queue, vec![new_job(&format!("of-{queue}"), "k", "1")]).await;
        fail_one(&store, queue, "w", Failure::new("E", format!("no {queue}")), Cause::Terminal).await;
    }
    enqueue(&store, "calm", vec![new_job("letter", "k", "1")]).await;
    store
}

#[tokio::test]
async fn errors_without_a_queue_are_those_of_all_queues_that_the_visitor_sees() {
    let dashboard = dashboard(failing().await);
    let text = get(&dashboard, "/errors").await.text;
    for queue in ["mail", "pay", "zoom"] {
        assert!(
            text.contains(&format!("no {queue}")) && text.contains(&format!("./errors?queue={queue}")),
            "{text}"
        );
    }
    assert_eq!(text.matches("Run these 1 again").count(), 3, "{text}");
    let one = get(&dashboard, "/errors?queue=pay").await.text;
    assert!(one.contains("no pay") && !one.contains("no mail"), "{one}");
    let ahead = get(&dashboard, "/errors?since_ms=99999999999999").await.text;
    assert!(ahead.contains("Nothing fails"), "{ahead}");
    let who = principal(&[Scope::View], "*a*");
    let few = ask(&dashboard, Method::GET, "/errors", Some(&who), "").await.text;
    assert!(few.contains("no mail") && few.contains("no pay") && !few.contains("no zoom"), "{few}");
}

#[tokio::test]
async fn a_job_is_found_by_its_id_in_any_queue() {
    let store = failing().await;
    // Behind more jobs than a listing looks at for one page.
    let many = (0..700).map(|number| new_job(&format!("of-p-{number}"), "k", "1")).collect();
    enqueue(&store, "pay", many).await;
    let dashboard = dashboard(store);
    let text = get(&dashboard, "/jobs?id_prefix=of-pay").await.text;
    assert!(text.contains("./job?queue=pay&#38;id=of-pay") && !text.contains("of-mail"), "{text}");
    let all = get(&dashboard, "/jobs").await.text;
    assert!(
        all.contains("All <span class=\"count\">704</span>") && all.contains("choose a queue to go on"),
        "{all}"
    );
    assert!(
        !all.contains("action=\"./change\"><input") || !all.contains("type=\"checkbox\" name=\"id\""),
        "{all}"
    );
    let failed = get(&dashboard, "/jobs?state=failed").await.text;
    assert_eq!(failed.matches("<tr>").count(), 1 + 3, "{failed}");
}

#[tokio::test]
async fn kinds_without_a_queue_are_those_of_all_queues_and_sort_by_each_column() {
    let store = failing().await;
    for (queue, kind, runs) in [("mail", "letter", 3), ("pay", "invoice", 1), ("zoom", "call", 2)] {
        count_runs(&store, queue, kind, runs).await;
    }
    let dashboard = dashboard(store);
    let order = async |path: &str| {
        let text = get(&dashboard, path).await.text;
        let mut kinds = ["letter", "invoice", "call"];
        let place = |kind: &&str| text.find(&format!("<bdi>{kind}</bdi>")).unwrap_or(usize::MAX);
        kinds.sort_by_key(place);
        (kinds.map(str::to_owned), text)
    };
    let (kinds, text) = order("/kinds").await;
    assert_eq!(kinds, ["letter", "call", "invoice"], "{text}");
    assert!(text.contains("./kinds?queue=pay&#38;last=1h") && !text.contains("aria-sort"), "{text}");
    assert_eq!(order("/kinds?sort=kind").await.0, ["call", "invoice", "letter"]);
    let (kinds, text) = order("/kinds?sort=completed").await;
    assert_eq!(kinds, ["letter", "call", "invoice"], "{text}");
    assert!(text.contains("aria-sort=\"descending\""), "{text}");
    let one = get(&dashboard, "/kinds?queue=pay&kind=invoice").await.text;
    assert!(one.contains("invoice") && !one.contains("letter") && one.contains("id=\"histogram\""), "{one}");
    let who = principal(&[Scope::View], "*a*");
    let few = ask(&dashboard, Method::GET, "/kinds", Some(&who), "").await.text;
    assert!(few.contains("letter") && few.contains("invoice") && !few.contains("call<"), "{few}");
}

#[tokio::test]
async fn schedules_without_a_queue_are_those_of_all_queues() {
    let store = failing().await;
    for queue in ["mail", "zoom"] {
        let timing = Timing::every(Duration::from_hours(1)).unwrap();
        let schedule = Schedule::new(
            format!("nightly-{queue}"),
            timing,
            Raw(Payload::new("1", ContentType::from_static("application/json"))),
        );
        client(&store, queue).schedules().put(&schedule).await.unwrap();
    }
    let dashboard = dashboard(store.clone());
    let text = get(&dashboard, "/schedules").await.text;
    assert!(text.contains("nightly-mail") && text.contains("nightly-zoom"), "{text}");
    assert!(text.contains("./schedules?queue=zoom"), "{text}");
    let form = "queue=zoom&name=nightly-zoom&action=pause";
    let got = post(&dashboard, "/schedules", "/schedule", form).await;
    assert!(got.location().contains("did=schedule-pause"), "{}", got.location());
    let who = principal(&[Scope::View], "*a*");
    let few = ask(&dashboard, Method::GET, "/schedules", Some(&who), "").await.text;
    assert!(few.contains("nightly-mail") && !few.contains("zoom"), "{few}");
}

/// Counts completed attempts in the present minute, as a worker writes them.
async fn count_runs(store: &Arc<dyn Storage>, queue: &str, kind: &str, runs: u64) {
    let mut counts = SlotCounts::default();
    let own = counts.of_mut(&QueueName::new(queue).unwrap(), &Kind::new(kind).unwrap());
    (0..runs).for_each(|_| own.count(WorkOutcome::Completed));
    let now = client(store, queue).store_time().await.unwrap();
    let minute = SlotLength::Minute;
    let writer = WorkerId::new(format!("w-{queue}")).unwrap();
    let entry = SeriesEntry {
        series: minute.series(),
        slot: minute.slot_at(now),
        writer,
        bytes: counts.encode().into(),
    };
    store.write_series(entry, Duration::from_hours(1)).await.unwrap();
}
