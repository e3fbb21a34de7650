//! Bad arguments, store URLs, files and payloads: each is refused with advice, and nothing is
//! written.

use crate::place;
use queue_e2e::CommandDirectory;
use std::fs;

/// Asserts that the command is refused with these words, and makes nothing.
fn refused(place: &CommandDirectory, arguments: &[&str], words: &str) {
    let ran = place.run(arguments).code(2);
    assert!(ran.stderr.contains(words), "{arguments:?}: {}", ran.stderr);
    assert!(ran.stderr.starts_with("error: ") && ran.stdout.is_empty(), "{arguments:?}: {ran:?}");
    assert!(!place.path().join("queue.db").exists(), "{arguments:?} made a file");
}

#[test]
fn bad_arguments_are_refused_before_anything_is_written() {
    let place = place();
    let long = "x".repeat(256);
    for (arguments, words) in [
        (&["enqueue", "x", "--id", ""][..], "job id must not be empty"),
        (&["enqueue", "x", "--id", &long], "at most 255 bytes, this one has 256"),
        (&["enqueue", "x", "--id", "a\nb"], "control characters"),
        (&["enqueue", "x", "--id", "a\u{85}b"], "control characters"),
        (&["enqueue", "", "--ids", "payload"], "must not be empty"),
        (&["enqueue", &long, "--ids", "payload"], "at most 255 bytes"),
        (&["enqueue", r#"{"to":"\ud800"}"#], "half of a surrogate pair"),
        (&["enqueue", "x", "--queue", ""], "queue name must not be empty"),
        (&["enqueue", "x", "--queue", "a\tb"], "control characters"),
        (&["enqueue", "x", "--kind", ""], "kind must not be empty"),
        (&["enqueue", "x", "--kind", "queue.schedule"], "reserved"),
        (&["enqueue", "x", "--on-failure", "queue.schedule"], "reserved"),
        (&["enqueue", "x", "--id", "a", "--debounce", "5s", "--max-wait", "4s"], "at least as long"),
        (&["enqueue", "x", "--id", "a", "--debounce", "5s", "--expires-in", "9s"], "cannot expire"),
        (&["enqueue", "x", "--id", "a", "--debounce", "5s", "--ttl", "9s"], "not kept"),
        (&["enqueue", "x", "--id", "a", "--debounce", "5s", "--delay", "9s"], "cannot be used with"),
        (&["enqueue", "x", "--debounce", "5s"], "--id"),
        (&["enqueue", "x", "--id", "a", "--max-wait", "5s"], "--debounce"),
        (&["enqueue", "x", "--content-type", ""], "content type must not be empty"),
        (&["enqueue", "x", "--ttl", "0s"], "longer than zero"),
        (&["enqueue", "x", "--ttl", "-5s"], "a length of time looks like"),
        (&["enqueue", "x", "--ttl", "200years"], "at most 100 years"),
        (&["enqueue", "x", "--ttl", "99999999999999999999s"], "a length of time looks like"),
        (&["enqueue", "x", "--delay", "-1s"], "a length of time looks like"),
        (&["enqueue", "x", "--delay", "101years"], "at most 100 years"),
        (&["enqueue", "x", "--priority", "32768"], "-32768 to 32767"),
        (&["enqueue", "x", "--priority", "-32769"], "-32768 to 32767"),
        (&["enqueue", "x", "--priority", "high"], "invalid value"),
        (&["enqueue", "x", "--at", "tomorrow"], "a time looks like 2026-12-24T18:00:00Z"),
        (&["enqueue", "x", "--max-attempts", "0"], "from 1 to"),
        (&["enqueue", "x", "--max-attempts", "-1"], "from 1 to"),
        (&["enqueue"], "required"),
        (&["enqueue", "x", "--id", "a", "--ids", "content"], "cannot be used with"),
        (&["enqueue", "--lines", "missing"], "cannot read missing"),
        (&["work", "--exec", "cat", "--concurrency", "0"], "invalid value"),
        (&["work", "--exec", ""], "an empty command"),
        (&["lead", "report", "--exec", " \t"], "an empty command"),
        (&["work", "--exec", "cat", "--snooze-wait", "1s"], "--snooze-exit"),
        (&["work", "--exec", "cat", "--time-limit", "0s"], "longer than zero"),
        (&["work"], "required"),
        (&["limits", "set"], "required"),
        (&["limits", "set", "--each"], "--running"),
        (&["limits", "set", "--running", "1"], "required"),
        (&["limits", "set", "--each", "--partition", "a", "--running", "1"], "cannot be used with"),
        (&["limits", "set", "--unpartitioned", "--running", "1"], "cannot be used with"),
        (&["limits", "set", "--each", "--running", "-1"], "unexpected argument"),
        (&["limits", "set", "--each", "--running", "4294967296"], "or `unlimited`"),
        (&["limits", "set", "--each", "--weight", "0"], "1..=1000"),
        (&["limits", "set", "--each", "--weight", "1001"], "1..=1000"),
        (&["limits", "set", "--partition", "", "--running", "1"], "partition must not be empty"),
        (&["limits", "set", "--partition", &long, "--running", "1"], "at most 255 bytes"),
        (&["limits", "rm"], "required"),
        (&["partitions", "--sort", "size"], "possible values: key, fullest"),
        (&["partitions", "--limit", "0"], "give a number from 1"),
        (&["list", "--limit", "0"], "give a number from 1"),
        (&["list", "--state", "running"], "possible values: due, scheduled"),
        (&["wait", "a", "--timeout", "5"], "a length of time looks like"),
        (&["redrive"], "say which jobs"),
        (&["no-such-command"], "unrecognized subcommand"),
    ] {
        refused(&place, arguments, words);
    }
}

#[test]
fn bad_store_urls_are_refused_with_advice() {
    let place = place();
    for (url, words) in [
        ("mysql://host/db", "this build has no store for `mysql:`; use one of"),
        ("queue.db", "a store URL looks like"),
        ("sqlite:", "needs a path"),
        ("sqlite:q.db?mode=fast", "no option `mode`"),
        ("sqlite:q.db?synchronous=maybe", "`full` or `normal`"),
        ("memory:?x=y", "no options"),
    ] {
        refused(&place, &["enqueue", "x", "--store", url], words);
    }
}

#[test]
fn commands_that_add_nothing_refuse_a_missing_file() {
    let place = place();
    for arguments in [
        &["status", "a"][..],
        &["result", "a"],
        &["wait", "a"],
        &["cancel", "a"],
        &["list"],
        &["stats"],
        &["redrive", "--all-failed"],
        &["delete", "a"],
        &["resume"],
        &["pause"],
        &["show", "a"],
        &["promote", "a"],
        &["events"],
        &["verify"],
        &["prune"],
        &["work", "--exec", "true"],
        &["lead", "a", "--exec", "true"],
    ] {
        refused(&place, arguments, "there is no store");
        refused(&place, arguments, "`queue migrate` an empty one");
    }
}

#[test]
fn a_store_inside_this_process_is_refused_since_nothing_would_stay() {
    let place = place();
    for arguments in [&["enqueue", "x"][..], &["work", "--exec", "true"], &["list"], &["migrate"]] {
        refused(
            &place,
            &[arguments, &["--store", "memory:"]].concat(),
            "gone when it ends; name a store that outlives it",
        );
    }
}

#[test]
fn a_payload_over_the_limit_is_refused_and_one_at_the_limit_is_not() {
    let place = place();
    let ran = place.run_with(&["enqueue", "-", "--id", "a"], &vec![b'x'; (1 << 20) + 1]).code(2);
    assert!(
        ran.stderr.contains("at most 1048576 bytes, this one has 1048577; store large data elsewhere"),
        "{ran:?}"
    );
    place.run(&["status", "a"]).code(3);
    place.run_with(&["enqueue", "-", "--id", "a"], &vec![b'x'; 1 << 20]).ok();
}

#[test]
fn places_where_no_file_can_be_are_refused() {
    let place = place();
    fs::write(place.path().join("file"), "").unwrap();
    fs::create_dir(place.path().join("directory")).unwrap();
    // Root may write into read-only directories, but no user can create a file in these.
    for (url, words) in [
        ("sqlite:file/queue.db", "it cannot be opened"),
        ("sqlite:no/such/directory/queue.db", "make the directory first"),
        ("sqlite:directory", "it is a directory; name a file in it"),
        ("sqlite:/proc/queue.db", "none was made; check the path"),
    ] {
        refused(&place, &["enqueue", "x", "--store", url], words);
    }
}

#[test]
fn a_file_that_is_no_database_is_left_as_it_is() {
    let place = place();
    let path = place.path().join("notes.txt");
    let notes = "not a database\n".repeat(100);
    fs::write(&path, &notes).unwrap();
    let ran = place.run(&["enqueue", "x", "--store", "sqlite:notes.txt"]).code(6);
    assert!(ran.stderr.contains("no SQLite database; check the path"), "{ran:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), notes);
}

#[test]
fn a_command_that_reads_makes_no_store_of_an_empty_file() {
    let place = place();
    fs::write(place.path().join("empty"), "").unwrap();
    let ran = place.run(&["status", "a", "--store", "sqlite:empty"]).code(2);
    assert!(ran.stderr.contains("holds no queue"), "{ran:?}");
    assert_eq!(fs::read(place.path().join("empty")).unwrap(), b"");
}

#[test]
fn a_file_of_a_newer_version_is_refused() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    let file = rusqlite::Connection::open(place.path().join("queue.db")).unwrap();
    file.execute("INSERT INTO queue_schema (version, applied_at) VALUES (999, 'later')", []).unwrap();
    for arguments in [&["enqueue", "y"][..], &["status", "a"]] {
        let ran = place.run(arguments).code(6);
        assert!(ran.stderr.contains("upgrade"), "{ran:?}");
    }
}

#[test]
fn errors_are_objects_for_programs() {
    let ran = place().run(&["status", "a", "--json"]).code(2);
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert!(error["error"].as_str().unwrap().contains("there is no store"), "{error}");
}

#[test]
fn errors_of_arguments_are_objects_for_programs_too() {
    for (arguments, message) in [
        (&["list", "--limit", "0"][..], "invalid value '0' for '--limit <N>': give a number from 1"),
        (&["no-such-command"], "unrecognized subcommand 'no-such-command'"),
        (&["work"], "the following required arguments were not provided:\n  --exec <COMMAND>"),
        (&[], "'queue-e2e' requires a subcommand"),
    ] {
        let ran = place().run(&[arguments, &["--json"]].concat()).code(2);
        let error: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
        assert!(error["error"].as_str().unwrap().starts_with(message), "{error}");
        assert!(!error["error"].as_str().unwrap().contains("Usage"), "{error}");
        assert_eq!((&error["exit"], ran.stdout.is_empty()), (&2.into(), true));
    }
    // After `--` it is not an option.
    assert!(place().run(&["list", "--limit", "0", "--", "--json"]).code(2).stderr.starts_with("error: "));
    assert!(place().run(&["--help"]).ok().text().contains("Exit codes:"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = place();
    let lines = "a line\n".repeat(5000);
    place.run_with(&["enqueue", "--lines", "-"], lines.as_bytes()).ok();
    let program = env!("CARGO_BIN_EXE_queue-e2e");
    let script = format!("{{ '{program}' list --json --limit 5000; echo $? > code; }} | head -n 1");
    let shell =
        std::process::Command::new("sh").args(["-c", &script]).current_dir(place.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&shell.stderr), "");
    assert_eq!(fs::read_to_string(place.path().join("code")).unwrap(), "0\n");
}

#[test]
fn a_server_without_a_scheme_and_a_token_file_that_others_read_are_told() {
    let place = place();
    let refused = place.run(&["list", "--server", "127.0.0.1:1"]).code(2);
    assert!(refused.stderr.contains("such as http://127.0.0.1:1"), "{refused:?}");
    let token = place.path().join("token");
    std::fs::write(&token, "").expect("there is room");
    let at = ["list", "--server", "http://127.0.0.1:1", "--token-file", "token"];
    for (mode, is_open) in [(0o644, true), (0o600, false)] {
        std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("ours");
        let refused = place.run(&at).code(2);
        assert!(refused.stderr.contains("the file is empty"), "{refused:?}");
        assert_eq!(refused.stderr.contains("warning: the token file token"), is_open, "{refused:?}");
    }
}

#[test]
fn a_token_for_the_store_names_all_queues() {
    let place = place();
    let new = ["token", "new", "--tokens", "t.json", "--scope", "store", "--queue"];
    let refused = place.run(&[&new[..], &["mail"]].concat()).code(2);
    assert!(refused.stderr.contains("--queue '*'"), "{refused:?}");
    place.run(&[&new[..], &["*"]].concat()).ok();
}
