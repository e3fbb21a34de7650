//! Who reaches what: every page and action, for every role, by every method.

use super::{Got, ask, dashboard, enqueue, everybody, get, memory, new_job, principal};
use crate::{
    Dashboard,
    routes::{Gate, table},
};
use http::{Method, StatusCode};
use queue_http::{
    Principal,
    Scope::{self, Admin, Operate, Payload, Produce, View},
};

/// What each page and action needs, and the fields that it takes, written down apart from the table
/// that serves them.
const NEEDED: [(&str, &str, Option<Scope>, &str); 35] = [
    ("GET", "/", Some(View), ""),
    ("GET", "/queue", Some(View), "queue=mail"),
    ("GET", "/jobs", Some(View), "queue=mail"),
    ("GET", "/job", Some(View), "queue=mail&id=a"),
    ("GET", "/errors", Some(View), "queue=mail"),
    ("GET", "/kinds", Some(View), "queue=mail"),
    ("GET", "/workers", Some(View), ""),
    ("GET", "/schedules", Some(View), "queue=mail"),
    ("GET", "/batches", Some(View), "queue=mail"),
    ("GET", "/batch", Some(View), "queue=mail&name=import"),
    ("GET", "/new-job", Some(Produce), "queue=mail"),
    ("GET", "/new-schedule", Some(Produce), "queue=mail"),
    ("GET", "/operations", Some(View), ""),
    ("GET", "/doctor", Some(Admin), ""),
    ("GET", "/changes", Some(View), "queue=mail"),
    ("GET", "/login", None, ""),
    ("POST", "/login", None, "token=x"),
    ("POST", "/logout", None, "a=b"),
    ("POST", "/look", Some(View), "theme=dark"),
    ("POST", "/reveal", Some(Payload), "queue=mail&id=a"),
    ("POST", "/download", Some(Payload), "queue=mail&id=a&part=payload"),
    ("POST", "/edit-job", Some(Payload), "queue=mail&id=a"),
    ("POST", "/enqueue", Some(Produce), "queue=mail&payload=1"),
    ("POST", "/change", Some(Operate), "queue=mail&id=a&action=cancel"),
    ("POST", "/bulk", Some(Operate), "queue=mail&action=cancel"),
    ("POST", "/bulk-start", Some(Operate), "queue=mail&action=cancel&operation=o"),
    ("POST", "/bulk-cancel", Some(Operate), "operation=mail/none"),
    ("POST", "/pause", Some(Operate), "queue=mail"),
    ("POST", "/resume", Some(Operate), "queue=mail"),
    ("POST", "/duty", Some(Operate), "worker=w&duty=drain"),
    ("POST", "/edit-schedule", Some(Payload), "queue=mail&name=n"),
    ("POST", "/put-schedule", Some(Produce), "queue=mail&name=n&every_ms=60"),
    ("POST", "/schedule", Some(Operate), "queue=mail&name=n&action=run"),
    ("POST", "/seal-batch", Some(Produce), "queue=mail&name=import"),
    ("POST", "/stop-batch", Some(Operate), "queue=mail&name=import&action=cancel"),
];
const METHODS: [Method; 6] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS];

/// All that a token may have of this, in one queue or in all.
fn roles() -> Vec<(Option<Principal>, Vec<Scope>, bool)> {
    let sets: [&[Scope]; 10] = [
        &[],
        &[View],
        &[Payload],
        &[Operate],
        &[Admin],
        &[View, Payload],
        &[View, Operate],
        &[Produce],
        &[Operate, Payload, Produce],
        &[View, Payload, Operate, Admin],
    ];
    let mut roles = vec![(None, Vec::new(), false)];
    for scopes in sets {
        roles.push((Some(principal(scopes, "*")), scopes.to_vec(), true));
        roles.push((Some(principal(scopes, "other")), scopes.to_vec(), false));
    }
    roles
}

async fn proof_of(dashboard: &Dashboard) -> String {
    get(dashboard, "/jobs?queue=mail").await.proof().to_owned()
}

#[tokio::test]
async fn every_route_has_its_entry_and_every_entry_its_route() {
    for route in table() {
        let entry = NEEDED.iter().find(|(method, path, ..)| *method == route.method && *path == route.path);
        let (.., needed, _) = entry.unwrap_or_else(|| panic!("{} {} has no entry", route.method, route.path));
        let gate = needed.map_or(Gate::Open, Gate::Needs);
        assert_eq!(route.gate, gate, "{} {}", route.method, route.path);
    }
    assert_eq!(NEEDED.len(), table().len());
}

#[tokio::test]
async fn a_role_reaches_what_its_scopes_allow_in_its_queues_and_nothing_else() {
    let store = memory();
    super::client(&store, "mail").batch("import").open().await.unwrap();
    let mut met = 0;
    let mut paths: Vec<&str> = NEEDED.iter().map(|(_, path, ..)| *path).collect();
    paths.dedup();
    for (who, scopes, has_queue) in roles() {
        for path in &paths {
            for method in METHODS {
                enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
                let dashboard = dashboard(store.clone());
                let proof = proof_of(&dashboard).await;
                let asked = if method == Method::HEAD { "GET" } else { method.as_str() };
                let entry = NEEDED.iter().find(|(found, of, ..)| *found == asked && of == path);
                let fields = entry.map_or("", |(.., fields)| fields);
                let names_queue = fields.starts_with("queue=");
                let got = if asked == "GET" {
                    ask(&dashboard, method.clone(), &format!("{path}?{fields}"), who.as_ref(), "").await
                } else {
                    ask(&dashboard, method.clone(), path, who.as_ref(), &format!("proof={proof}&{fields}"))
                        .await
                };
                check(
                    &got,
                    entry.map(|(.., scope, _)| *scope),
                    who.as_ref(),
                    &scopes,
                    has_queue || !names_queue,
                    &format!("{method} {path} {scopes:?} {has_queue}"),
                );
                met += 1;
            }
        }
    }
    assert_eq!(met, 21 * 34 * 6);
}

#[allow(clippy::option_option, reason = "no such route, and one that needs no scope, differ")]
fn check(
    got: &Got,
    needed: Option<Option<Scope>>,
    who: Option<&Principal>,
    scopes: &[Scope],
    reaches: bool,
    asked: &str,
) {
    match needed {
        None => assert_eq!(got.status, StatusCode::METHOD_NOT_ALLOWED, "{asked}"),
        Some(None) => assert!(!got.status.is_server_error(), "{asked}: {}", got.status),
        Some(Some(_)) if who.is_none() => assert_eq!(got.status, StatusCode::UNAUTHORIZED, "{asked}"),
        Some(Some(scope)) if !scopes.contains(&scope) => {
            assert_eq!(got.status, StatusCode::FORBIDDEN, "{asked}");
        }
        // The doctor looks at all queues.
        Some(Some(Admin)) if !reaches => {}
        Some(Some(_)) if !reaches => assert_eq!(got.status, StatusCode::FORBIDDEN, "{asked}"),
        // A form that shows or makes what runs needs other scopes beside the one of its route.
        Some(Some(_)) if !has_all(asked, scopes) => assert_eq!(got.status, StatusCode::FORBIDDEN, "{asked}"),
        // There is no such schedule.
        Some(Some(_)) if asked.contains("/edit-schedule") => {
            assert_eq!(got.status, StatusCode::NOT_FOUND, "{asked}");
        }
        Some(Some(_)) => {
            let is_fine = got.status.is_success() || got.status == StatusCode::SEE_OTHER;
            let is_narrow_doctor = asked.contains("/doctor") && asked.ends_with("false");
            assert!(is_fine || is_narrow_doctor, "{asked}: {} {}", got.status, got.text);
        }
    }
}

fn has_all(asked: &str, scopes: &[Scope]) -> bool {
    let beside: &[Scope] = match asked.split(' ').nth(1) {
        Some("/edit-job") => &[Produce],
        Some("/edit-schedule") => &[Operate, Produce],
        Some("/new-schedule" | "/put-schedule") => &[Operate],
        Some("/seal-batch") => &[View],
        _ => &[],
    };
    beside.iter().all(|scope| scopes.contains(scope))
}

#[tokio::test]
async fn an_action_without_the_proof_of_its_page_changes_nothing() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", "1")]).await;
    let dashboard = dashboard(store.clone());
    let other = principal(&[View, Operate], "*");
    let others = Principal::new("bob", other.scopes(), other.queues().to_vec());
    let page = ask(&dashboard, Method::GET, "/jobs", Some(&others), "").await;
    for proof in
        ["", "proof=&", "proof=00000000000000000000000000000000&", &format!("proof={}&", page.proof())]
    {
        for (_, path, _, fields) in
            NEEDED.iter().filter(|(method, _, needed, _)| *method == "POST" && needed.is_some())
        {
            let got =
                ask(&dashboard, Method::POST, path, Some(&everybody()), &format!("{proof}{fields}")).await;
            assert_eq!(got.status, StatusCode::FORBIDDEN, "{path} {proof}");
        }
    }
    let job = super::client(&store, "mail").status("a").await.unwrap().unwrap();
    assert_eq!(job.meta.revision, 1, "it is as it was enqueued");
    assert!(get(&dashboard, "/operations").await.text.contains("Nobody did anything here"));
}

#[tokio::test]
async fn payloads_are_on_no_page_until_they_are_opened_by_somebody_who_may() {
    let store = memory();
    enqueue(&store, "mail", vec![new_job("a", "k", r#"{"sealed":"inside"}"#)]).await;
    let dashboard = dashboard(store);
    for route in table().iter().filter(|route| route.method == Method::GET && route.path != "/changes") {
        let got = get(&dashboard, &format!("{}?queue=mail&id=a", route.path)).await;
        assert!(!got.text.contains("inside"), "{}", route.path);
    }
    let opened = super::post(&dashboard, "/job?queue=mail&id=a", "/reveal", "queue=mail&id=a").await;
    assert!(opened.text.contains("inside"));
    assert!(get(&dashboard, "/operations").await.text.contains("open payload"));
}
