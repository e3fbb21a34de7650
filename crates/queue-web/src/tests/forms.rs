//! Actions by forms alone, as a browser without script sends them.

use super::{client, dashboard, enqueue, everybody, fail_one, get, memory, new_job, post};
use crate::{AccessPolicy, Dashboard, routes::table};
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use queue::operations::{OperationId, Operations};
use queue_core::{
    Duty, Failure, QueueName, State, StorageExt, SystemRng, WorkerId, WorkerInfo,
    lifecycle::{Cause, Policy},
};
use queue_http::{ReceiptKeys, Service, ServiceLimits};
use std::{sync::Arc, time::Duration};
use tower::ServiceExt;

/// The value of a hidden field.
fn field<'a>(text: &'a str, name: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!(r#"name="{name}" value=""#)).unwrap();
    rest.split('"').next().unwrap()
}

#[tokio::test]
async fn every_form_goes_to_an_action_and_brings_its_proof() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1"), new_job("b", "k", "1")]).await;
    fail_one(&store, "mail", "w", Failure::new("E", "no"), Cause::Terminal).await;
    let mut worker = WorkerInfo::new(WorkerId::new("w").unwrap());
    worker.queues = vec![QueueName::new("mail").unwrap()];
    store.announce(worker, Duration::from_mins(1)).await.unwrap();
    client(&store, "mail").batch("import").open().await.unwrap();
    let over = client(&store, "mail").batch("over").open().await.unwrap();
    let _ = over.abandon().await.unwrap();
    let dashboard = dashboard(store);
    let mut met = 0;
    for page in [
        "/",
        "/queue?queue=mail",
        "/jobs?queue=mail",
        "/job?queue=mail&id=a",
        "/errors?queue=mail",
        "/workers",
        "/schedules?queue=mail",
        "/batches?queue=mail",
        "/batch?queue=mail&name=import",
        "/batch?queue=mail&name=over",
        "/operations",
    ] {
        let got = get(&dashboard, page).await;
        for form in got.text.split("<form").skip(1).map(|rest| rest.split("</form>").next().unwrap()) {
            let action = form.split("action=\"./").nth(1).unwrap().split('"').next().unwrap();
            let is_post = form.contains("method=\"post\"");
            let method = if is_post { Method::POST } else { Method::GET };
            assert!(
                table().iter().any(|route| route.method == method && &route.path[1..] == action),
                "{page}: {action}"
            );
            assert_eq!(form.contains("name=\"proof\""), is_post, "{page}: {action}");
            assert!(!is_post || form.contains("<button"), "{page}: {action}");
            met += 1;
        }
    }
    assert!(met >= 9, "{met}");
}

#[tokio::test]
async fn jobs_are_redriven_promoted_and_deleted_once_that_is_confirmed() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    fail_one(&store, "mail", "w", Failure::new("E", "no"), Cause::Terminal).await;
    let dashboard = dashboard(store.clone());
    let state = async || client(&store, "mail").status("a").await.unwrap().map(|status| status.state());
    assert_eq!(state().await, Some(State::Failed));
    let from = "/job?queue=mail&id=a";
    let got = post(&dashboard, from, "/change", "queue=mail&id=a&action=redrive").await;
    assert_eq!((got.status, state().await), (StatusCode::SEE_OTHER, Some(State::Queued)));
    let got = post(&dashboard, from, "/change", "queue=mail&id=a&action=redrive").await;
    assert!(got.location().contains("did=unchanged"), "{}", got.location());
    let asked = post(&dashboard, from, "/change", "queue=mail&id=a&action=delete").await;
    assert_eq!((asked.status, state().await), (StatusCode::OK, Some(State::Queued)));
    assert_eq!(field(&asked.text, "sure"), "yes");
    let got = post(&dashboard, from, "/change", "queue=mail&id=a&action=delete&sure=yes").await;
    assert_eq!((got.status, state().await), (StatusCode::SEE_OTHER, None));
    let records = get(&dashboard, "/operations").await.text;
    assert_eq!(records.matches("job a").count(), 3, "one record for each action, and none for a question");
}

#[tokio::test]
async fn the_page_after_an_action_shows_what_came_of_it() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1"), new_job("b", "k", "1")]).await;
    let dashboard = dashboard(store);
    let listed = "/jobs?queue=mail";
    assert!(get(&dashboard, listed).await.text.contains("value=\"a\""));
    post(&dashboard, listed, "/change", "queue=mail&id=a&action=delete&sure=yes").await;
    let after = get(&dashboard, listed).await.text;
    assert!(!after.contains("value=\"a\"") && after.contains("value=\"b\""), "{after}");
}

#[tokio::test]
async fn an_operation_is_counted_first_started_once_and_stopped() {
    let store = memory();
    enqueue(&store, "mail", (0..7).map(|number| new_job(&format!("a{number}"), "k", "1")).collect()).await;
    enqueue(&store, "mail", vec![new_job("b", "other", "1")]).await;
    let dashboard = dashboard(store.clone());
    let counted = post(&dashboard, "/jobs?queue=mail", "/bulk", "queue=mail&kind=k&action=cancel").await;
    assert!(counted.text.contains("Cancel: 7 jobs"), "{}", counted.text);
    let name = field(&counted.text, "operation").to_owned();
    let id: OperationId = format!("mail/{name}").parse().unwrap();
    let operations = Operations::of(store.clone());
    assert!(operations.get(&id).await.unwrap().is_none(), "a question changes nothing");
    let form = format!("queue=mail&kind=k&action=cancel&operation={name}");
    let got = post(&dashboard, "/jobs?queue=mail", "/bulk-start", &form).await;
    assert_eq!(got.location(), "./operations?did=started");
    let got = post(&dashboard, "/jobs?queue=mail", "/bulk-start", &form).await;
    assert_eq!(got.location(), "./operations?did=before");
    operations.worker().until_empty().build().unwrap().run().await;
    assert_eq!(operations.get(&id).await.unwrap().unwrap().counts().done, 7);
    assert_eq!(client(&store, "mail").status("b").await.unwrap().unwrap().state(), State::Queued);
    let got = post(&dashboard, "/jobs?queue=mail", "/bulk-cancel", &format!("operation={id}&sure=yes")).await;
    assert!(got.location().contains("did=unchanged"));
}

#[tokio::test]
async fn deleting_all_that_match_needs_the_name_of_the_queue() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let dashboard = dashboard(store);
    let asked = post(&dashboard, "/jobs?queue=mail", "/bulk", "queue=mail&action=delete&state=queued").await;
    assert!(asked.text.contains("name=\"typed\""));
    for (typed, status) in [("", 400), ("Mail", 400), ("mail", 303)] {
        let form = format!("queue=mail&action=delete&state=queued&operation=o&typed={typed}");
        assert_eq!(
            post(&dashboard, "/jobs?queue=mail", "/bulk-start", &form).await.status,
            status,
            "{typed}"
        );
    }
}

#[tokio::test]
async fn queues_pause_and_workers_drain() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let name = QueueName::new("mail").unwrap();
    let mut worker = WorkerInfo::new(WorkerId::new("w").unwrap());
    worker.queues = vec![name.clone()];
    store.announce(worker.clone(), Duration::from_mins(1)).await.unwrap();
    let dashboard = dashboard(store.clone());
    let pause = async || store.status_of(&name).await.unwrap().unwrap().pause;
    post(&dashboard, "/queue?queue=mail", "/pause", "queue=mail&minutes=15").await;
    assert!(pause().await.until().is_some());
    assert_eq!(post(&dashboard, "/jobs", "/pause", "queue=mail&minutes=-1").await.status, 400);
    post(&dashboard, "/queue?queue=mail", "/resume", "queue=mail").await;
    assert!(!pause().await.is_on());
    post(&dashboard, "/workers", "/duty", "worker=w&duty=drain&sure=yes").await;
    assert_eq!(store.announce(worker, Duration::from_mins(1)).await.unwrap(), Duty::Drain);
    assert!(
        post(&dashboard, "/workers", "/duty", "worker=nobody&duty=drain")
            .await
            .location()
            .contains("worker-gone")
    );
    assert_eq!(post(&dashboard, "/jobs", "/pause", "queue=queue.operations").await.status, 403);
}

#[tokio::test]
async fn links_hold_under_any_path_of_a_router() {
    let policy = AccessPolicy::of_door(super::door());
    let dashboard = Dashboard::new(memory()).access(policy);
    let app = axum::Router::new().nest_service("/admin/queues", dashboard);
    let ask = async |path: &str| {
        let request =
            Request::builder().uri(path).header("host", "a").body(Full::<bytes::Bytes>::default()).unwrap();
        let answer = app.clone().oneshot(request.map(axum::body::Body::new)).await.unwrap();
        let location = answer.headers().get("location").map(|value| value.to_str().unwrap().to_owned());
        (answer.status().as_u16(), location)
    };
    assert_eq!(ask("/admin/queues").await, (303, Some("./queues/".to_owned())));
    assert_eq!(ask("/admin/queues/").await, (200, None));
    assert_eq!(ask("/admin/queues/jobs").await, (200, None));
    assert_eq!(ask("/admin/queues/nothing").await.0, 404);
    let _ = everybody();
}

/// The dashboard had the default limits, so that it took what the calls beside it refused.
#[tokio::test]
async fn forms_take_and_refuse_the_payloads_that_the_calls_of_the_same_limits_do() {
    let mut limits = ServiceLimits::default();
    limits.json_depth_max = 4;
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let keys = Arc::new(ReceiptKeys::generate(&SystemRng));
    let service = Service::with(store.clone(), keys, limits, Policy::default());
    let access = AccessPolicy::of_requests(super::door());
    let dashboard = Dashboard::new(store).limits(*service.limits()).access(access);
    for (levels, is_taken) in [(4, true), (5, false), (100, false)] {
        let payload = "[".repeat(levels) + &"]".repeat(levels);
        let body = format!(r#"{{"jobs":[{{"payload":{payload}}}]}}"#);
        let call = Request::post("/v1/queues/mail/jobs").header("content-type", "application/json");
        let call = call.body(Full::from(body)).unwrap();
        let answer = service.as_principal(everybody()).oneshot(call).await.unwrap();
        assert_eq!(answer.status().is_success(), is_taken, "{levels} levels");
        let name = format!("s{levels}");
        for (from, path, form) in [
            ("/new-job?queue=mail", "/enqueue", String::new()),
            ("/new-schedule?queue=mail", "/put-schedule", format!("&name={name}&every_ms=60")),
        ] {
            let got = post(&dashboard, from, path, &format!("queue=mail&payload={payload}{form}")).await;
            assert_eq!(
                got.status == StatusCode::SEE_OTHER,
                is_taken,
                "{path}, {levels} levels: {}",
                got.text
            );
            let wrong = got.text.split("id=\"h-payload\">").nth(1);
            assert!(is_taken || wrong.unwrap().contains("at most 4 levels deep"), "{path}: {}", got.text);
        }
    }
}
