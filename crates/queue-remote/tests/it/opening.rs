//! What a handle answers when it opens, and who may.

use crate::{
    common::server::TestServer,
    jobs::{open, put, queue, served},
};
use parking_lot::Mutex;
use queue_core::{Certainty, Durability, ErrorKind, Reach, Storage};
use queue_memory::MemoryStorage;
use std::sync::Arc;
use tokio::net::TcpSocket;

#[tokio::test]
async fn a_handle_tells_of_the_store_behind_its_server() {
    let (store, _server, remote) = served().await;
    let (own, behind) = (remote.capabilities(), store.capabilities());
    assert_eq!((own.name, remote.store_name(), own.reach), ("remote", "memory", Reach::Network));
    assert_eq!((own.durability, own.limits), (Durability::None, behind.limits));
    assert!(own.call_timeout > behind.call_timeout, "the way takes time too");
}

#[tokio::test]
async fn where_nobody_listens_nothing_was_sent() {
    // The port is taken without a listener, so no other test gets it meanwhile.
    let taken = TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}/", taken.local_addr().unwrap());
    let error = open(&url).await.expect_err("nobody listens");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Unavailable, Certainty::NotApplied), "{error}");
}

#[tokio::test]
async fn a_socket_that_is_not_there_is_named() {
    let error = open("http+unix:/nowhere/queue.sock").await.expect_err("there is none");
    assert!(error.message().contains("/nowhere/queue.sock"), "{error}");
}

#[tokio::test]
async fn a_token_is_read_from_its_file_and_again_when_it_is_refused() {
    let server =
        TestServer::start_guarded(Arc::new(MemoryStorage::new()), Arc::new(Mutex::new("Bearer new"))).await;
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("token");
    let url = format!("{}?token-file={}", server.url(), file.display());

    let error = open(&url).await.expect_err("there is no file");
    assert!(error.message().contains("token-file="), "{error}");
    std::fs::write(&file, "two words\n").expect("it is written");
    assert_eq!(open(&url).await.expect_err("that is no token").kind(), ErrorKind::Invalid);
    std::fs::write(&file, "old\n").expect("it is written");
    let error = open(&url).await.expect_err("the token is wrong");
    assert_eq!((error.kind(), error.certainty()), (ErrorKind::Invalid, Certainty::NotApplied));
    assert!(!format!("{error} {error:?}").contains("old"), "no error repeats a token: {error:?}");

    std::fs::write(&file, "new\n").expect("it is written");
    let remote = open(&url).await.expect("the token is right");
    put(&remote, "a").await.expect("it is taken");
    assert!(!format!("{remote:?}").contains("new"), "a handle does not print its token: {remote:?}");
}

/// The token of a server is renewed under open handles.
#[tokio::test]
async fn a_renewed_token_needs_no_restart() {
    let token = Arc::new(Mutex::new("Bearer one"));
    let server = TestServer::start_guarded(Arc::new(MemoryStorage::new()), token.clone()).await;
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("token");
    std::fs::write(&file, "one").expect("it is written");
    let remote = open(&format!("{}?token-file={}", server.url(), file.display())).await.expect("it opens");
    *token.lock() = "Bearer two";
    let refused = remote.counts(&queue()).await.expect_err("its token is an old one");
    // It was right when the handle was opened, so the operator may repair it.
    assert_eq!(refused.kind(), ErrorKind::Unavailable, "{refused}");
    std::fs::write(&file, "two").expect("it is written");
    remote.counts(&queue()).await.expect("the file is read again");
}

#[tokio::test]
async fn a_token_does_not_go_over_a_network_in_the_clear() {
    let error =
        open("http://192.0.2.1/?token-file=/none").await.expect_err("it is refused before it is sent");
    assert!(error.message().contains("unencrypted"), "{error}");
}
