//! Jobs and schedules that are made and changed by forms.

use super::{Got, client, dashboard, enqueue, get, memory, new_job, post};
use crate::Dashboard;
use form_urlencoded::Serializer;
use http::StatusCode;
use queue_core::{JobBody, JobId, JobMeta, Kind, QueueName, Span, Storage, StorageExt};
use std::sync::Arc;

fn form(pairs: &[(&str, &str)]) -> String {
    Serializer::new(String::new()).extend_pairs(pairs).finish()
}

struct Whole {
    meta: JobMeta,
    body: JobBody,
}

async fn whole(store: &Arc<dyn Storage>, id: &str) -> Whole {
    let queue = QueueName::from_static("mail");
    let found = store.get_whole(&queue, &[JobId::new(id).unwrap()]).await.unwrap();
    let record = found.value.into_iter().next().unwrap().unwrap();
    Whole { meta: record.meta, body: record.body.unwrap() }
}

async fn send(dashboard: &Dashboard, path: &str, pairs: &[(&str, &str)]) -> Got {
    post(dashboard, "/jobs?queue=mail", path, &form(pairs)).await
}

async fn a_store() -> (Arc<dyn Storage>, Dashboard) {
    let store = memory();
    let mut job = new_job("a", "letter", r#"{"to":"ada","password":"hunter2","n":1.50}"#);
    job.terms.time_limit = Some(Span::from_secs(7));
    enqueue(&store, "mail", vec![job]).await;
    (store.clone(), dashboard(store))
}

#[tokio::test]
async fn a_job_is_enqueued_by_a_form_with_every_option_of_the_call() {
    let (store, dashboard) = a_store().await;
    let got = send(
        &dashboard,
        "/enqueue",
        &[
            ("queue", "mail"),
            ("id", "b"),
            ("kind", "letter"),
            ("payload", " {\"n\": 1.50}\r\n"),
            ("tags", "tenant-7, night"),
            ("priority", "-3"),
            ("delay_ms", "90"),
            ("rest", r#"{"max_attempts": 4, "headers": {"lang": "de"}}"#),
        ],
    )
    .await;
    assert_eq!((got.status, got.location()), (StatusCode::SEE_OTHER, "./job?queue=mail&id=b&did=enqueued"));
    let job = whole(&store, "b").await;
    assert_eq!(&job.body.payload.bytes[..], b"{\"n\": 1.50}");
    assert_eq!((job.meta.kind.as_str(), job.meta.priority, job.meta.tags.iter().count()), ("letter", -3, 2));
    assert_eq!(job.meta.run_at.since(job.meta.created_at).as_secs(), 90);
    assert_eq!(job.body.headers.get("lang"), Some("de"));
    assert_eq!(job.meta.terms.max_attempts, queue_core::Budget::from_raw(4));
}

#[tokio::test]
async fn what_is_wrong_stands_by_its_field_and_nothing_is_written() {
    let (store, dashboard) = a_store().await;
    for (field, value, words) in [
        ("payload", "{a", "this is no JSON"),
        ("kind", "queue.schedule", "kind: kinds that begin with"),
        ("priority", "1.5", "give a whole number"),
        ("priority", "99999", "priority: "),
        ("delay_ms", "soon", "give a number of seconds"),
        ("tags", "1,2,3,4,5,6,7,8,9", "tags: "),
        ("rest", "[]", "this is no object of JSON"),
        ("rest", r#"{"colour": 1}"#, "unknown field"),
        ("id", "a", "a job has this id already"),
    ] {
        let got = send(&dashboard, "/enqueue", &[("queue", "mail"), (field, value)]).await;
        assert_eq!(got.status, StatusCode::BAD_REQUEST, "{field}={value}: {}", got.text);
        let own = got.text.split(&format!("id=\"n-{field}\"")).nth(1).unwrap().split("</p>").next().unwrap();
        assert!(own.contains("aria-invalid") && own.contains(words), "{field}={value}: {own}");
        if field != "tags" {
            let kept = own.contains(&value.replace('"', "&#34;"));
            assert!(kept, "what was typed is kept: {field}={value}: {own}");
        }
    }
    let counts = store.counts(&QueueName::from_static("mail")).await.unwrap();
    assert_eq!(counts.total(), 1);
}

#[tokio::test]
async fn a_job_is_edited_with_all_that_it_carries_and_runs_again_beside_itself() {
    let (store, dashboard) = a_store().await;
    let page = post(&dashboard, "/job?queue=mail&id=a", "/edit-job", "queue=mail&id=a").await;
    assert!(page.text.contains("hunter2") && page.text.contains("time_limit_ms&#34;: 7000"), "{}", page.text);
    assert!(get(&dashboard, "/operations").await.text.contains("job a, to edit it"));
    let (_, rest) = page.text.split_once("id=\"n-rest\"").unwrap();
    let rest = rest.split_once('>').unwrap().1.split("</textarea>").next().unwrap().replace("&#34;", "\"");
    let got = send(
        &dashboard,
        "/enqueue",
        &[
            ("queue", "mail"),
            ("id", "a-2"),
            ("kind", "letter"),
            ("payload", r#"{"to":"bob","n":1.50}"#),
            ("content_type", "application/json"),
            ("rest", &rest),
        ],
    )
    .await;
    assert_eq!(got.status, StatusCode::SEE_OTHER, "{}", got.text);
    let (old, new) = (whole(&store, "a").await, whole(&store, "a-2").await);
    assert_eq!(
        (old.meta.terms.time_limit, old.meta.terms.retention),
        (new.meta.terms.time_limit, new.meta.terms.retention)
    );
    assert_eq!(&new.body.payload.bytes[..], br#"{"to":"bob","n":1.50}"#);
    assert_eq!(old.meta.revision, 1, "it is as it was enqueued");
}

#[tokio::test]
async fn a_schedule_is_added_edited_and_refused_by_the_rules_of_the_call() {
    let (store, dashboard) = a_store().await;
    let base = [("queue", "mail"), ("name", "nightly"), ("kind", "report"), ("payload", "{\"n\":1.50}")];
    let with = |more: &[(&'static str, &'static str)]| {
        base.iter().copied().chain(more.iter().copied()).collect::<Vec<_>>()
    };
    for (more, field, words) in [
        (&[][..], "rest", "give one of cron, every_ms and at"),
        (&[("cron", "61 * * * *")][..], "cron", "is no cron pattern"),
        (&[("at", "tomorrow")][..], "at", "is no moment"),
    ] {
        let got = send(&dashboard, "/put-schedule", &with(more)).await;
        assert_eq!(got.status, StatusCode::BAD_REQUEST, "{more:?}");
        let own = got.text.split(&format!("id=\"n-{field}\"")).nth(1).unwrap().split("</p>").next().unwrap();
        assert!(own.contains("class=\"wrong\"") && own.contains(words), "{more:?}: {}", got.text);
    }
    let cron = [("cron", "0 3 * * *"), ("zone", "Europe/Vienna"), ("rest", r#"{"jitter_ms": 5000}"#)];
    let got = send(&dashboard, "/put-schedule", &with(&cron)).await;
    assert_eq!(got.location(), "./schedules?queue=mail&did=schedule-put", "{}", got.text);
    let got = send(&dashboard, "/put-schedule", &with(&cron)).await;
    assert!(got.text.contains("there is a schedule of this name already"), "{}", got.text);
    let page = post(&dashboard, "/schedules?queue=mail", "/edit-schedule", "queue=mail&name=nightly").await;
    for kept in ["0 3 * * *", "Europe&#47;Vienna", "1.50", "jitter_ms&#34;: 5000", "report"] {
        let plain = kept.replace("&#47;", "/");
        assert!(page.text.contains(kept) || page.text.contains(&plain), "{kept}: {}", page.text);
    }
    let edited = with(&[("edit", "yes"), ("every_ms", "60")]);
    let got = send(&dashboard, "/put-schedule", &edited).await;
    assert_eq!(got.location(), "./schedules?queue=mail&did=schedule-put", "{}", got.text);
    let status = client(&store, "mail").schedules().get("nightly").await.unwrap().unwrap();
    assert_eq!(status.view().every_ms, Some(60_000));
    assert_eq!(status.spec().job.kind(), Kind::from_static("report").as_str());
    let missing = post(&dashboard, "/schedules?queue=mail", "/edit-schedule", "queue=mail&name=ghost").await;
    assert!(missing.status == 404 && missing.text.contains("schedule “ghost”"), "{}", missing.text);
}
