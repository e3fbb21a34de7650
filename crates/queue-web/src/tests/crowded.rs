//! What a visitor sees of a store that is full of what others do.

use super::{ask, dashboard, enqueue, everybody, get, memory, new_job, principal};
use crate::Dashboard;
use http::Method;
use queue::operations::{Action, Operation, Operations};
use queue_core::{Storage, lifecycle::OnRunning};
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
            ("/errors", "<strong>mail</strong>"),
            ("/kinds", "<strong>mail</strong>"),
            ("/schedules", "<strong>mail</strong>"),
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
    let all = get(&dashboard, "/").await.text;
    assert!(all.contains("aaa-499") && !all.contains("aaa-500"), "{all}");
    assert!(all.contains("There are more queues than a page shows"), "{all}");
    let few = ask(&dashboard, Method::GET, "/", Some(&principal(&[Scope::View], "m*")), "").await.text;
    assert!(!few.contains("There are more queues"), "{few}");
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
    let cancel = Action::Cancel { running: OnRunning::Leave };
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
