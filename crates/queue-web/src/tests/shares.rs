//! Pages that refresh themselves: a token has its share of them, and they end with it.

use super::{dashboard, memory, principal};
use crate::{AccessPolicy, Dashboard, answer::Answer};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use queue_core::{QueueGlob, Storage, SystemRng};
use queue_http::{
    AccessControl, BrowserRules, NewToken, Principal, RequestLimits, Scope, Tokens, add_token, revoke_token,
};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;
use tower::ServiceExt;

/// Within this a stream ends after its token.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// An open page, which lasts as long as its answer is kept.
async fn open_page(
    dashboard: &Dashboard,
    change: impl FnOnce(http::request::Builder) -> http::request::Builder,
) -> Answer {
    let request = Request::builder().uri("/changes").header("host", "queue.example.org");
    let request = change(request).body(Full::from(String::new())).unwrap();
    dashboard.clone().oneshot(request).await.unwrap()
}

#[tokio::test]
async fn a_token_has_its_share_of_open_pages_and_no_more() {
    let dashboard = dashboard(memory());
    let visitors = [principal(&[Scope::View], "*"), principal(&[Scope::View], "*")];
    let open = async |who: &Principal| open_page(&dashboard, |request| request.extension(who.clone())).await;
    let mut kept = Vec::new();
    for _ in 0..Principal::TABS_MAX {
        kept.push(open(&visitors[0]).await);
    }
    assert!(kept.iter().all(|page| page.status() == StatusCode::OK));
    assert_eq!(open(&visitors[0]).await.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(open(&visitors[1]).await.status(), StatusCode::OK, "another token has its own");
    kept.pop();
    assert_eq!(open(&visitors[0]).await.status(), StatusCode::OK, "a place came back");
}

#[tokio::test]
async fn an_open_page_ends_with_its_token() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("tokens");
    let token = || add_token(&path, NewToken::new([Scope::View], [QueueGlob::any()]), &SystemRng).unwrap();
    let gone = token();
    let stays = token();
    let gone_id = gone.id().to_owned();
    let tokens = Arc::new(Tokens::load(&path).unwrap());
    let door = AccessControl::with_tokens(tokens.clone(), BrowserRules::default(), RequestLimits::default());
    let store: Arc<dyn Storage> = memory();
    let dashboard = Dashboard::new(store).access(AccessPolicy::of_door(door).over_https());
    let open = async |token: String| {
        open_page(&dashboard, |request| request.header("authorization", format!("Bearer {token}"))).await
    };
    let ends = open(gone.reveal()).await;
    let goes_on = open(stays.reveal()).await;
    assert_eq!((ends.status(), goes_on.status()), (StatusCode::OK, StatusCode::OK));
    revoke_token(&path, &gone_id).unwrap();
    tokens.reload().unwrap();
    timeout(ENDS_WITHIN, ends.into_body().collect()).await.expect("it ends").unwrap();
    let stays = timeout(ENDS_WITHIN, goes_on.into_body().collect()).await;
    assert!(stays.is_err(), "the page of another token goes on");
}
