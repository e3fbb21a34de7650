//! Tokens that are not enough end the worker with an error that says so.

use super::served::{Working, numbers};
use crate::server::options;
use queue::{
    RemoteOptions,
    service::{ProblemKind, ServiceWorker},
    worker::Router,
};
use queue_core::SystemRng;
use queue_http::{
    AccessControl, Address, BrowserRules, NewToken, ReceiptKeys, RequestLimits, Scope, Service, Tokens,
};
use std::sync::Arc;
use tokio::task::JoinSet;

#[tokio::test]
async fn a_token_that_is_wrong_or_lacks_the_scope_or_the_queue_ends_the_worker() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let add = |scope: Scope, queue: &str| {
        let new = NewToken::new([scope], [queue.parse().unwrap()]);
        queue_http::add_token(&path, new, &SystemRng).unwrap().reveal()
    };
    let produce = add(Scope::Produce, "*");
    let other = add(Scope::Work, "other");
    let loaded = Arc::new(Tokens::load(&path).unwrap());
    let service = Service::new(queue::open("memory:").await.unwrap(), ReceiptKeys::generate(&SystemRng));
    let control = AccessControl::with_tokens(loaded, BrowserRules::default(), RequestLimits::default());
    let server = options().bind().await.unwrap();
    let Address::Tcp(address) = server.addresses().unwrap()[0].clone() else { panic!("a port") };
    let mut running = JoinSet::new();
    running.spawn(server.run(control.guard(&service)));
    let wrong = format!("{}AAAA", &produce[..produce.len() - 4]);
    for (token, kind) in [
        (Some(wrong), ProblemKind::Unauthorized),
        (None, ProblemKind::Unauthorized),
        (Some(produce), ProblemKind::Forbidden),
        (Some(other), ProblemKind::Forbidden),
    ] {
        let open = RemoteOptions::new(&format!("http://{address}")).unwrap();
        let service = match &token {
            Some(token) => open.token(token),
            None => open,
        };
        let shown = format!("{service:?}");
        assert!(token.is_none_or(|token| !shown.contains(&token)), "{shown}");
        let router = Router::new(()).fallback(|_: u32, _| async { Ok(()) });
        let working = Working::start(ServiceWorker::builder(service, numbers(), router)).await;
        assert_eq!(working.ended().await.expect_err("it cannot work").kind(), kind);
    }
}

#[tokio::test]
async fn a_worker_without_handlers_does_not_build() {
    let service = RemoteOptions::new("http://127.0.0.1:1").unwrap();
    let refused = ServiceWorker::builder(service, numbers(), Router::new(())).build().await.unwrap_err();
    assert!(refused.to_string().contains("Router::handle"), "{refused}");
}
