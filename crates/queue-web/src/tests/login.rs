//! Sessions, and who may begin one.

use super::{Got, answered, memory};
use crate::{AccessPolicy, Dashboard};
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use queue_core::SystemRng;
use queue_http::{
    AccessControl, BrowserRules, NewToken, QueueGlob, RequestLimits, Scope, Tokens, add_token, revoke_token,
};
use std::{path::PathBuf, sync::Arc};

struct House {
    _place: tempfile::TempDir,
    path: PathBuf,
    tokens: Arc<Tokens>,
    dashboard: Dashboard,
}

impl House {
    fn new(scopes: &[Scope]) -> (Self, String) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("tokens");
        let new = NewToken::new(scopes.iter().copied(), [QueueGlob::any()]);
        let token = add_token(&path, new, &SystemRng).unwrap().reveal();
        let tokens = Arc::new(Tokens::load(&path).unwrap());
        let door =
            AccessControl::with_tokens(tokens.clone(), BrowserRules::default(), RequestLimits::default());
        let dashboard = Dashboard::new(memory()).access(AccessPolicy::of_door(door).over_https());
        (Self { _place: place, path, tokens, dashboard }, token)
    }

    async fn ask(&self, method: Method, path: &str, headers: &[(&str, &str)], form: &str) -> Got {
        let mut request = Request::builder().method(method).uri(path).header("host", "queue.example.org");
        request = request.header("content-type", "application/x-www-form-urlencoded");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        answered(&self.dashboard, request.body(Full::from(form.to_owned())).unwrap()).await
    }

    /// Logs in, and answers the cookie.
    async fn log_in(&self, token: &str) -> String {
        let got = self.ask(Method::POST, "/login", &[], &format!("token={token}&to=./jobs")).await;
        assert_eq!((got.status, got.location()), (StatusCode::SEE_OTHER, "./jobs"));
        let cookie = got.headers["set-cookie"].to_str().unwrap();
        assert!(cookie.starts_with("__Host-queue-session=") && !cookie.contains(token), "{cookie}");
        cookie.split(';').next().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_token_begins_a_session_that_ends_with_it_or_by_logging_out() {
    let (house, token) = House::new(&[Scope::View, Scope::Operate]);
    let got = house.ask(Method::GET, "/jobs?queue=a%26b", &[], "").await;
    assert_eq!((got.status, got.location()), (StatusCode::SEE_OTHER, "./login?to=jobs%3Fqueue%3Da%2526b"));
    let got = house.ask(Method::POST, "/login", &[], "token=qk_nobody").await;
    assert_eq!(got.status, StatusCode::FORBIDDEN);
    assert!(got.headers.get("set-cookie").is_none());

    let cookie = house.log_in(&token).await;
    let page = house.ask(Method::GET, "/jobs", &[("cookie", &cookie)], "").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("Log out"));
    let other = house.log_in(&token).await;
    let out = house.ask(Method::POST, "/logout", &[("cookie", &cookie)], "a=b").await;
    assert_eq!(out.location(), "./login");
    assert_eq!(
        house.ask(Method::GET, "/jobs", &[("cookie", &cookie)], "").await.status,
        StatusCode::SEE_OTHER
    );
    assert_eq!(house.ask(Method::GET, "/jobs", &[("cookie", &other)], "").await.status, StatusCode::OK);

    let id = token.split('_').nth(1).unwrap();
    revoke_token(&house.path, id).unwrap();
    house.tokens.reload().unwrap();
    assert_eq!(
        house.ask(Method::GET, "/jobs", &[("cookie", &other)], "").await.status,
        StatusCode::SEE_OTHER
    );
}

#[tokio::test]
async fn a_proof_of_one_session_is_none_for_another_of_the_same_token() {
    let (house, token) = House::new(&[Scope::View, Scope::Operate]);
    let (mine, other) = (house.log_in(&token).await, house.log_in(&token).await);
    let page = house.ask(Method::GET, "/jobs", &[("cookie", &mine)], "").await;
    let form = format!("proof={}&queue=mail", page.proof());
    assert_eq!(
        house.ask(Method::POST, "/pause", &[("cookie", &other)], &form).await.status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        house.ask(Method::POST, "/pause", &[("cookie", &mine)], &form).await.status,
        StatusCode::SEE_OTHER
    );
}

#[tokio::test]
async fn pages_of_other_sites_change_nothing_even_with_a_session_and_its_proof() {
    let (house, token) = House::new(&[Scope::View, Scope::Operate]);
    let cookie = house.log_in(&token).await;
    let page = house.ask(Method::GET, "/jobs", &[("cookie", &cookie)], "").await;
    let form = format!("proof={}&queue=mail", page.proof());
    for (name, value, status) in [
        ("origin", "https://evil.example", StatusCode::FORBIDDEN),
        ("origin", "null", StatusCode::FORBIDDEN),
        ("sec-fetch-site", "cross-site", StatusCode::FORBIDDEN),
        ("sec-fetch-site", "same-site", StatusCode::FORBIDDEN),
        ("content-type", "text/plain", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("sec-fetch-site", "same-origin", StatusCode::SEE_OTHER),
        ("origin", "https://queue.example.org", StatusCode::SEE_OTHER),
    ] {
        let mut request =
            Request::builder().method(Method::POST).uri("/pause").header("host", "queue.example.org");
        if name != "content-type" {
            request = request.header("content-type", "application/x-www-form-urlencoded");
        }
        let request = request.header("cookie", &cookie).header(name, value);
        let got = answered(&house.dashboard, request.body(Full::from(form.clone())).unwrap()).await;
        assert_eq!(got.status, status, "{name}: {value}");
    }
}

#[tokio::test]
async fn a_bearer_token_shows_pages_to_programs_and_a_query_never_does() {
    let (house, token) = House::new(&[Scope::View]);
    let bearer = format!("Bearer {token}");
    assert_eq!(house.ask(Method::GET, "/", &[("authorization", &bearer)], "").await.status, StatusCode::OK);
    let got = house.ask(Method::GET, &format!("/?token={token}"), &[], "").await;
    assert_eq!(got.status, StatusCode::SEE_OTHER);
    let form = format!("token={token}&x={}", "y".repeat(300_000));
    let got = house.ask(Method::POST, "/login", &[], &form).await;
    assert_eq!(got.status, StatusCode::PAYLOAD_TOO_LARGE);
}
