//! `queue serve` and `queue token`: a store over HTTP.

use crate::place;
pub(crate) use queue_e2e::Served;
use queue_e2e::{CommandDirectory, Process, until};
use rustix::process::Signal;
use std::{fs, os::unix::fs::PermissionsExt};

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
    second.kill();
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
    served.signal(Signal::HUP);
    until("the file was read", || (status(&gone) == 401).then_some(()));
    assert_eq!(status(&stays), 200);
    fs::set_permissions(place.path().join("tokens.json"), fs::Permissions::from_mode(0o644)).expect("ours");
    served.signal(Signal::HUP);
    until("the file was refused", || served.stderr().contains("chmod 600").then_some(()));
    assert_eq!(status(&stays), 200);
    let listed = place.run(&["token", "ls", "--tokens", "tokens.json"]);
    assert_eq!(listed.code, 2, "{}", listed.stderr);
}

#[test]
fn the_file_of_tokens_has_no_token() {
    let place = place();
    let token = token(&place, &["view"]);
    let file = fs::read_to_string(place.path().join("tokens.json")).expect("it was made");
    let [_, id, secret] = token.splitn(3, '_').collect::<Vec<_>>()[..] else { panic!("{token}") };
    assert!(file.contains(id) && !file.contains(secret), "{file}");
    let listed = place.run(&["token", "ls", "--tokens", "tokens.json"]).ok();
    assert!(listed.text().contains(id) && !listed.text().contains(secret), "{}", listed.text());
}

#[test]
fn a_stopped_server_answers_what_waits_and_leaves_no_job_leased() {
    let place = place();
    // It still reads what was sent before the signal.
    let served = Served::start(&place, &["--no-auth", "--drain-delay", "2s"]);
    let waiting = CLAIM.replace("\"limit\":5", "\"limit\":5,\"wait_ms\":60000");
    let stream = served.send("none", "POST /v1/queues/mail/claim", &waiting);
    until("it is ready", || (served.call("none", "GET /readyz", "").0 == 200).then_some(()));
    served.signal(Signal::TERM);
    let (status, answer) = Served::answer(stream);
    assert_eq!((status, answer["jobs"].as_array().map(Vec::len)), (200, Some(0)), "{answer}");
    assert_eq!(served.wait().code, 0);
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
    let request = "GET /v1/queues HTTP/1.1\r\nhost: rebound.example\r\nconnection: close\r\n\r\n";
    assert_eq!(Served::answer(served.write(request)).0, 421);
}
