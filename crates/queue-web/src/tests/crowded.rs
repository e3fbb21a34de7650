//! What a visitor sees of a store that is full of what others do.

use super::{ask, dashboard, enqueue, everybody, get, memory, new_job, principal};
use crate::Dashboard;
use http::Method;
use queue::operations::{Action, Operation, Operations};
use queue_core::{Storage, lifecycle::OnProcessing};
use queue_http::Scope;
use queue_view::Standing;
use std::sync::Arc;

/// More queues than a page shows, all before `mail` by their names.
async fn crowded() -> Arc<dyn Storage> {
    let store = memory();
    for number in 0..510 {
        enqueue(&store, &format!("aaa-{number:03}"), vec![new_job("a", "k", "1")]).await;
    }
    enqueue(&store, "mail", vec![new_job("letter", "email", "1")]).await;
    store
}

#[tokio::test]
async fn a_visitor_sees_its_queue_behind_those_of_others_on_each_page() {
    let store = crowded().await;
    let dashboard: Dashboard = dashboard(store);
    for pattern in ["mail", "m*", "*l"] {
        let who = principal(&[Scope::View], pattern);
        for (path, sign) in [
            ("/", "?queue=mail"),
            ("/jobs", "letter"),
            ("/errors", "<strong><bdi>mail</bdi></strong>"),
            ("/kinds", "<strong><bdi>mail</bdi></strong>"),
            ("/schedules", "<strong><bdi>mail</bdi></strong>"),
            ("/batches", "<strong><bdi>mail</bdi></strong>"),
        ] {
            let text = ask(&dashboard, Method::GET, path, Some(&who), "").await.text;
            assert!(
                text.contains(sign) && !text.contains("There is no queue yet"),
                "{pattern} {path}: {text}"
            );
            assert!(!text.contains("aaa-"), "{pattern} {path}: {text}");
        }
    }
}

#[tokio::test]
async fn a_page_that_cannot_show_all_queues_says_so() {
    let dashboard: Dashboard = dashboard(crowded().await);
    let first = get(&dashboard, "/").await.text;
    assert!(first.contains("1 to 50 of 500 queues") && !first.contains("aaa-050"), "{first}");
    let all = get(&dashboard, "/?page=10").await.text;
    assert!(all.contains("aaa-499") && !all.contains("aaa-500"), "{all}");
    assert!(all.contains("There are more queues than a page shows"), "{all}");
    let few = ask(&dashboard, Method::GET, "/", Some(&principal(&[Scope::View], "m*")), "").await.text;
    assert!(!few.contains("There are more queues"), "{few}");
}

/// With 278 queues the page began with 278 lines, and was 18,871 points long.
#[tokio::test]
async fn many_queues_without_a_worker_are_one_sentence_and_a_table_of_fifty() {
    let store = memory();
    for number in 0..278 {
        enqueue(&store, &format!("tenant-{number:03}"), vec![new_job("a", "k", "1")]).await;
    }
    enqueue(&store, "tenant-200", (0..9).map(|n| new_job(&format!("b{n}"), "k", "1")).collect()).await;
    let dashboard: Dashboard = dashboard(store);
    let text = get(&dashboard, "/").await.text;
    assert!(
        text.contains("278 queues have due jobs and no worker") && text.contains(">268 more</a>"),
        "{text}"
    );
    let rows = |text: &str| text.split("<tbody>").nth(1).unwrap().matches("<tr>").count();
    assert_eq!((rows(&text), text.matches("<li><span class=\"sign bad").count()), (50, 1));
    let last = get(&dashboard, "/?page=6").await.text;
    assert!(last.contains("251 to 278 of 278 queues") && last.contains("tenant-277"), "{last}");
    let sorted = get(&dashboard, "/?sort=due").await.text;
    let body = sorted.split("<tbody>").nth(1).unwrap();
    assert!(body.find("tenant-200").unwrap() < body.find("tenant-000").unwrap(), "{sorted}");
    assert!(sorted.contains("aria-sort=\"descending\""), "{sorted}");
    let found = get(&dashboard, "/?search=T-27").await.text;
    assert_eq!(rows(&found), 8, "{found}");
    let concerned = get(&dashboard, "/?concern=paused").await.text;
    assert!(concerned.contains("No queue matches."), "{concerned}");
}

#[tokio::test]
async fn queues_of_the_library_take_no_place_of_others() {
    let store = memory();
    for number in 0..510 {
        enqueue(&store, &format!("leader:{number:03}"), vec![new_job("a", "k", "1")]).await;
    }
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let dashboard: Dashboard = dashboard(store);
    let who = queue_http::Principal::anybody();
    let text = ask(&dashboard, Method::GET, "/", Some(&who), "").await.text;
    assert!(text.contains("?queue=mail") && !text.contains("leader:"), "{text}");
}

#[tokio::test]
async fn operations_and_actions_of_others_take_no_place_of_the_visitor_s() {
    let store = crowded().await;
    let operations = Operations::of(store.clone());
    let cancel = Action::Cancel { processing: OnProcessing::Leave };
    let on = |queue: &str| Operation::on(queue, cancel.clone()).standing(Standing::Due);
    let _ = operations.start("of-mail", &on("mail")).await.unwrap();
    for number in 0..150 {
        let _ = operations.start(format!("of-others-{number}"), &on("aaa-000")).await.unwrap();
    }
    let dashboard: Dashboard = dashboard(store);
    let proof = get(&dashboard, "/jobs?queue=mail").await.proof().to_owned();
    let pause = async |queue: &str| {
        let form = format!("proof={proof}&queue={queue}");
        ask(&dashboard, Method::POST, "/pause", Some(&everybody()), &form).await
    };
    pause("mail").await;
    for _ in 0..210 {
        pause("aaa-000").await;
    }
    let who = principal(&[Scope::View], "mail");
    let text = ask(&dashboard, Method::GET, "/operations", Some(&who), "").await.text;
    assert!(text.contains("of-mail") && !text.contains("of-others"), "{text}");
    assert!(text.contains("pause") && !text.contains("aaa-000"), "{text}");
}
