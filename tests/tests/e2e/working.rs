//! The command `queue work`: the environment of its shell commands, their failures, and how a
//! worker stops.

use crate::place;
use queue_e2e::{CommandDirectory, Process, until};
use rustix::process::Signal;
use std::{fs, process::Command};

#[test]
fn a_command_finds_its_job_in_input_and_environment() {
    let place = place();
    place.run(&["enqueue", "the payload", "--id", "a", "--kind", "k"]).ok();
    let show = "printf '%s|' \"$QUEUE_ID\" \"$QUEUE_KIND\" \"$QUEUE_ATTEMPT\" \"$QUEUE_NAME\" \"$QUEUE_PAYLOAD\"; cat";
    place.run(&["work", "--exec", show, "--drain"]).ok();
    assert_eq!(place.run(&["result", "a"]).ok().text(), "a|k|1|default|the payload|the payload");
}

#[test]
fn what_a_job_says_is_never_run_by_the_shell() {
    let place = place();
    let words = "$(touch owned)`touch owned`; touch owned #' \" touch owned";
    place.run(&["enqueue", words, "--id", words, "--kind", words]).ok();
    let exec = "printf '%s\\n' \"$QUEUE_ID\" \"$QUEUE_KIND\" \"$QUEUE_PAYLOAD\"; cat";
    place.run(&["work", "--exec", exec, "--drain"]).ok();
    assert_eq!(place.run(&["result", words]).ok().text(), format!("{words}\n{words}\n{words}\n{words}"));
    assert!(!place.path().join("owned").exists());
}

#[test]
fn payloads_that_no_variable_can_hold_come_through_input_alone() {
    let place = place();
    let large = vec![b'x'; (64 << 10) + 1];
    for (id, payload) in [("bytes", &b"a\0b"[..]), ("latin", b"\xe9"), ("large", &large)] {
        place.run_with(&["enqueue", "-", "--id", id], payload).ok();
    }
    place.run(&["work", "--exec", "test -z \"${QUEUE_PAYLOAD+set}\" && wc -c", "--drain"]).ok();
    for (id, bytes) in [("bytes", "3"), ("latin", "1"), ("large", "65537")] {
        assert_eq!(place.run(&["result", id]).ok().text().trim(), bytes);
    }
}

#[test]
fn a_command_can_enqueue_more_jobs_into_the_same_queue() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "first", "--queue", "q"]).ok();
    let program = env!("CARGO_BIN_EXE_queue-e2e");
    let exec = format!("test $QUEUE_ID = second || '{program}' enqueue y --id second");
    let drained = place.run(&["work", "--queue", "q", "--exec", &exec, "--drain"]).ok();
    assert_eq!(drained.text(), "completed 2 jobs\n");
}

#[test]
fn a_command_that_does_not_read_its_input_completes_all_the_same() {
    let place = place();
    place.run_with(&["enqueue", "-"], &vec![b'x'; 1 << 20]).ok();
    assert_eq!(place.run(&["work", "--exec", "true", "--drain"]).ok().text(), "completed 1 job\n");
}

#[test]
fn whoever_inherits_the_pipes_of_a_command_does_not_keep_its_slot() {
    let place = place();
    fs::write(place.path().join("hold"), "").unwrap();
    place.run_with(&["enqueue", "-", "--id", "a"], &vec![b'x'; 1 << 20]).ok();
    let exec = "{ while [ -e hold ]; do sleep 0.05; done; } & echo before the end; echo $! > daemon";
    let drained = place.run(&["work", "--exec", exec, "--drain"]).ok();
    assert_eq!(drained.text(), "completed 1 job\n");
    assert_eq!(place.run(&["result", "a"]).ok().text(), "before the end\n");
    assert!(is_alive(&fs::read_to_string(place.path().join("daemon")).unwrap()), "it may live on");
    fs::remove_file(place.path().join("hold")).unwrap();
}

#[test]
fn all_that_a_command_wrote_before_its_end_is_kept() {
    let place = place();
    let ids: Vec<String> = (0..50).map(|n| n.to_string()).collect();
    for id in &ids {
        place.run(&["enqueue", "x", "--id", id]).ok();
    }
    let exec = "sleep 1000 & head -c 60000 /dev/zero; echo $QUEUE_ID; echo $! >> daemons";
    let drained = place.run(&["work", "--exec", exec, "--drain", "--concurrency", "4"]).ok();
    let daemons = fs::read_to_string(place.path().join("daemons")).unwrap();
    Command::new("kill").args(daemons.lines()).status().unwrap();
    assert_eq!(drained.text(), "completed 50 jobs\n");
    for id in &ids {
        let result = place.run(&["result", id]).ok().stdout;
        assert!(result.len() > 60_000 && result.ends_with(format!("{id}\n").as_bytes()), "{id}");
    }
}

#[test]
fn a_command_over_its_time_is_killed_and_counts_as_a_failed_attempt() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--max-attempts", "1"]).ok();
    let exec = "echo $$ > pid; sleep 1000";
    let ran = place.run(&["work", "--exec", exec, "--time-limit", "300ms", "--drain"]).code(1);
    assert_eq!(ran.text(), "completed 0 jobs, 1 failed\n");
    all_is_gone(&place);
    let job = place.run(&["status", "a", "--json"]).ok().object();
    assert_eq!((&job["reason"], &job["error"]["name"]), (&"exhausted".into(), &"TimeLimit".into()));
}

#[test]
fn the_waits_between_attempts_can_be_chosen() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--max-attempts", "4"]).ok();
    let waits = ["--retry-wait", "20ms", "--retry-wait-max", "40ms"];
    let ran = place.run(&[&["work", "--exec", "exit 3", "--drain"][..], &waits].concat()).code(1);
    assert_eq!(ran.text(), "completed 0 jobs, 1 failed, 3 attempts to be retried\n");

    let refused =
        place.run(&["work", "--exec", "true", "--retry-wait", "2s", "--retry-wait-max", "1s"]).code(2);
    assert!(refused.stderr.contains("--retry-wait-max"), "{refused:?}");
}

#[test]
fn an_exit_code_puts_a_job_off_uncharged() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--max-attempts", "1"]).ok();
    let exec = "test -e again || { touch again; echo 50ms; exit 75; }";
    let work = ["work", "--exec", exec, "--snooze-exit", "75", "--snooze-wait", "1h", "--drain"];
    assert_eq!(place.run(&work).ok().text(), "completed 1 job, 1 given back\n");
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["failures"], 0);

    place.run(&["enqueue", "x", "--id", "b"]).ok();
    let worker = place.start(&["work", "--exec", "exit 75", "--snooze-exit", "75", "--snooze-wait", "1h"]);
    until("it waits for an hour", || {
        let job = place.run(&["status", "b", "--json"]).ok().object();
        let (run_at, created_at) = (job["run_at_ms"].as_i64()?, job["created_at_ms"].as_i64()?);
        (job["state"] == "queued" && run_at - created_at >= 3_600_000).then_some(())
    });
    worker.signal(Signal::TERM);
    worker.wait().ok();
}

#[test]
fn a_failing_command_is_tried_again_until_its_attempts_are_spent() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a", "--max-attempts", "2"]).ok();
    let ran = place.run(&["work", "--exec", "echo attempt $QUEUE_ATTEMPT >&2; exit 3", "--drain"]).code(1);
    assert_eq!(ran.text(), "completed 0 jobs, 1 failed, 1 attempt to be retried\n");
    assert!(ran.stderr.contains("retrying a after attempt 1: Exit3: exit status: 3: attempt 1"), "{ran:?}");
    let job = place.run(&["status", "a", "--json"]).ok().object();
    assert_eq!((&job["reason"], &job["failures"]), (&"exhausted".into(), &2.into()));
}

#[test]
fn the_terminal_exit_code_ends_a_job_at_once_and_can_be_chosen() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    place.run(&["work", "--exec", "exit 9", "--terminal-exit", "9", "--drain"]).code(1);
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["reason"], "terminal");
}

#[test]
fn a_command_that_dies_of_a_signal_or_writes_too_much_fails() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "killed", "--max-attempts", "1"]).ok();
    place.run(&["work", "--exec", "kill -9 $$", "--drain"]).code(1);
    assert_eq!(place.run(&["status", "killed", "--json"]).ok().object()["error"]["name"], "Signal");

    place.run(&["enqueue", "x", "--id", "large"]).ok();
    place.run(&["work", "--exec", "yes", "--max-output", "1000", "--drain"]).code(1);
    let job = place.run(&["status", "large", "--json"]).ok().object();
    assert_eq!((&job["error"]["name"], &job["reason"]), (&"OutputTooLarge".into(), &"terminal".into()));

    place.run(&["enqueue", "x", "--id", "exact"]).ok();
    place.run(&["work", "--exec", "printf 1234", "--max-output", "4", "--drain"]).ok();
    assert_eq!(place.run(&["result", "exact"]).ok().text(), "1234");
}

/// A worker whose command starts another process, which reports itself and waits until the file
/// `hold` is removed.
fn hanging_worker(place: &CommandDirectory, more: &[&str]) -> Process {
    fs::write(place.path().join("hold"), "").expect("the directory is ours");
    fs::write(place.path().join("inner"), "echo $$ > pid; while [ -e hold ]; do sleep 0.05; done")
        .expect("the directory is ours");
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    let worker = place.start(&[&["work", "--exec", "sh inner; echo finished"], more].concat());
    until("the command runs", || {
        fs::read_to_string(place.path().join("pid")).ok().filter(|pid| pid.ends_with('\n'))
    });
    worker
}

/// Asserts that the process which the command of `hanging_worker` started has ended, too.
fn all_is_gone(place: &CommandDirectory) {
    let pid = fs::read_to_string(place.path().join("pid")).expect("it was written before");
    until("the command is killed", || (!is_alive(&pid)).then_some(()));
}

/// Whether a process is alive; one that has not been waited for counts as gone.
fn is_alive(pid: &str) -> bool {
    let shown =
        Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output().expect("the system has ps");
    !shown.stdout.is_empty() && !shown.stdout.starts_with(b"Z")
}

#[test]
fn a_cancelled_command_is_killed() {
    let place = place();
    let worker = hanging_worker(&place, &["--lease", "300ms", "--drain"]);
    assert_eq!(place.run(&["cancel", "a", "--json"]).code(1).object()["answer"], "processing");
    assert_eq!(place.run(&["cancel", "a", "--processing", "--json"]).ok().object()["answer"], "requested");
    assert!(worker.wait().ok().text().contains("1 cancelled"));
    all_is_gone(&place);
    assert_eq!(place.run(&["status", "a", "--json"]).ok().object()["state"], "cancelled");
}

#[test]
fn a_stopping_worker_lets_its_command_finish() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        let place = place();
        let worker = hanging_worker(&place, &[]);
        worker.signal(signal);
        until("the worker has heard of it", || worker.stderr().contains("stopping").then_some(()));
        fs::remove_file(place.path().join("hold")).unwrap();
        assert_eq!(worker.wait().ok().text(), "completed 1 job\n", "{signal:?}");
        assert_eq!(place.run(&["result", "a"]).ok().text(), "finished\n");
    }
}

#[test]
fn a_second_signal_kills_the_command_and_gives_the_job_back_uncharged() {
    let place = place();
    let worker = hanging_worker(&place, &[]);
    for words in ["stopping: waiting", "stopping now"] {
        // A signal right after the first is the same request, so it is sent until it counts.
        until("the worker has heard of it", || {
            worker.signal(Signal::INT);
            worker.stderr().contains(words).then_some(())
        });
    }
    // A claim under way when the worker is asked to stop may lease the job once more; it is then
    // given back once more.
    let ended = worker.wait().code(130);
    let ended = ended.text();
    assert!(ended.starts_with("completed 0 jobs, ") && ended.ends_with(" given back\n"), "{ended}");
    all_is_gone(&place);
    let job = place.run(&["status", "a", "--json"]).ok().object();
    assert_eq!((&job["state"], &job["attempts_made"]), (&"queued".into(), &0.into()));
}

#[test]
fn a_worker_reports_every_event_to_programs() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    let objects = place.run(&["work", "--exec", "cat", "--drain", "--json"]).ok().objects();
    let events: Vec<&str> = objects.iter().filter_map(|object| object["event"].as_str()).collect();
    assert_eq!(events, ["started", "completed", "summary"]);
}

#[test]
fn text_and_json_results_are_marked_by_what_they_are_and_others_as_their_payload() {
    let place = place();
    for (id, payload_type, exec, result_type) in [
        ("text-of-json", "application/json", "echo done", "text/plain"),
        ("json-of-text", "text/plain", "echo '[1]'", "application/json"),
        ("other", "application/msgpack", "printf '\\200'", "application/msgpack"),
    ] {
        place.run(&["enqueue", "{}", "--id", id, "--content-type", payload_type]).ok();
        place.run(&["work", "--exec", exec, "--drain"]).ok();
        let shown = place.run(&["show", id, "--json"]).ok().object();
        assert_eq!(shown["result"]["content_type"], result_type, "{id}");
    }
}
