//! `queue serve` and `queue token`: a store over HTTP.

use crate::place;
use queue_e2e::{CommandDirectory, CommandRun, Process, until};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
};

/// A server that listens at a port of this machine.
pub(crate) struct Served {
    process: Process,
    address: String,
}

impl Served {
    pub(crate) fn start(place: &CommandDirectory, arguments: &[&str]) -> Self {
        Self::start_at(place, "127.0.0.1:0", arguments)
    }

    pub(crate) fn start_at(place: &CommandDirectory, address: &str, arguments: &[&str]) -> Self {
        let (process, address) = place.serve(address, arguments);
        Self { process, address }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn kill(self) {
        self.process.kill();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    /// What it has said so far on standard error.
    pub(crate) fn stderr(&self) -> String {
        self.process.stderr()
    }

    /// Waits until it ends by itself.
    pub(crate) fn wait(self) -> CommandRun {
        self.process.wait()
    }

    /// One call: its status and its answer.
    pub(crate) fn call(&self, token: &str, head: &str, body: &str) -> (u16, Value) {
        read_answer(self.send(token, head, body))
    }

    /// One call without a body: its answer as text.
    pub(crate) fn text(&self, token: &str, head: &str) -> String {
        read_text(self.send(token, head, "")).1
    }

    fn send(&self, token: &str, head: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        write!(
            stream,
            "{head} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("it reads");
        stream
    }
}

fn read_answer(stream: TcpStream) -> (u16, Value) {
    let (status, body) = read_text(stream);
    (status, serde_json::from_str(&body).expect("an object"))
}

fn read_text(mut stream: TcpStream) -> (u16, String) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, body.to_owned())
}

pub(crate) fn token(place: &CommandDirectory, scopes: &[&str]) -> String {
    let scopes = scopes.iter().flat_map(|scope| ["--scope", scope]);
    let arguments: Vec<&str> =
        ["token", "new", "--tokens", "tokens.json", "--queue", "mail*"].into_iter().chain(scopes).collect();
    String::from_utf8(place.run(&arguments).ok().stdout).expect("text").trim().to_owned()
}

const CLAIM: &str = r#"{"worker":"w","claim_id":"5f0c6a0e9b1d4c7f8a2b3c4d5e6f7081","limit":5}"#;

#[test]
fn any_of_several_servers_settles_what_another_one_handed_out_also_after_it_was_killed() {
    let place = place();
    let token = token(&place, &["produce", "work"]);
    place.run(&["token", "rotate-key", "--key-file", "keys.json"]).ok();
    let options = ["--tokens", "tokens.json", "--key-file", "keys.json"];
    let (first, second) = (Served::start(&place, &options), Served::start(&place, &options));
    let jobs = r#"{"jobs":[{"id":"a","payload":{"n":12345678901234567890.5}},{"id":"b","payload":2}]}"#;
    assert_eq!(first.call(&token, "POST /v1/queues/mail/jobs", jobs).0, 200);
    let (status, claimed) = second.call(&token, "POST /v1/queues/mail/claim", CLAIM);
    assert_eq!((status, claimed["jobs"].as_array().expect("jobs").len()), (200, 2), "{claimed}");
    let settle = |server: &Served, at: usize| {
        let receipt = &claimed["jobs"][at]["receipt"];
        let items = format!(r#"{{"items":[{{"receipt":{receipt},"complete":{{}}}}]}}"#);
        server.call(&token, "POST /v1/settle", &items).1["items"][0]["outcome"].clone()
    };
    second.process.kill();
    assert_eq!(settle(&first, 0), "done");
    let again = Served::start(&place, &options);
    assert_eq!(settle(&again, 1), "done");
    // One without the keys refuses the receipt, and says so.
    let stranger = Served::start(&place, &options[..2]);
    assert_eq!(settle(&stranger, 0), "refused");
}

#[test]
fn a_revoked_token_is_refused_after_a_signal_and_a_spoiled_file_changes_nothing() {
    let place = place();
    let gone = token(&place, &["view"]);
    let stays = token(&place, &["view"]);
    let served = Served::start(&place, &["--tokens", "tokens.json"]);
    let status = |token: &str| served.call(token, "GET /v1/queues", "").0;
    assert_eq!((status(&gone), status(&stays), status("qk_x")), (200, 200, 401));
    let id = gone.split('_').nth(1).expect("an id");
    place.run(&["token", "revoke", "--tokens", "tokens.json", id]).ok();
    served.process.signal(Signal::HUP);
    until("the file was read", || (status(&gone) == 401).then_some(()));
    assert_eq!(status(&stays), 200);
    fs::set_permissions(place.path().join("tokens.json"), fs::Permissions::from_mode(0o644)).expect("ours");
    served.process.signal(Signal::HUP);
    until("the file was refused", || served.process.stderr().contains("chmod 600").then_some(()));
    assert_eq!(status(&stays), 200);
    let listed = place.run(&["token", "ls", "--tokens", "tokens.json"]);
    assert_eq!(listed.code, 2, "{}", listed.stderr);
}

#[test]
fn a_stopped_server_answers_what_waits_and_leaves_no_job_leased() {
    let place = place();
    // It still reads what was sent before the signal.
    let served = Served::start(&place, &["--no-auth", "--drain-delay", "2s"]);
    let waiting = CLAIM.replace("\"limit\":5", "\"limit\":5,\"wait_ms\":60000");
    let stream = served.send("none", "POST /v1/queues/mail/claim", &waiting);
    until("it is ready", || (served.call("none", "GET /readyz", "").0 == 200).then_some(()));
    served.process.signal(Signal::TERM);
    let (status, answer) = read_answer(stream);
    assert_eq!((status, answer["jobs"].as_array().map(Vec::len)), (200, Some(0)), "{answer}");
    assert_eq!(served.process.wait().code, 0);
}

#[test]
fn a_server_that_would_be_open_does_not_start() {
    let place = place();
    token(&place, &["view"]);
    for (arguments, words) in [
        (&["serve"][..], "--tokens"),
        (&["serve", "--no-auth", "--listen", "0.0.0.0:0"], "needs tokens"),
        (&["serve", "--tokens", "tokens.json", "--listen", "0.0.0.0:0"], "unencrypted"),
        (&["serve", "--tokens", "tokens.json", "--no-auth"], "cannot be used with"),
        (&["serve", "--tokens", "missing.json"], "missing.json"),
        (&["serve", "--no-auth", "--allow-origin", "*"], "no origin"),
        (&["serve", "--demo", "--trace-url", "javascript:alert('{trace_id}')"], "https://"),
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, 2, "{arguments:?} {}", ran.stderr);
        assert!(ran.stderr.contains(words), "{arguments:?} {}", ran.stderr);
    }
}

#[test]
fn a_store_that_is_missing_is_made_only_if_the_server_is_told_to() {
    let place = place();
    for store in ["sqlite:typo.db", "file:typo"] {
        let ran = place.run(&["serve", "--no-auth", "--listen", "127.0.0.1:0", "--store", store]);
        assert_eq!(ran.code, 2, "{store}: {}", ran.stderr);
        assert!(ran.stderr.contains("queue serve --create"), "{store}: {}", ran.stderr);
        let left: Vec<_> = fs::read_dir(place.path()).expect("it is there").collect();
        assert!(left.is_empty(), "{store}: {left:?}");
    }
    for store in ["sqlite:new.db", "file:new", "memory:"] {
        let served = Served::start(&place, &["--no-auth", "--store", store]);
        assert_eq!(served.call("none", "GET /readyz", "").0, 200, "{store}");
    }
    // What is there needs no word.
    let ready = |told: &Process| String::from_utf8_lossy(&told.stdout()).contains("listening").then_some(());
    let again = place.start(&["serve", "--no-auth", "--listen", "127.0.0.1:0", "--store", "sqlite:new.db"]);
    until("it listens", || ready(&again));
    again.kill();
}

#[test]
fn a_page_whose_name_was_made_to_lead_here_gets_nothing() {
    let place = place();
    let served = Served::start(&place, &["--no-auth"]);
    let mut stream = TcpStream::connect(&served.address).expect("it listens");
    let request = "GET /v1/queues HTTP/1.1\r\nhost: rebound.example\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("it reads");
    assert_eq!(read_answer(stream).0, 421);
}
