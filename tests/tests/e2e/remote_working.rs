//! `--server`: `queue work` over the protocol `/v1` with a token that can do no more, and the other
//! commands over the store behind the service.

use crate::{
    place,
    serving::{Served, token},
};
use queue_e2e::{CommandDirectory, WholeRequest, foreign_answer, until};
use rustix::process::Signal;
use serde_json::Value;
use std::{fs, os::unix::fs::PermissionsExt};
use tokio::{io::AsyncWriteExt, net::TcpListener, runtime::Runtime};

/// A service before the default store, and files with a token to work and one for the store.
pub(crate) fn service(place: &CommandDirectory) -> Served {
    place.run(&["token", "rotate-key", "--key-file", "keys.json", "--after", "0s"]).ok();
    keep(place, "work.token", &token(place, &["work"]));
    let all =
        place.run(&["token", "new", "--tokens", "tokens.json", "--queue", "*", "--scope", "store"]).ok();
    keep(place, "store.token", String::from_utf8_lossy(&all.stdout).trim());
    Served::start(place, &["--tokens", "tokens.json", "--key-file", "keys.json"])
}

pub(crate) fn keep(place: &CommandDirectory, name: &str, token: &str) {
    let path = place.path().join(name);
    fs::write(&path, token).expect("there is room");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("ours");
}

pub(crate) fn with<'a>(server: &'a str, token: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &["--queue", "mail", "--server", server, "--token-file", token]].concat()
}

fn lines(output: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(output);
    text.lines().map(|line| serde_json::from_str(line).expect("objects")).collect()
}

#[test]
fn a_worker_needs_the_scope_work_alone_and_the_token_opens_nothing_else() {
    let place = place();
    let served = service(&place);
    let url = format!("http://{}", served.address());
    place.run(&with(&url, "store.token", &["enqueue", "hello", "--id", "good"])).ok();
    place.run(&with(&url, "store.token", &["enqueue", "12345678901234567890.50", "--id", "number"])).ok();
    place.run(&with(&url, "store.token", &["enqueue", "x", "--id", "bad", "--max-attempts", "1"])).ok();
    place.run(&with(&url, "store.token", &["enqueue", "x", "--id", "later"])).ok();
    let script = r#"case "$QUEUE_ID" in
        bad) echo no >&2; exit 3;;
        later) if [ "$QUEUE_ATTEMPT" = 1 ] && [ ! -e once ]; then touch once; echo 1ms; exit 75; fi; printf '"%s"' "${QUEUE_STORE-none}";;
        *) cat;;
    esac"#;
    let work = ["work", "--exec", script, "--drain", "--snooze-exit", "75", "--poll", "50ms", "--json"];
    let worked = place.run(&with(&url, "work.token", &work));
    assert_eq!(worked.code, 1, "one failed: {}", worked.stderr);
    let summary = lines(&worked.stdout).pop().expect("a summary");
    let of = |name: &str| summary[name].as_u64();
    assert_eq!(
        (of("started"), of("completed"), of("failed"), of("released")),
        (Some(5), Some(3), Some(1), Some(1))
    );
    for (id, result) in [("good", "hello"), ("number", "12345678901234567890.50"), ("later", "\"none\"")] {
        let read = place.run(&with(&url, "store.token", &["result", id])).ok();
        assert_eq!(String::from_utf8_lossy(&read.stdout), result, "{id}");
    }
    let status = place.run(&with(&url, "store.token", &["show", "bad", "--json"]));
    assert!(String::from_utf8_lossy(&status.stdout).contains("exit status: 3: no"), "{}", status.stderr);
    // The token to work opens nothing else.
    let refused = place.run(&with(&url, "work.token", &["stats"]));
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("lacks the scope view"), "{}", refused.stderr);
    let refused = place.run(&with(&url, "store.token", &["work", "--exec", "true", "--drain"]));
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("lacks the scope"), "{}", refused.stderr);
}

#[test]
fn a_stopped_worker_lets_its_command_end_and_one_that_is_drained_ends_by_itself() {
    let place = place();
    let served = service(&place);
    let url = format!("http://{}", served.address());
    for id in ["a", "b"] {
        place.run(&with(&url, "store.token", &["enqueue", "x", "--id", id])).ok();
    }
    let script = "touch started.$QUEUE_ID; while [ ! -e go.$QUEUE_ID ]; do sleep 0.05; done; printf done";
    let work = ["work", "--exec", script, "--concurrency", "1", "--lease", "2s", "--json"];
    let worker = place.start(&with(&url, "work.token", &work));
    until("it started", || place.path().join("started.a").exists().then_some(()));
    worker.signal(Signal::TERM);
    fs::write(place.path().join("go.a"), "").expect("there is room");
    let ended = worker.wait();
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let result = place.run(&with(&url, "store.token", &["result", "a"])).ok();
    assert_eq!(result.stdout, b"done");
    let second = place.start(&with(&url, "work.token", &work));
    until("it started", || place.path().join("started.b").exists().then_some(()));
    let workers = until("it is seen", || {
        let seen = place.run(&with(&url, "store.token", &["workers", "--json"]));
        let running = lines(&seen.stdout).into_iter().find(|worker| worker["held"] == 1);
        running.map(|worker| worker["id"].as_str().expect("an id").to_owned())
    });
    place.run(&with(&url, "store.token", &["drain", &workers])).ok();
    fs::write(place.path().join("go.b"), "").expect("there is room");
    assert_eq!(second.wait().code, 0);
    let result = place.run(&with(&url, "store.token", &["result", "b"])).ok();
    assert_eq!(result.stdout, b"done");
}

#[test]
fn a_cancelled_command_is_killed_and_a_worker_outlives_its_server() {
    let place = place();
    let served = service(&place);
    let url = format!("http://{}", served.address());
    place.run(&with(&url, "store.token", &["enqueue", "x", "--id", "long"])).ok();
    let script = "echo $$ >> pids; [ $QUEUE_ID != long ] || exec sleep 600";
    let work = ["work", "--exec", script, "--concurrency", "1", "--lease", "2s", "--json"];
    let worker = place.start(&with(&url, "work.token", &work));
    until("it started", || place.path().join("pids").exists().then_some(()));
    place.run(&with(&url, "store.token", &["cancel", "long", "--processing"])).ok();
    until("it is cancelled", || {
        let status = place.run(&with(&url, "store.token", &["status", "long"]));
        String::from_utf8_lossy(&status.stdout).contains("cancelled").then_some(())
    });
    // The same place, so that the worker finds the next server where the first one was.
    let address = served.address().to_owned();
    served.kill();
    let _again = Served::start_at(&place, &address, &["--tokens", "tokens.json", "--key-file", "keys.json"]);
    place.run(&with(&url, "store.token", &["enqueue", "x", "--id", "next"])).ok();
    place.run(&with(&url, "store.token", &["wait", "next"])).ok();
    worker.signal(Signal::TERM);
    assert_eq!(worker.wait().code, 0);
}

#[test]
fn a_claim_that_was_lost_does_not_end_a_worker_that_ends_with_its_queue() {
    let place = place();
    let served = service(&place);
    let url = format!("http://{}", served.address());
    place.run(&with(&url, "store.token", &["enqueue", "x", "--id", "a"])).ok();
    let runtime = Runtime::new().expect("a runtime");
    let proxy = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let through = format!("http://{}", proxy.local_addr().expect("it listens"));
    runtime.spawn(lose_the_first_claim(proxy, served.address().to_owned()));
    let work = ["work", "--exec", "cat", "--drain", "--poll", "50ms", "--json"];
    let worked = place.run(&with(&through, "work.token", &work)).ok();
    let summary = lines(&worked.stdout).pop().expect("a summary");
    assert_eq!(summary["completed"].as_u64(), Some(1), "{summary}");
}

/// A proxy that answers the first claim itself, and sends all other calls on.
async fn lose_the_first_claim(proxy: TcpListener, server: String) {
    let mut is_lost = false;
    while let Ok((mut client, _)) = proxy.accept().await {
        let Ok(request) = WholeRequest::read(&mut client).await else { continue };
        if request.path().ends_with("/claim") && !is_lost {
            is_lost = true;
            drop(client.write_all(foreign_answer(502, "text/html", "no").as_bytes()).await);
        } else if let Ok(mut upstream) = request.forward(&server).await {
            drop(tokio::io::copy(&mut upstream, &mut client).await);
        }
    }
}

#[test]
fn arguments_that_do_not_go_together_are_refused() {
    let place = place();
    for (arguments, words) in [
        (&["stats", "--server", "http://127.0.0.1:1", "--store", "sqlite:a.db"][..], "cannot be used with"),
        (&["stats", "--token-file", "a"], "--server"),
        (&["work", "--exec", "true", "--server", "ftp://a"], "URL"),
        (&["work", "--exec", "true", "--server", "http://127.0.0.1:1", "--prefetch", "3"], "--prefetch"),
        (&["work", "--exec", "true", "--server", "http://127.0.0.1:1", "--lease", "1ms"], "--lease"),
        (&["work", "--exec", "true", "--server", "http://127.0.0.1:1", "--token-file", "missing"], "missing"),
        (
            &["work", "--exec", "true", "--server", "http://10.0.0.1:1", "--token-file", "Cargo.toml"],
            "unencrypted",
        ),
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 2, "{arguments:?} {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{arguments:?} {}", ran.stderr);
    }
}

#[test]
fn a_worker_waits_for_the_token_that_follows_a_revoked_one() {
    let place = place();
    let served = service(&place);
    let url = format!("http://{}", served.address());
    let old = std::fs::read_to_string(place.path().join("work.token")).expect("it is there");
    let worker = place.start(&with(&url, "work.token", &["work", "--exec", "cat"]));
    place.run(&with(&url, "store.token", &["enqueue", "x", "--id", "first"])).ok();
    place.run(&with(&url, "store.token", &["wait", "first"])).ok();
    let id = old.split('_').nth(1).expect("an id").to_owned();
    place.run(&["token", "revoke", "--tokens", "tokens.json", &id]).ok();
    served.signal(Signal::HUP);
    until("it waits", || worker.stderr().contains("waiting for a new one in work.token").then_some(()));
    keep(&place, "work.token", &token(&place, &["work"]));
    served.signal(Signal::HUP);
    place.run(&with(&url, "store.token", &["enqueue", "x", "--id", "second"])).ok();
    place.run(&with(&url, "store.token", &["wait", "second"])).ok();
    worker.signal(Signal::TERM);
    assert_eq!(worker.wait().code, 0);
}
