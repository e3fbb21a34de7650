//! Links to where the traces of jobs are shown.

use super::{door, enqueue, memory, new_job, post};
use crate::{AccessPolicy, Dashboard, WatchedStores};
use queue_core::Headers;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

async fn opened(dashboard: Dashboard, id: &str) -> String {
    let from = format!("/job?queue=mail&id={id}");
    post(&dashboard, &from, "/reveal", &format!("queue=mail&id={id}")).await.text
}

#[tokio::test]
async fn an_opened_job_links_to_its_trace_where_the_operator_said() {
    let store = memory();
    let good = format!("00-{TRACE}-00f067aa0ba902b7-01");
    for (id, header) in [("good", &*good), ("bad", "00-\"><script>alert(1)</script>-x-01")] {
        let mut job = new_job(id, "k", "1");
        job.headers = Headers::new([("traceparent", header)]).unwrap();
        enqueue(&store, "mail", vec![job]).await;
    }
    let make = || Dashboard::new(WatchedStores::named("main", store.clone()));
    let policy = || AccessPolicy::of_requests(door());
    let url = || "https://traces.example.org/t/{trace_id}?from=queue".parse().unwrap();

    let text = opened(make().trace_url(url()).access(policy()), "good").await;
    let link =
        format!("href=\"https://traces.example.org/t/{TRACE}?from=queue\" rel=\"external noreferrer\"");
    assert!(text.contains(&link), "{text}");
    let text = opened(make().access(policy()), "good").await;
    assert!(text.contains(&format!("<p class=\"id\">{TRACE}</p>")), "{text}");
    let text = opened(make().trace_url(url()).access(policy()), "bad").await;
    assert!(!text.contains("traces.example.org") && !text.contains("<script>alert"), "{text}");
}
