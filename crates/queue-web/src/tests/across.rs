//! What the pages of jobs and of errors show of all queues at once.

use super::{ask, dashboard, enqueue, fail_one, get, memory, new_job, principal};
use http::Method;
use queue_core::{Failure, Storage, lifecycle::Cause};
use queue_http::Scope;
use std::sync::Arc;

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
