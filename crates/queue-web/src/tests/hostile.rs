//! What others stored reaches pages as text.

use super::{Got, client, dashboard, enqueue, fail_one, get, memory, new_job, post};
use crate::routes::table;
use form_urlencoded::byte_serialize;
use http::{Method, StatusCode};
use queue::{Queue, Raw, batches::BATCH_NAME_BYTES_MAX};
use queue_core::{Duty, Failure, QueueName, Tag, Tags, WorkerId, WorkerInfo, lifecycle::Cause};
use std::time::Duration;

/// Texts that do something where they are not escaped, or that no path can hold.
const HOSTILE: [&str; 12] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</textarea></pre><svg onload=alert(1)>",
    "javascript:alert(1)",
    "..",
    "a/../../b?c=d&e=f#g%00%2e%2e",
    "{{7*7}}${7*7}<%=7*7%>",
    "&lt;b&gt;&amp;",
    "//evil.example/x",
    "\u{202e}gnp.exe\u{2066}",
    "𝕏 ünïcode 漢字 🦀",
];

fn encoded(text: &str) -> String {
    byte_serialize(text.as_bytes()).collect()
}

/// As much of a text as the name of a batch can be, which is no folder.
fn batch_name(text: &str) -> String {
    let text = text.replace(['@', '/'], "").replace("..", "…");
    text[..text.floor_char_boundary(BATCH_NAME_BYTES_MAX)].to_owned()
}

async fn open_batch(jobs: &Queue<Raw, Raw>, text: &str) {
    let kind = queue_core::Kind::new(text).unwrap_or(queue_core::Kind::from_static("k"));
    let batch = jobs.batch(batch_name(text)).on_end(kind, &text).on_first_failure("k", &text);
    let batch = batch.open().await.unwrap();
    batch.add(text, Raw(new_job("any", "any", "1").payload)).await.unwrap();
}

/// What no page may be, with any content.
fn check(got: &Got, what: &str) {
    let text = &got.text;
    assert!(text.trim_end().ends_with("</html>"), "{what}: it does not end");
    for raw in ["<script>", "<img src=x", "<svg onload", "' onmouseover='", "onerror=alert(1)>", "<%=", "<b>"]
    {
        assert!(!text.contains(raw), "{what}: {raw}");
    }
    assert_eq!(text.matches("</textarea>").count(), text.matches("<textarea").count(), "{what}");
    assert_eq!(text.matches("<script").count(), 1, "{what}: one script, that of the page");
    assert!(!text.contains("<style") && !text.contains(" style="), "{what}");
    for attribute in ["href=\"", "src=\"", "action=\"", "formaction=\"", "data-changes=\""] {
        for link in text.split(attribute).skip(1).map(|rest| rest.split('"').next().unwrap()) {
            assert!(link.starts_with("./") || link.starts_with('#'), "{what}: {attribute}{link}");
            assert!(!link.starts_with(".//"), "{what}: {attribute}{link}");
        }
    }
    for handler in ["onload=\"", "onclick=\"", "onerror=\"", "onmouseover=\""] {
        assert!(!text.contains(handler), "{what}: {handler}");
    }
    check_isolated(text, what);
    let policy = got.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
}

/// Stored text is an element of its own wherever an element can be, and turns no direction.
fn check_isolated(text: &str, what: &str) {
    for node in text.split('<') {
        let (tag, shown) = node.split_once('>').unwrap_or((node, ""));
        assert!(!shown.contains(['\u{202e}', '\u{2066}']), "{what}: {node}");
        let is_alone = ["bdi", "title", "option"].iter().any(|name| tag.starts_with(name));
        assert!(is_alone || !(shown.contains("gnp.exe") || shown.contains("ünïcode")), "{what}: {node}");
        for attribute in ["title=\"", "aria-label=\""] {
            let value = tag.split_once(attribute).and_then(|(_, rest)| rest.split('"').next());
            assert!(!value.is_some_and(|value| value.contains('\u{202e}')), "{what}: {node}");
        }
    }
}

#[tokio::test]
async fn hostile_names_and_texts_are_shown_and_do_nothing_on_every_page() {
    let store = memory();
    for (number, text) in HOSTILE.into_iter().enumerate() {
        let queue = format!("q{number}{text}");
        let Ok(name) = QueueName::new(&queue) else { continue };
        open_batch(&client(&store, &queue), text).await;
        let kind = queue_core::Kind::new(text).map_or_else(|_| "k".to_owned(), |kind| kind.to_string());
        let tags = Tag::new(text).map_or(Tags::NONE, |tag| Tags::new([tag]).unwrap());
        let job = |id: &str| new_job(id, &kind, &format!("{text:?}")).with_tags(tags.clone());
        enqueue(&store, &queue, vec![job(text), job(&format!("{text}2"))]).await;
        let worker = WorkerId::new(text).unwrap_or_else(|_| WorkerId::new("w").unwrap());
        fail_one(
            &store,
            &queue,
            worker.as_str(),
            Failure::new(text, format!("{text} {number}")),
            Cause::Terminal,
        )
        .await;
        fail_one(&store, &queue, worker.as_str(), Failure::new(text, text), Cause::Retryable).await;
        let mut info = WorkerInfo::new(worker);
        (info.queues, info.host, info.duty) = (vec![name], text.to_owned(), Duty::Work);
        store.announce(info, Duration::from_mins(1)).await.unwrap();
    }
    let dashboard = dashboard(store.clone());
    let mut pages = 0;
    for (number, text) in HOSTILE.into_iter().enumerate() {
        let name = encoded(&batch_name(text));
        let (queue, text) = (encoded(&format!("q{number}{text}")), encoded(text));
        for route in table().iter().filter(|route| route.method == Method::GET && route.path != "/changes") {
            for query in [
                format!("queue={queue}&id={text}&name={name}"),
                format!("queue={queue}&kind={text}&tag={text}&worker={text}&id_prefix={text}"),
                format!(
                    "queue={text}&id={text}&name={text}&last={text}&after={text}&did={text}&n={text}&to={text}&store=main"
                ),
                format!("store={text}"),
            ] {
                let got = get(&dashboard, &format!("{}?{query}", route.path)).await;
                assert!(!got.status.is_server_error(), "{} {query}: {}", route.path, got.status);
                if got.status != StatusCode::SEE_OTHER {
                    check(&got, &format!("{} {query}", route.path));
                    pages += 1;
                }
            }
        }
        let from = format!("/job?queue={queue}&id={text}");
        let opened = post(&dashboard, &from, "/reveal", &format!("queue={queue}&id={text}")).await;
        check(&opened, &format!("what {queue} carries"));
        assert_eq!(opened.status, StatusCode::OK, "{queue}");
    }
    assert!(pages > 400, "{pages}");
}

#[tokio::test]
async fn a_hostile_job_is_changed_by_the_form_of_its_page_and_recorded_as_it_is_named() {
    let store = memory();
    for text in HOSTILE {
        enqueue(&store, "mail", vec![new_job(text, "k", "1")]).await;
    }
    let dashboard = dashboard(store.clone());
    for text in HOSTILE {
        let id = encoded(text);
        let back = encoded(&format!("./job?queue=mail&id={id}"));
        let got = post(
            &dashboard,
            &format!("/job?queue=mail&id={id}"),
            "/change",
            &format!("queue=mail&id={id}&action=cancel&sure=yes&back={back}"),
        )
        .await;
        assert_eq!(got.status, StatusCode::SEE_OTHER, "{text}: {}", got.text);
        assert!(
            got.location().starts_with("./job?queue=mail&id=") && got.location().contains("did=cancel"),
            "{}",
            got.location()
        );
        let status = client(&store, "mail").status(text).await.unwrap().unwrap();
        assert_eq!(status.state(), queue_core::State::Cancelled, "{text}");
    }
    check(&get(&dashboard, "/operations").await, "records");
}

#[tokio::test]
async fn a_form_never_leads_to_another_site() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let dashboard = dashboard(store);
    for back in [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "jobs\r\nx-evil: 1",
    ] {
        let got = post(&dashboard, "/jobs", "/pause", &format!("queue=mail&back={}", encoded(back))).await;
        assert!(got.location().starts_with("./?did=pause"), "{back}: {}", got.location());
        assert!(got.headers.get("x-evil").is_none());
    }
}
