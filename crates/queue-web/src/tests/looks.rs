//! How pages look to a browser that chose, and the pages of what is not there.

use super::{answered, ask, dashboard, enqueue, everybody, fail_one, get, memory, new_job, post};
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use queue_core::{Failure, lifecycle::Cause};

#[tokio::test]
async fn colours_utc_and_a_page_that_stays_are_chosen_by_a_form_and_kept_by_the_browser() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let dashboard = dashboard(store);
    let usual = get(&dashboard, "/jobs?queue=mail").await.text;
    assert!(usual.contains("data-theme=\"system\"") && usual.contains("data-changes="), "{usual}");
    let form = "theme=dark&times=utc&refresh=off&back=.%2Fjobs%3Fqueue%3Dmail";
    let got = post(&dashboard, "/jobs?queue=mail", "/look", form).await;
    assert_eq!((got.status, got.location()), (StatusCode::SEE_OTHER, "./jobs?queue=mail"));
    let cookie = got.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let request = Request::builder().uri("/jobs?queue=mail").header("host", "queue.example.org");
    let request = request.header("cookie", cookie).extension(everybody());
    let text = answered(&dashboard, request.body(Full::default()).unwrap()).await.text;
    assert!(text.contains("data-theme=\"dark\"") && text.contains("data-times=\"utc\""), "{text}");
    assert!(!text.contains("data-changes="), "{text}");
}

#[tokio::test]
async fn a_time_is_told_by_how_long_ago_and_exactly() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let text = get(&dashboard(store), "/jobs?queue=mail").await.text;
    let (_, time) = text.split_once("<time datetime=\"").unwrap();
    let time = time.split("</time>").next().unwrap();
    assert!(time.contains(" UTC</span>") && time.contains("just now"), "{time}");
}

#[tokio::test]
async fn the_page_of_what_is_not_there_has_the_menu_and_names_it() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let dashboard = dashboard(store);
    for (path, named) in [
        ("/queue?queue=ghost", "queue “ghost”"),
        ("/job?queue=mail&id=ghost", "job “ghost” in the queue “mail”"),
        ("/jobs?store=ghost", "store “ghost”"),
        ("/ghost", "page “/ghost” here"),
    ] {
        let got = get(&dashboard, path).await;
        assert_eq!(got.status, StatusCode::NOT_FOUND, "{path}");
        assert!(got.text.contains(named), "{path}: {}", got.text);
        if path != "/jobs?store=ghost" {
            assert!(got.text.contains("aria-label=\"Pages\""), "{path}: {}", got.text);
        }
    }
    let stranger = ask(&dashboard, Method::GET, "/ghost", None, "").await;
    assert!(!stranger.text.contains("aria-label=\"Pages\""), "{}", stranger.text);
}

#[tokio::test]
async fn run_again_with_nothing_chosen_keeps_the_filter_and_says_what_to_do() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    fail_one(&store, "mail", "w", Failure::new("E", "no"), Cause::Terminal).await;
    let dashboard = dashboard(store);
    let from = "/jobs?queue=mail&state=failed";
    let form = "queue=mail&action=redrive&back=.%2Fjobs%3Fqueue%3Dmail%26state%3Dfailed";
    let got = post(&dashboard, from, "/change", form).await;
    assert!(
        got.location().starts_with("./jobs?queue=mail&state=failed&did=none-chosen"),
        "{}",
        got.location()
    );
    let page = get(&dashboard, &got.location()[1..]).await.text;
    assert!(page.contains("choose at least one job first"), "{page}");
}

#[tokio::test]
async fn a_tile_leads_to_its_jobs() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let text = get(&dashboard(store), "/").await.text;
    for state in ["due", "processing", "scheduled", "failing", "failed"] {
        assert!(text.contains(&format!("<a href=\"./jobs?state={state}\">")), "{state}: {text}");
    }
}

#[tokio::test]
async fn a_download_has_every_byte_and_leaves_a_record() {
    let store = memory();
    let payload = r#"{"password":"hunter2","rows":[1.50]}"#;
    enqueue(&store, "mail", vec![new_job("a", "k", payload)]).await;
    let dashboard = dashboard(store);
    let from = "/job?queue=mail&id=a";
    let got = post(&dashboard, from, "/download", "queue=mail&id=a&part=payload").await;
    assert_eq!((got.status, got.text.as_str()), (StatusCode::OK, payload));
    assert_eq!(got.headers["content-disposition"], "attachment; filename=\"payload.json\"");
    assert_eq!(got.headers["content-type"], "application/octet-stream");
    for (part, status) in [("result", 404), ("anything", 400)] {
        let form = format!("queue=mail&id=a&part={part}");
        assert_eq!(post(&dashboard, from, "/download", &form).await.status, status, "{part}");
    }
    assert!(get(&dashboard, "/operations").await.text.contains("payload of job a"));
}
