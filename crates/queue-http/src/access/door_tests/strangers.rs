//! What a stranger learns, and the other ways to the door: origins of browsers, the face of stores.

use super::{House, in_mail};
use crate::{
    access::{
        AccessControl, BrowserRules, NewToken, Principal, ReceiptKeys, RequestLimits, Scope, Token,
        token_file::revoke_token,
    },
    service::{AnswerBody, Service},
};
use axum::body::Body;
use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use queue_core::{QueueGlob, SeededRng, Timestamp};
use std::time::Duration;
use tower::ServiceExt;

const BINARY: &str = "application/octet-stream";

#[tokio::test]
async fn every_stranger_gets_the_same_answer_byte_by_byte() {
    let house = House::new().await;
    let good = house.token(in_mail([Scope::View])).reveal();
    let gone = house.token(in_mail([Scope::View]));
    let over = house.token(in_mail([Scope::View]).expires_at(Timestamp::from_millis(1_001_000))).reveal();
    revoke_token(&house.path, gone.id()).unwrap();
    house.tokens.reload().unwrap();
    house.clock.advance(Duration::from_secs(1));
    let unknown = Token::generate(&house.rng).reveal();
    let wrong = format!("{}{}", &good[..20], &unknown[20..]);
    let mut answers = Vec::new();
    for token in [
        None,
        Some(""),
        Some("qk_"),
        Some(&good[..50]),
        Some(&gone.reveal()),
        Some(&over),
        Some(&unknown),
        Some(&wrong),
    ] {
        for path in ["/v1/queues", "/v1/queues/mail", "/v1/nothing"] {
            let answer = house.ask("GET", path, token).await;
            assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{token:?} {path}");
            let headers = format!("{:?}", answer.headers());
            answers.push((headers, answer.into_body().collect().await.unwrap().to_bytes()));
        }
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(house.status("GET", "/v1/queues/mail", Some(&good)).await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_token_is_taken_from_one_header_alone() {
    let house = House::new().await;
    let token = house.token(in_mail([Scope::View])).reveal();
    let ask = async |headers: &[(&str, String)], path: &str| {
        let mut request = Request::builder().uri(path).header("host", "queue.test");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        house.guarded.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap().status()
    };
    let bearer = |token: &str| ("authorization", format!("Bearer {token}"));
    assert_eq!(ask(&[("authorization", format!("bEARER {token}"))], "/v1/queues").await, StatusCode::OK);
    for headers in [
        vec![bearer(&token), bearer(&token)],
        vec![("authorization", token.clone())],
        vec![("authorization", format!("Basic {token}"))],
        vec![("authorization", format!("Bearer  {token}"))],
        vec![("authorization", format!("Bearer {token}, Bearer {token}"))],
        vec![("x-authorization", format!("Bearer {token}"))],
        vec![("cookie", format!("authorization=Bearer {token}"))],
    ] {
        assert_eq!(ask(&headers, "/v1/queues").await, StatusCode::UNAUTHORIZED, "{headers:?}");
    }
    let in_query = format!("/v1/queues?authorization=Bearer%20{token}&access_token={token}");
    assert_eq!(ask(&[], &in_query).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_listed_origin_may_ask_a_browser_and_no_other_is_named() {
    let rules = BrowserRules::default().allow_origin("https://tools.test").unwrap();
    let store = queue::open("memory:").await.unwrap();
    let service = Service::new(store, ReceiptKeys::generate(&SeededRng::new(12)));
    let preflight = async |rules: BrowserRules, origin: &str| {
        let request = Request::builder()
            .method(Method::OPTIONS)
            .uri("/v1/queues/mail/jobs")
            .header("host", "localhost")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization,content-type");
        let door = AccessControl::without_tokens(rules, RequestLimits::default()).guard(&service);
        let answer = door.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        answer.headers().get("access-control-allow-origin").map(|origin| origin.to_str().unwrap().to_owned())
    };
    assert_eq!(preflight(rules.clone(), "https://tools.test").await.as_deref(), Some("https://tools.test"));
    for origin in ["https://evil.test", "null", "https://tools.test.evil.test", "http://tools.test"] {
        assert_eq!(preflight(rules.clone(), origin).await, None, "{origin}");
        assert_eq!(preflight(BrowserRules::default(), origin).await, None, "{origin}");
    }
}

#[tokio::test]
async fn the_face_of_stores_is_reached_by_its_scope_for_all_queues_with_a_body_of_any_size() {
    let mut house = House::new().await;
    let face = tower::service_fn(async |request: Request<AnswerBody>| {
        let body = request.into_body().collect().await.unwrap().to_bytes();
        Ok(Response::new(Body::from(format!("{} bytes", body.len()))))
    });
    let store = queue::open("memory:").await.unwrap();
    let service = Service::new(store, ReceiptKeys::generate(&house.rng)).with_store_face(face);
    let control =
        AccessControl::with_tokens(house.tokens.clone(), BrowserRules::default(), RequestLimits::default());
    house.guarded = control.guard(&service);
    let everywhere = |scopes: Vec<Scope>| NewToken::new(scopes, [QueueGlob::any()]);
    let token = house.token(everywhere(vec![Scope::Store])).reveal();
    let others: Vec<Scope> = Scope::ALL.into_iter().filter(|scope| *scope != Scope::Store).collect();
    let others = house.token(everywhere(others)).reveal();
    let in_mail = house.token(in_mail([Scope::Store])).reveal();
    let ask = async |token: &str, kind: &str, body: Vec<u8>| {
        let request = Request::post("/store/v1/enqueue")
            .header("host", "queue.test")
            .header("content-type", kind)
            .header("authorization", format!("Bearer {token}"));
        house.guarded.clone().oneshot(request.body(Body::from(body)).unwrap()).await.unwrap().status()
    };
    assert_eq!(ask(&token, BINARY, vec![0; 9 << 20]).await, StatusCode::OK);
    assert_eq!(ask(&token, "text/plain", vec![0]).await, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(ask(&others, BINARY, vec![0]).await, StatusCode::FORBIDDEN);
    assert_eq!(ask(&in_mail, BINARY, vec![0]).await, StatusCode::FORBIDDEN);
    assert_eq!(ask("qk_x", BINARY, vec![0]).await, StatusCode::UNAUTHORIZED);
    for path in
        ["/store/v1", "/store/v1x", "/store/v1/../../v1/queues", "/v1/../store/v1/enqueue", "/store%2fv1/x"]
    {
        assert_eq!(house.status("POST", path, None).await, StatusCode::UNAUTHORIZED, "{path}");
        let answered = house.status("POST", path, Some(&others)).await;
        assert!(answered.is_client_error(), "{path} {answered}");
    }
}

#[test]
fn a_token_for_every_queue_is_not_one_for_those_of_the_library() {
    let anybody = Principal::new("a", Scope::ALL.into_iter().collect(), vec![QueueGlob::any()]);
    for queue in ["queue.operations", "leader:mail"] {
        assert!(!anybody.sees(&queue_core::QueueName::new(queue).unwrap()));
    }
}
