//! Every call, every scope and every method, made from the table of calls; and what a stranger
//! learns, which is nothing.

mod headers;
mod strangers;

use crate::{
    access::{
        AccessControl, BrowserRules, NewToken, Principal, ReceiptKeys, RequestLimits, Scope, Token, Tokens,
        token_file::add_token,
    },
    routes::{Route, table},
    service::{AnswerBody, Routed, Service},
};
use axum::body::Body;
use http::{Request, Response, StatusCode};
use queue_core::{ManualClock, SeededRng, Timestamp};
use std::{collections::HashMap, path::PathBuf, sync::Arc};
use tower::ServiceExt;

const START: Timestamp = Timestamp::from_millis(1_000_000);
const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"];
/// Which scope each call needs, as it was agreed: a change of the table shows here.
const AGREED: &str = include_str!("../agreed_scopes.txt");

/// A service in memory behind a door with a file of tokens.
struct House {
    _folder: tempfile::TempDir,
    path: PathBuf,
    rng: SeededRng,
    clock: Arc<ManualClock>,
    tokens: Arc<Tokens>,
    guarded: Routed,
}

impl House {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        let rng = SeededRng::new(11);
        let clock = Arc::new(ManualClock::new(START));
        // A file has to be there before there is a token.
        drop(add_token(&path, in_mail([Scope::Metrics]), &rng).unwrap());
        let tokens = Arc::new(Tokens::load_with(&path, clock.clone(), Principal::WAITS_MAX).unwrap());
        let store = queue::open("memory:").await.unwrap();
        let service = Service::new(store, ReceiptKeys::generate(&rng));
        let control =
            AccessControl::with_tokens(tokens.clone(), BrowserRules::default(), RequestLimits::default());
        Self { _folder: folder, path, rng, clock, tokens, guarded: control.guard(&service) }
    }

    fn token(&self, new: NewToken) -> Token {
        let token = add_token(&self.path, new, &self.rng).unwrap();
        self.tokens.reload().unwrap();
        token
    }

    async fn ask(&self, method: &str, path: &str, token: Option<&str>) -> Response<AnswerBody> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "queue.test")
            .header("content-type", "application/json");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let body = if ["GET", "HEAD"].contains(&method) { Body::empty() } else { Body::from("{}") };
        self.guarded.clone().oneshot(request.body(body).unwrap()).await.unwrap()
    }

    async fn status(&self, method: &str, path: &str, token: Option<&str>) -> StatusCode {
        self.ask(method, path, token).await.status()
    }
}

fn in_mail(scopes: impl IntoIterator<Item = Scope>) -> NewToken {
    NewToken::new(scopes, ["mail".parse().unwrap()])
}

/// A path that fits the pattern of a call, in this queue.
fn path_in(route: &Route, queue: &str) -> String {
    let segment = |segment: &str| match segment {
        "{queue}" => queue.to_owned(),
        parameter if parameter.starts_with('{') => "x".to_owned(),
        plain => plain.to_owned(),
    };
    route.path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

#[test]
fn the_scope_of_each_call_is_the_one_that_was_agreed() {
    let line = |route: &Route| {
        let scope = route.scope.map_or("-", Scope::name);
        format!("{scope:8} {:4} {}", route.method.as_str(), route.path)
    };
    let mut lines: Vec<String> = table().iter().map(line).collect();
    lines.sort();
    let mut agreed: Vec<&str> = AGREED.lines().collect();
    agreed.sort_unstable();
    assert_eq!(lines, agreed, "agreed_scopes.txt says what was agreed");
}

#[tokio::test]
async fn every_call_is_open_to_its_scope_and_its_method_and_to_nothing_else() {
    let house = House::new().await;
    let by_scope: HashMap<Scope, String> =
        Scope::ALL.into_iter().map(|scope| (scope, house.token(in_mail([scope])).reveal())).collect();
    let gates: HashMap<(String, &str), Option<Scope>> =
        table().iter().map(|route| ((route.method.to_string(), route.path), route.scope)).collect();
    let mut asked = 0;
    for route in table() {
        let path = path_in(route, "mail");
        for method in METHODS {
            let looked_up = if method == "HEAD" { "GET" } else { method };
            let gate = gates.get(&(looked_up.to_owned(), route.path));
            let stranger = house.status(method, &path, None).await;
            let is_open = gate.is_some_and(Option::is_none);
            assert_eq!(stranger == StatusCode::UNAUTHORIZED, !is_open, "{method} {path}");
            for (scope, token) in &by_scope {
                let status = house.status(method, &path, Some(token)).await;
                let expected = match gate {
                    None => Some(StatusCode::METHOD_NOT_ALLOWED),
                    Some(Some(needed)) if needed != scope => Some(StatusCode::FORBIDDEN),
                    Some(_) => None,
                };
                let is_let_in = !matches!(
                    status,
                    StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::METHOD_NOT_ALLOWED
                );
                assert_eq!(is_let_in, expected.is_none(), "{method} {path} {scope}: {status}");
                assert!(
                    expected.is_none_or(|expected| expected == status),
                    "{method} {path} {scope}: {status}"
                );
                asked += 1;
            }
        }
    }
    assert_eq!(asked, table().len() * METHODS.len() * Scope::ALL.len());
}

#[tokio::test]
async fn a_token_of_all_scopes_reaches_its_own_queues_alone() {
    let house = House::new().await;
    let token = house.token(in_mail(Scope::ALL)).reveal();
    for route in table().iter().filter(|route| route.path.contains("{queue}")) {
        let method = route.method.as_str();
        for queue in ["billing", "mail2", "Mail", "mail%2Fx", "%6dail2", "queue.operations", "leader:mail"] {
            let path = path_in(route, queue);
            assert_eq!(house.status(method, &path, Some(&token)).await, StatusCode::FORBIDDEN, "{path}");
        }
        for queue in ["mail", "%6dail"] {
            let path = path_in(route, queue);
            assert_ne!(house.status(method, &path, Some(&token)).await, StatusCode::FORBIDDEN, "{path}");
        }
    }
}

#[tokio::test]
async fn no_spelling_of_a_path_leads_around_the_door() {
    let house = House::new().await;
    let token = house.token(in_mail([Scope::View])).reveal();
    for path in [
        "//v1/queues",
        "/v1//queues",
        "/v1/queues/",
        "/v1/./queues",
        "/v1/%71ueues",
        "/V1/queues",
        "/healthz/../v1/queues",
        "/healthz%2f..%2fv1%2fqueues",
        "/healthz;/v1/queues",
        "/healthz/",
        "/healthz%00",
        "/v1/queues/mail/../billing",
        "/v1/queues/mail%2f..%2fbilling",
        "/v1/queues/billing%00",
        "/v1/queues/%ff",
        "/v1/queues/%",
        "/v1/queues/%2e%2e",
        "/v1/queues/billing/jobs?queue=mail",
        "/v1/queues/billing/jobs#/v1/queues/mail",
        "http://queue.test/v1/queues/billing",
    ] {
        assert_eq!(house.status("GET", path, None).await, StatusCode::UNAUTHORIZED, "{path}");
        let answered = house.status("GET", path, Some(&token)).await;
        assert!(answered.is_client_error(), "{path}: {answered}");
    }
    assert_eq!(house.status("OPTIONS", "*", None).await, StatusCode::UNAUTHORIZED);
}
