//! Sessions, and who may begin one.

use super::{Got, answered, memory};
use crate::{AccessPolicy, Dashboard};
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use queue_core::{QueueGlob, Storage, SystemRng, Timestamp};
use queue_http::{
    AccessControl, BrowserRules, NewToken, ReceiptKeys, RequestLimits, Scope, Tokens, add_token, revoke_token,
};
use std::{path::PathBuf, sync::Arc, time::Duration};

struct House {
    _place: tempfile::TempDir,
    path: PathBuf,
    store: Arc<dyn Storage>,
    tokens: Arc<Tokens>,
    keys: Arc<ReceiptKeys>,
    dashboard: Dashboard,
}

fn dashboard(store: &Arc<dyn Storage>, tokens: &Arc<Tokens>, keys: &Arc<ReceiptKeys>) -> Dashboard {
    let door = AccessControl::with_tokens(tokens.clone(), BrowserRules::default(), RequestLimits::default());
    Dashboard::new(store.clone()).access(AccessPolicy::of_door(door).over_https().with_keys(keys.clone()))
}

impl House {
    fn new(scopes: &[Scope]) -> (Self, String) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("tokens");
        let new = NewToken::new(scopes.iter().copied(), [QueueGlob::any()]).note("ada, on call");
        let token = add_token(&path, new, &SystemRng).unwrap().reveal();
        let tokens = Arc::new(Tokens::load(&path).unwrap());
        let keys = Arc::new(ReceiptKeys::generate(&SystemRng));
        let store: Arc<dyn Storage> = memory();
        let dashboard = dashboard(&store, &tokens, &keys);
        (Self { _place: place, path, store, tokens, keys, dashboard }, token)
    }

    /// Another server before the same store, with keys of its own or the same ones.
    fn beside(&self, keys: &Arc<ReceiptKeys>) -> Dashboard {
        dashboard(&self.store, &self.tokens, keys)
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
async fn the_note_of_a_token_says_who_is_here_and_who_acted() {
    let (house, token) = House::new(&[Scope::View, Scope::Operate]);
    let cookie = house.log_in(&token).await;
    let who = format!("ada, on call ({})", token.split('_').nth(1).unwrap());
    let page = house.ask(Method::GET, "/jobs", &[("cookie", &cookie)], "").await;
    assert!(page.text.contains(&format!("><bdi>{who}</bdi></span>")), "{}", page.text);
    let form = format!("proof={}&queue=mail", page.proof());
    house.ask(Method::POST, "/pause", &[("cookie", &cookie)], &form).await;
    let records = house.ask(Method::GET, "/operations", &[("cookie", &cookie)], "").await.text;
    assert!(records.contains(&format!("<td data-label=\"Who\"><bdi>{who}</bdi></td>")), "{records}");
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

#[tokio::test]
async fn a_session_and_its_proofs_hold_at_every_server_with_the_keys_and_at_no_other() {
    let (mut house, token) = House::new(&[Scope::View, Scope::Operate]);
    let cookie = house.log_in(&token).await;
    let page = house.ask(Method::GET, "/jobs", &[("cookie", &cookie)], "").await;
    let form = format!("proof={}&queue=mail", page.proof());
    let ask = async |house: &House, method, path, form: &str| {
        house.ask(method, path, &[("cookie", &cookie)], form).await.status
    };
    house.dashboard = house.beside(&house.keys);
    assert_eq!(ask(&house, Method::GET, "/jobs", "").await, StatusCode::OK);
    assert_eq!(ask(&house, Method::POST, "/pause", &form).await, StatusCode::SEE_OTHER);
    house.dashboard = house.beside(&Arc::new(ReceiptKeys::generate(&SystemRng)));
    assert_eq!(ask(&house, Method::GET, "/jobs", "").await, StatusCode::SEE_OTHER, "to the login");
    assert_eq!(ask(&house, Method::POST, "/pause", &form).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test(start_paused = true)]
async fn a_logout_holds_at_every_server_within_two_seconds() {
    let (mut house, token) = House::new(&[Scope::View]);
    let (cookie, other) = (house.log_in(&token).await, house.log_in(&token).await);
    let mut elsewhere = house.beside(&house.keys);
    std::mem::swap(&mut house.dashboard, &mut elsewhere);
    let seen = async |house: &House, cookie: &str| {
        house.ask(Method::GET, "/jobs", &[("cookie", cookie)], "").await.status
    };
    assert_eq!(seen(&house, &cookie).await, StatusCode::OK, "it has asked the store");
    std::mem::swap(&mut house.dashboard, &mut elsewhere);
    house.ask(Method::POST, "/logout", &[("cookie", &cookie)], "a=b").await;
    std::mem::swap(&mut house.dashboard, &mut elsewhere);
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(seen(&house, &cookie).await, StatusCode::SEE_OTHER);
    assert_eq!(seen(&house, &other).await, StatusCode::OK, "another session goes on");
    // So does a server that is started later.
    house.dashboard = house.beside(&house.keys);
    assert_eq!(seen(&house, &cookie).await, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_session_that_anybody_changed_is_none() {
    let (house, token) = House::new(&[Scope::View]);
    let (weak, other) = (house.log_in(&token).await, {
        let new = NewToken::new([Scope::View, Scope::Admin, Scope::Operate], [QueueGlob::any()]);
        let strong = add_token(&house.path, new, &SystemRng).unwrap();
        house.tokens.reload().unwrap();
        strong.id().to_owned()
    });
    let is_let_in = async |cookie: &str| {
        house.ask(Method::GET, "/jobs", &[("cookie", cookie)], "").await.status == StatusCode::OK
    };
    assert!(is_let_in(&weak).await);
    let (_, value) = weak.split_once('=').unwrap();
    let parts: Vec<&str> = value.split('.').collect();
    let [id, until, name, seal] = parts[..] else { panic!("{weak}") };
    let later = format!("{:x}", i64::from_str_radix(until, 16).unwrap() + 1);
    for forged in [
        format!("{other}.{until}.{name}.{seal}"),
        format!("{id}.{later}.{name}.{seal}"),
        format!("{id}.+{until}.{name}.{seal}0"),
        format!("{id}.{until}.{}.{seal}", name.replace(|digit: char| digit.is_ascii_digit(), "a")),
        format!("{id}.{until}.{name}.{}", "0".repeat(40)),
        format!("{id}.{until}.{name}.{}", &seal[..39]),
        format!("{id}.{until}.{name}"),
        format!("{id}.{until}.{name}.{seal}.{seal}"),
        format!("{id}.{until}.{name}.{}", seal.to_uppercase()),
        format!(".{until}.{name}.{seal}"),
        "....".repeat(10_000),
        String::new(),
    ] {
        let is_same = forged == value;
        assert!(is_same || !is_let_in(&format!("__Host-queue-session={forged}")).await, "{forged}");
    }
    // A proof of a form has the same keys, and is no session.
    let page = house.ask(Method::GET, "/jobs", &[("cookie", &weak)], "").await;
    assert!(!is_let_in(&format!("__Host-queue-session={id}.{until}.{name}.{}", page.proof())).await);
}

#[tokio::test]
async fn a_token_that_lost_a_scope_has_lost_it_in_the_sessions_it_has() {
    let (house, token) = House::new(&[Scope::View, Scope::Operate]);
    let cookie = house.log_in(&token).await;
    let page = house.ask(Method::GET, "/jobs", &[("cookie", &cookie)], "").await;
    let form = format!("proof={}&queue=mail", page.proof());
    let pause = async || house.ask(Method::POST, "/pause", &[("cookie", &cookie)], &form).await.status;
    assert_eq!(pause().await, StatusCode::SEE_OTHER);
    let text = std::fs::read_to_string(&house.path).unwrap();
    assert!(text.contains("\"operate\""), "{text}");
    std::fs::write(&house.path, text.replace("\"operate\"", "\"metrics\"")).unwrap();
    house.tokens.reload().unwrap();
    assert_eq!(pause().await, StatusCode::FORBIDDEN);
    assert_eq!(house.ask(Method::GET, "/jobs", &[("cookie", &cookie)], "").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_session_outlives_one_rotation_of_the_keys_and_not_a_second_one() {
    let (mut house, token) = House::new(&[Scope::View]);
    let path = house.path.with_file_name("keys");
    let rotate = |now| {
        ReceiptKeys::rotate(&path, &SystemRng, Timestamp::from_millis(now), Duration::ZERO).unwrap();
    };
    rotate(1_000);
    house.keys = Arc::new(ReceiptKeys::load(&path).unwrap());
    house.dashboard = house.beside(&house.keys);
    let cookie = house.log_in(&token).await;
    let status = async || house.ask(Method::GET, "/jobs", &[("cookie", &cookie)], "").await.status;
    for (now, expected) in [(2_000, StatusCode::OK), (3_000, StatusCode::SEE_OTHER)] {
        rotate(now);
        house.keys.reload(&path).unwrap();
        assert_eq!(status().await, expected, "{now}");
    }
}
