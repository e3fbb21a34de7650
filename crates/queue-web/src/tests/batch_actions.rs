//! What seals and stops a batch, and who may.

use super::{
    ask,
    batches::{ONE, imports, with_a_batch},
    dashboard, get, memory, post, principal,
};
use crate::Dashboard;
use http::{Method, StatusCode};
use queue_http::{
    Principal,
    Scope::{Operate, Produce, View},
};

const STOP: &str = "queue=imports&name=nightly&action";

#[tokio::test]
async fn a_batch_is_sealed_cancelled_and_abandoned_and_each_leaves_its_record() {
    let store = memory();
    with_a_batch(&store).await;
    let dashboard = dashboard(store.clone());
    let state =
        async || imports(&store).batches().get("nightly").await.unwrap().expect("it is kept").state_word();
    let got = post(&dashboard, ONE, "/seal-batch", "queue=imports&name=nightly").await;
    assert!(got.location().contains("did=batch-seal"), "{}", got.location());
    assert_eq!(state().await, "sealed");
    let sealed = get(&dashboard, ONE).await.text;
    assert!(!sealed.contains("counted until"), "its counts are current: {sealed}");
    assert!(!sealed.contains("./seal-batch") && sealed.contains("value=\"cancel\">Cancel"), "{sealed}");
    let asked = post(&dashboard, ONE, "/stop-batch", &format!("{STOP}=cancel")).await;
    assert_eq!((asked.status, state().await), (StatusCode::OK, "sealed"), "{}", asked.text);
    assert!(asked.text.contains("Cancel the batch nightly?"), "{}", asked.text);
    assert!(asked.text.contains("have not ended</dt><dd><bdi>3</bdi>"), "{}", asked.text);
    let got = post(&dashboard, ONE, "/stop-batch", &format!("{STOP}=cancel&sure=yes")).await;
    assert!(got.location().contains("did=batch-cancel"), "{}", got.location());
    assert_eq!(state().await, "cancelling");
    assert!(!get(&dashboard, ONE).await.text.contains("value=\"cancel\""));
    let asked = post(&dashboard, ONE, "/stop-batch", &format!("{STOP}=abandon")).await;
    assert!(asked.text.contains("Abandon the batch nightly?"), "{}", asked.text);
    let got = post(&dashboard, ONE, "/stop-batch", &format!("{STOP}=abandon&sure=yes")).await;
    assert!(got.location().contains("did=batch-abandon"), "{}", got.location());
    assert_eq!(state().await, "abandoned");
    let over = get(&dashboard, ONE).await.text;
    assert!(over.contains("</span>abandoned</span>") && !over.contains("value=\"abandon\""), "{over}");
    assert!(
        over.contains("batch sweep <bdi>nightly</bdi> --number 1") && !over.contains("Time-out"),
        "{over}"
    );
    assert!(over.contains("counted until <time"), "{over}");
    for (path, form, did) in [
        ("/seal-batch", "queue=imports&name=nightly".to_owned(), "unchanged"),
        ("/stop-batch", format!("{STOP}=cancel&sure=yes"), "unchanged"),
        // It is as was asked.
        ("/stop-batch", format!("{STOP}=abandon&sure=yes"), "batch-abandon"),
    ] {
        let got = post(&dashboard, ONE, path, &form).await;
        assert!(got.location().contains(&format!("did={did}")), "{path} {form}: {}", got.location());
    }
    let records = get(&dashboard, "/operations").await.text;
    for action in ["seal batch", "cancel batch", "abandon batch"] {
        let row = format!("<bdi>{action}</bdi></td><td data-label=\"Queue\"><bdi>imports</bdi>");
        assert_eq!(records.matches(&row).count(), 2, "{action}: {records}");
    }
    assert_eq!(records.matches("<bdi>batch nightly</bdi>").count(), 6, "{records}");
}

#[tokio::test]
async fn an_abandoned_batch_is_swept_once_its_members_have_ended() {
    let store = memory();
    let batch = with_a_batch(&store).await;
    let dashboard = dashboard(store.clone());
    let sure = format!("{STOP}=sweep&sure=yes");
    assert!(!get(&dashboard, ONE).await.text.contains("value=\"sweep\""), "it sweeps by itself");
    let early = post(&dashboard, ONE, "/stop-batch", &sure).await;
    assert!(early.location().contains("did=unchanged"), "{}", early.location());
    let got = post(&dashboard, ONE, "/stop-batch", &format!("{STOP}=abandon&sure=yes")).await;
    assert!(got.location().contains("did=batch-abandon"), "{}", got.location());
    let over = get(&dashboard, ONE).await.text;
    assert!(over.contains("value=\"sweep\""), "{over}");
    let runs = post(&dashboard, ONE, "/stop-batch", &sure).await;
    assert_eq!(runs.status, StatusCode::BAD_REQUEST, "{}", runs.text);
    assert!(runs.text.contains("has not ended"), "{}", runs.text);
    let _ = batch.jobs().cancel_all().await.unwrap();
    let asked = post(&dashboard, ONE, "/stop-batch", &format!("{STOP}=sweep")).await;
    assert!(asked.text.contains("Sweep the batch nightly?"), "{}", asked.text);
    assert!(asked.text.contains("Members are kept for</dt><dd><bdi>1 d</bdi>"), "{}", asked.text);
    let got = post(&dashboard, ONE, "/stop-batch", &sure).await;
    assert!(got.location().contains("did=batch-sweep"), "{}", got.location());
    let again = post(&dashboard, ONE, "/stop-batch", &sure).await;
    assert!(again.location().contains("did=batch-sweep"), "{}", again.location());
    let records = get(&dashboard, "/operations").await.text;
    assert!(records.contains("<bdi>sweep batch</bdi>"), "{records}");
}

/// The page of the batch as one with these scopes gets it, and the answers to its forms.
async fn forms_of(dashboard: &Dashboard, who: &Principal) -> (String, Vec<StatusCode>) {
    let page = ask(dashboard, Method::GET, ONE, Some(who), "").await.text;
    let proof = ask(dashboard, Method::GET, "/workers", Some(who), "").await;
    let proof = if proof.status.is_success() { proof.proof().to_owned() } else { String::new() };
    let mut answers = Vec::new();
    for (path, form) in [
        ("/seal-batch", "queue=imports&name=nightly".to_owned()),
        ("/stop-batch", format!("{STOP}=cancel")),
        ("/stop-batch", format!("{STOP}=abandon")),
        ("/stop-batch", format!("{STOP}=sweep")),
    ] {
        let form = format!("proof={proof}&{form}");
        answers.push(ask(dashboard, Method::POST, path, Some(who), &form).await.status);
    }
    (page, answers)
}

#[tokio::test]
async fn a_batch_is_changed_by_those_who_may_and_its_page_offers_the_others_no_form() {
    let store = memory();
    with_a_batch(&store).await;
    let dashboard = dashboard(store);
    let no = StatusCode::FORBIDDEN;
    let (ok, sent) = (StatusCode::OK, StatusCode::SEE_OTHER);
    let cases = [
        (&[View][..], "*", [false, false], [no; 4]),
        (&[View, Operate], "*", [false, true], [no, ok, ok, ok]),
        (&[View, Produce], "*", [true, false], [sent, no, no, no]),
        (&[View, Operate, Produce], "others", [false, false], [no; 4]),
    ];
    for (scopes, queues, offered, expected) in cases {
        let (page, answers) = forms_of(&dashboard, &principal(scopes, queues)).await;
        let forms = ["./seal-batch", "./stop-batch"].map(|action| page.contains(action));
        assert_eq!((forms, answers.as_slice()), (offered, &expected[..]), "{scopes:?} {queues}: {page}");
    }
}
