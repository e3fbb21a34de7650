//! Jobs and workers of the library among jobs and workers of applications.

use super::{client, dashboard, enqueue, get, memory, new_job, post};
use http::StatusCode;
use queue::{
    Raw,
    operations::{Action, Operation, Operations},
    schedules::{Schedule, Timing},
};
use queue_core::{Duty, QueueName, Storage, WorkerId, WorkerInfo};
use queue_view::Standing;
use std::{sync::Arc, time::Duration};

const SCHEDULE: &str = "queue.schedule:nightly";

async fn with_a_schedule() -> Arc<dyn Storage> {
    let store = memory();
    let hourly = Timing::every(Duration::from_hours(1)).unwrap();
    let schedule = Schedule::new("nightly", hourly, Raw(new_job("any", "any", "1").payload));
    client(&store, "mail").schedules().put(&schedule).await.unwrap();
    enqueue(&store, "mail", vec![new_job("letter", "k", "1")]).await;
    store
}

pub(super) async fn announce(store: &Arc<dyn Storage>, id: &str, queue: &str) -> Duty {
    let mut worker = WorkerInfo::new(WorkerId::new(id).unwrap());
    worker.queues = vec![QueueName::new(queue).unwrap()];
    store.announce(worker, Duration::from_mins(1)).await.unwrap()
}

#[tokio::test]
async fn a_schedule_has_no_box_among_jobs_and_leads_to_its_page() {
    let text = get(&dashboard(with_a_schedule().await), "/jobs?queue=mail").await.text;
    let boxes: Vec<&str> = text.split("type=\"checkbox\" name=\"id\" value=\"").skip(1).collect();
    assert_eq!(boxes.len(), 1, "{text}");
    assert!(boxes[0].starts_with("letter\""), "{text}");
    assert!(
        text.contains(
            r#"href="./schedules?queue=mail"><bdi>nightly</bdi></a> <span class="tag">schedule</span>"#
        ),
        "{text}"
    );
}

#[tokio::test]
async fn a_schedule_is_changed_by_no_form_of_jobs() {
    let store = with_a_schedule().await;
    let dashboard = dashboard(store.clone());
    for action in ["delete", "cancel", "promote", "redrive"] {
        let form = format!("queue=mail&id=letter&id={SCHEDULE}&action={action}&sure=yes");
        let got = post(&dashboard, "/jobs?queue=mail", "/change", &form).await;
        assert_eq!(got.status, StatusCode::BAD_REQUEST, "{action}: {}", got.text);
        assert!(got.text.contains("on the page of schedules"), "{action}: {}", got.text);
    }
    let jobs = client(&store, "mail");
    assert!(jobs.status("letter").await.unwrap().is_some(), "nothing is changed in part");
    assert!(jobs.schedules().get("nightly").await.unwrap().is_some());
    let page = get(&dashboard, &format!("/job?queue=mail&id={SCHEDULE}")).await.text;
    assert!(page.contains("./schedules?queue=mail") && !page.contains("action=\"./change\""), "{page}");
}

#[tokio::test]
async fn a_batch_has_no_box_among_jobs_and_leads_to_its_page() {
    let store = with_a_schedule().await;
    client(&store, "mail").batch("import").open().await.unwrap();
    let dashboard = dashboard(store);
    let text = get(&dashboard, "/jobs?queue=mail").await.text;
    assert!(text.contains(r#"href="./batch?queue=mail&#38;name=import"><bdi>import</bdi></a> <span class="tag">batch</span>"#), "{text}");
    assert_eq!(text.matches("type=\"checkbox\" name=\"id\"").count(), 1, "{text}");
    let job = get(&dashboard, "/job?queue=mail&id=queue.batch:import").await.text;
    assert!(
        job.contains("./batch?queue=mail&#38;name=import") && !job.contains("action=\"./change\""),
        "{job}"
    );
}

#[tokio::test]
async fn the_worker_of_the_library_is_not_listed_not_counted_and_not_drained() {
    let store = with_a_schedule().await;
    announce(&store, "of-serve", "queue.operations").await;
    announce(&store, "w", "mail").await;
    let dashboard = dashboard(store.clone());
    let workers = get(&dashboard, "/workers").await.text;
    assert!(workers.contains("><bdi>w</bdi></h2>") && !workers.contains("of-serve"), "{workers}");
    assert!(get(&dashboard, "/").await.text.contains("1 worker;"));
    let got = post(&dashboard, "/workers", "/duty", "worker=of-serve&duty=drain&sure=yes").await;
    assert!(got.location().contains("worker-gone"), "{}", got.location());
    assert_eq!(announce(&store, "of-serve", "queue.operations").await, Duty::Work);
}

#[tokio::test]
async fn an_operation_that_no_worker_runs_is_said_so() {
    let store = with_a_schedule().await;
    let operations = Operations::of(store.clone());
    let _ =
        operations.start("o", &Operation::on("mail", Action::Delete).standing(Standing::Due)).await.unwrap();
    let said = async |store: &Arc<dyn Storage>| {
        get(&dashboard(store.clone()), "/operations").await.text.contains("No worker runs operations now")
    };
    assert!(said(&store).await);
    announce(&store, "of-serve", "queue.operations").await;
    assert!(!said(&store).await);
    store.set_duty(&WorkerId::new("of-serve").unwrap(), Duty::Drain).await.unwrap();
    assert!(said(&store).await, "a worker that drains takes no operation");
}

#[tokio::test]
async fn what_ends_or_deletes_asks_once_and_names_it() {
    let store = with_a_schedule().await;
    announce(&store, "w", "mail").await;
    let operations = Operations::of(store.clone());
    let _ =
        operations.start("o", &Operation::on("mail", Action::Delete).standing(Standing::Due)).await.unwrap();
    let dashboard = dashboard(store);
    for (path, form, named, done) in [
        ("/change", "queue=mail&id=letter&action=cancel", "Job</dt><dd><bdi>letter", "did=cancel"),
        ("/change", "queue=mail&id=letter&action=delete", "Job</dt><dd><bdi>letter", "did=delete"),
        ("/duty", "worker=w&duty=drain", "Drain the worker w, so that it ends?", "did=drain"),
        ("/bulk-cancel", "operation=mail/o", "Stop the operation mail/o?", "did=stopped"),
    ] {
        let asked = post(&dashboard, "/jobs?queue=mail", path, form).await;
        assert_eq!(asked.status, StatusCode::OK, "{path} {form}: {}", asked.text);
        assert!(asked.text.contains(named), "{path} {form}: {}", asked.text);
        let got = post(&dashboard, "/jobs?queue=mail", path, &format!("{form}&sure=yes")).await;
        assert!(got.location().contains(done), "{path} {form}: {}", got.location());
    }
}
