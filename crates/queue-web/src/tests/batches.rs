//! The pages of batches.

use super::{ask, client, dashboard, enqueue, fail_one, get, memory, new_job, post, principal};
use http::{Method, StatusCode};
use queue::{Queue, Raw, batches::Batch, worker::Router};
use queue_core::{
    ClaimRequest, Failure, QueueName, Span, Storage, SystemRng, Tag, Tags, WorkerId, lifecycle::Cause,
};
use queue_http::Scope::View;
use std::sync::Arc;

pub(super) const ONE: &str = "/batch?queue=imports&name=nightly";

pub(super) fn imports(store: &Arc<dyn Storage>) -> Queue<Raw, Raw> {
    client(store, "imports")
}

fn payload() -> Raw {
    Raw(new_job("any", "any", "1").payload)
}

/// A batch with callbacks and three members, none of which has run.
pub(super) async fn with_a_batch(store: &Arc<dyn Storage>) -> Batch<Raw, Raw> {
    let report = queue::Kind::new("report").unwrap();
    let builder = imports(store).batch("nightly").on_end(report, &"sealed inside".to_owned());
    let alarm = queue::Kind::new("alarm").unwrap();
    let batch = builder.on_first_failure(alarm, &1).callbacks_in("reports").open().await.unwrap();
    batch.add_all(["a", "b", "c"].map(|id| (id, payload()))).await.unwrap();
    batch
}

async fn fail(store: &Arc<dyn Storage>, words: &str) {
    fail_one(store, "imports", "w", Failure::new("Import", words), Cause::Terminal).await;
}

#[tokio::test]
async fn batches_of_a_queue_are_listed_with_their_counts() {
    let store = memory();
    let batch = with_a_batch(&store).await;
    fail(&store, "row 7 is odd").await;
    let dashboard = dashboard(store);
    let text = get(&dashboard, "/batches?queue=imports").await.text;
    assert!(text.contains("href=\"./batch?queue=imports&#38;name=nightly\"><bdi>nightly</bdi>"), "{text}");
    assert!(text.contains("</span>open</span>") && text.contains("<span>33 %</span>"), "{text}");
    for (label, count) in [("Added", 3), ("Completed", 0), ("Failed", 1), ("Cancelled", 0), ("Waiting", 2)] {
        assert!(text.contains(&format!("data-label=\"{label}\">{count}</td>")), "{label}: {text}");
    }
    assert!(text.contains("data-label=\"Ended\">–") && text.contains("data-live"), "{text}");
    batch.seal().await.unwrap();
    let of_queue = get(&dashboard, "/queue?queue=imports").await.text;
    assert!(of_queue.contains("href=\"./batches?queue=imports\">Batches</a>"), "{of_queue}");
}

#[tokio::test]
async fn a_queue_without_a_batch_says_what_one_is() {
    let store = memory();
    let nothing = get(&dashboard(store.clone()), "/batches").await.text;
    assert!(nothing.contains("There is no queue yet"), "{nothing}");
    enqueue(&store, "imports", vec![new_job("a", "k", "1")]).await;
    let text = get(&dashboard(store), "/batches?queue=imports").await.text;
    assert!(text.contains("A batch has many jobs as its members"), "{text}");
    assert!(text.contains("queue --queue <bdi>imports</bdi> batch open import-7"), "{text}");
}

#[tokio::test]
async fn batches_are_read_page_by_page_and_the_newest_comes_first() {
    let store = memory();
    for number in 0..60 {
        imports(&store).batch(format!("import-{number:02}")).open().await.unwrap();
    }
    let dashboard = dashboard(store);
    let first = get(&dashboard, "/batches?queue=imports").await.text;
    assert!(first.contains("50 shown, newest first") && !first.contains("To the beginning"), "{first}");
    assert!(first.find("import-59").unwrap() < first.find("import-10").unwrap(), "{first}");
    assert!(!first.contains("import-09"), "{first}");
    let next = first.split("rel=\"next\" href=\".").nth(1).unwrap().split('"').next().unwrap();
    let second = get(&dashboard, &next.replace("&#38;", "&")).await.text;
    assert!(second.contains("import-09") && second.contains("10 shown"), "{second}");
    assert!(second.contains("href=\"./batches?queue=imports\">To the beginning</a>"), "{second}");
    let odd = get(&dashboard, "/batches?queue=imports&after=nothing").await;
    assert_eq!(odd.status, StatusCode::BAD_REQUEST, "{}", odd.text);
}

#[tokio::test]
async fn batches_without_a_queue_are_those_of_all_queues_that_the_visitor_sees() {
    let store = memory();
    for queue in ["mail", "pay", "zoom"] {
        client(&store, queue).batch(format!("of-{queue}")).open().await.unwrap();
    }
    let dashboard = dashboard(store);
    let text = get(&dashboard, "/batches").await.text;
    for queue in ["mail", "pay", "zoom"] {
        let link = format!("./batch?queue={queue}&#38;name=of-{queue}");
        assert!(text.contains(&link) && text.contains(&format!("./batches?queue={queue}\">")), "{text}");
    }
    let who = principal(&[View], "*a*");
    let few = ask(&dashboard, Method::GET, "/batches", Some(&who), "").await.text;
    assert!(few.contains("of-mail") && few.contains("of-pay") && !few.contains("zoom"), "{few}");
}

#[tokio::test]
async fn a_batch_that_cannot_be_read_here_is_shown_beside_the_others() {
    let store = memory();
    with_a_batch(&store).await;
    let tags = Tags::new([Tag::new("queue.batch").unwrap()]).unwrap();
    let martian = new_job("queue.batch:martian", "queue.batch", r#"{"version":99}"#).with_tags(tags);
    enqueue(&store, "imports", vec![martian]).await;
    let dashboard = dashboard(store);
    let got = get(&dashboard, "/batches?queue=imports").await;
    assert_eq!(got.status, StatusCode::OK, "{}", got.text);
    for text in ["name=nightly", "<bdi>martian</bdi>", "unreadable here", "version 99"] {
        assert!(got.text.contains(text), "{text}: {}", got.text);
    }
    assert!(!got.text.contains("name=martian"), "{}", got.text);
    let one = get(&dashboard, "/batch?queue=imports&name=martian").await;
    assert_eq!(one.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", one.text);
    assert!(one.text.contains("cannot be read here") && one.text.contains("version 99"), "{}", one.text);
}

#[tokio::test]
async fn the_page_of_a_batch_shows_how_far_it_is_and_what_is_worth_a_look() {
    let store = memory();
    let batch = with_a_batch(&store).await;
    fail(&store, "row 7 is odd").await;
    let (name, worker) = (QueueName::from_static("imports"), WorkerId::from_static("w"));
    // What runs for longest in the queue is no member: the batch itself, which is to enqueue the
    // callback for the first failure, and then a job of another producer.
    enqueue(&store, "imports", vec![new_job("elsewhere", "k", "1").with_priority(-9)]).await;
    for _ in 0..3 {
        let request = ClaimRequest::new(name.clone(), worker.clone(), 1, Span::from_secs(60), &SystemRng);
        assert_eq!(store.claim(request).await.unwrap().jobs.len(), 1);
    }
    let text = get(&dashboard(store), ONE).await.text;
    let seq = batch.seq();
    let tag = format!("batch%3Anightly%40{seq}");
    for shown in [
        "33 % of 3 ended",
        &format!("<dt>Number</dt><dd>{seq}</dd>"),
        "7 d after it was opened; members that have not ended are cancelled then<br><time",
        "1 d after its end",
        "<bdi>report</bdi></th><td data-label=\"At\">end</td>",
        "<bdi>alarm</bdi></th><td data-label=\"At\">first-failure</td>",
        "href=\"./queue?queue=reports\"",
        "row 7 is odd",
        &format!(
            "<dt>Runs longest</dt><dd><a class=\"id\" href=\"./job?queue=imports&#38;id=nightly%40{seq}%2Fb\">"
        ),
        &format!("href=\"./job?queue=imports&#38;id=nightly%40{seq}%2Fa\"><bdi>nightly@{seq}/a</bdi>"),
        &format!("href=\"./jobs?queue=imports&#38;tag={tag}\">Members</a>"),
        &format!("href=\"./jobs?queue=imports&#38;tag={tag}&#38;state=failed\"><span class=\"label\">Failed"),
        "data-changes=\"./changes?queue=imports\"",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert!(!text.contains("inside"), "what a producer gave a callback is on no page: {text}");
}

#[tokio::test]
async fn a_batch_that_no_worker_looks_after_says_so() {
    let store = memory();
    with_a_batch(&store).await;
    let words = "No worker works on this queue, so the batch stands still";
    let alone = get(&dashboard(store.clone()), ONE).await.text;
    assert!(alone.contains(words), "{alone}");
    super::library_jobs::announce(&store, "w", "imports").await;
    let attended = get(&dashboard(store.clone()), ONE).await.text;
    assert!(!attended.contains(words), "{attended}");
}

#[tokio::test]
async fn members_that_wait_for_another_try_are_counted_and_the_newest_error_is_shown() {
    let store = memory();
    let seq = with_a_batch(&store).await.seq();
    let failure = Failure::new("Import", "row 7 is locked");
    fail_one(&store, "imports", "w", failure, Cause::Retryable).await;
    let text = get(&dashboard(store), ONE).await.text;
    let list = format!("./jobs?queue=imports&#38;tag=batch%3Anightly%40{seq}&#38;state=failing");
    assert!(text.contains(&format!("<a href=\"{list}\">1</a> wait for another try")), "{text}");
    assert!(text.contains("Import: row 7 is locked") && !text.contains("Last errors"), "{text}");
}

#[tokio::test]
async fn a_callback_is_a_link_to_its_job_once_that_is_enqueued() {
    let store = memory();
    let report = queue::Kind::new("report").unwrap();
    let batch = imports(&store).batch("nightly").on_end(report, &1).open().await.unwrap();
    let end = format!("id=batch%3Anightly%40{}%2Fend", batch.seq());
    let open = get(&dashboard(store.clone()), ONE).await.text;
    assert!(open.contains("report") && !open.contains(&end), "it is not enqueued yet: {open}");
    batch.seal().await.unwrap();
    imports(&store)
        .worker(Router::new(()).fallback(|_: Raw, _| async { Ok(()) }))
        .until_idle()
        .build()
        .unwrap()
        .run()
        .await;
    let ended = get(&dashboard(store), ONE).await.text;
    assert!(ended.contains(&end), "{end}: {ended}");
    assert!(!ended.contains("Time-out") && ended.contains("1 d after its end"), "{ended}");
}

#[tokio::test]
async fn the_link_to_the_members_lists_them() {
    let store = memory();
    let seq = with_a_batch(&store).await.seq();
    enqueue(&store, "imports", vec![new_job("elsewhere", "k", "1")]).await;
    let listed =
        get(&dashboard(store), &format!("/jobs?queue=imports&tag=batch%3Anightly%40{seq}")).await.text;
    assert!(listed.contains(&format!("nightly@{seq}/c")) && !listed.contains("elsewhere"), "{listed}");
}

#[tokio::test]
async fn the_page_of_a_member_leads_to_its_batch_and_to_no_later_one() {
    let store = memory();
    let batch = with_a_batch(&store).await;
    let seq = batch.seq();
    enqueue(&store, "imports", vec![new_job("nightly@1/mine", "k", "1")]).await;
    let dashboard = dashboard(store.clone());
    let page = get(&dashboard, &format!("/job?queue=imports&id=nightly%40{seq}%2Fa")).await.text;
    let link = format!("./batch?queue=imports&#38;name=nightly&#38;seq={seq}\"><bdi>nightly@{seq}</bdi>");
    assert!(page.contains(&link), "{page}");
    let plain = get(&dashboard, "/job?queue=imports&id=nightly%401%2Fmine").await.text;
    assert!(!plain.contains("member of the batch"), "it has no tag of a batch: {plain}");
    let of_member = format!("/batch?queue=imports&name=nightly&seq={seq}");
    assert_eq!(get(&dashboard, &of_member).await.status, StatusCode::OK);
    let _ = batch.abandon().await.unwrap();
    imports(&store).batch("nightly").open().await.unwrap();
    let later = get(&super::dashboard(store), &of_member).await;
    assert_eq!(later.status, StatusCode::NOT_FOUND, "{}", later.text);
    assert!(later.text.contains(&format!("batch:nightly@{seq}")), "{}", later.text);
}

#[tokio::test]
async fn a_batch_that_is_not_there_is_not_found() {
    let store = memory();
    with_a_batch(&store).await;
    let dashboard = dashboard(store);
    let got = get(&dashboard, "/batch?queue=imports&name=ghost").await;
    assert!(got.status == StatusCode::NOT_FOUND && got.text.contains("no batch “ghost”"), "{}", got.text);
    for name in ["", "&name=a%40b", "&name=a%2Fb", "&name=a%0Ab"] {
        let got = get(&dashboard, &format!("/batch?queue=imports{name}")).await;
        assert_eq!(got.status, StatusCode::BAD_REQUEST, "{name}: {}", got.text);
    }
    for (path, more) in [("/seal-batch", ""), ("/stop-batch", "&action=cancel&sure=yes")] {
        for named in ["name=ghost", "name=nightly&seq=999999"] {
            let got = post(&dashboard, ONE, path, &format!("queue=imports&{named}{more}")).await;
            assert!(got.location().contains("did=missing"), "{path} {named}: {}", got.location());
        }
        for seq in ["x", "-1", "99999999999999999999"] {
            let form = format!("queue=imports&name=nightly&seq={seq}{more}");
            let got = post(&dashboard, ONE, path, &form).await;
            assert_eq!(got.status, StatusCode::BAD_REQUEST, "{path} {seq:?}: {}", got.text);
        }
    }
    let records = get(&dashboard, "/operations").await.text;
    assert!(records.contains("Nobody did anything here"), "{records}");
}
