//! Completions for shells, and manual pages.

use crate::place;
use queue_e2e::{CommandDirectory, until};
use std::{fs, net::TcpListener, process::Command};

/// What is asked for, once it is there: a store that does not answer at once, on a busy machine,
/// has no candidates.
fn until_there(mut ask: impl FnMut() -> Vec<String>) -> Vec<String> {
    until("candidates", || Some(ask()).filter(|answer| !answer.is_empty()))
}

/// How a shell asks, by the protocol of its script: this is the word under the cursor.
fn candidates(place: &CommandDirectory, shell: &str, line: &[&str]) -> Vec<String> {
    let mut ask = place.command(&[&["--"], line].concat());
    ask.env("QUEUE_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", (line.len() - 1).to_string());
    let answer = ask.output().expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&answer.stderr), "", "{line:?}");
    let answer = String::from_utf8(answer.stdout).expect("text");
    let value = |line: &str| line.split([':', '\t']).next().unwrap_or_default().to_owned();
    answer.lines().map(value).collect()
}

#[test]
fn commands_options_and_values_are_completed_in_every_shell() {
    let place = place();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.run(&["completions", shell]).ok();
        assert!(script.text().contains("QUEUE_COMPLETE"), "the script of {shell} does not ask");
        assert_eq!(candidates(&place, shell, &["queue", "enq"]), ["enqueue"], "{shell}");
        let options = candidates(&place, shell, &["queue", "prune", "--finished"]);
        assert_eq!(options, ["--finished-before"], "{shell}");
        let states = candidates(&place, shell, &["queue", "list", "--state", "fail"]);
        assert_eq!(states, ["failing", "failed"], "{shell}");
    }
    place.run(&["completions", "cmd"]).code(2);
}

#[test]
fn queues_and_kinds_are_those_of_the_store_that_the_line_names() {
    let place = place();
    for (queue, kind) in [("mail", "email"), ("mail", "$(reboot)"), ("video", "encode")] {
        place.run(&["enqueue", "x", "--store", "sqlite:own.db", "--queue", queue, "--kind", kind]).ok();
    }
    let of = |words: &[&str]| {
        let line = [&["queue", "list", "--store", "sqlite:own.db"], words].concat();
        until_there(|| candidates(&place, "zsh", &line))
    };
    assert_eq!(of(&["--queue", ""]), ["mail", "video"]);
    assert_eq!(of(&["--queue", "mail", "--kind", ""]), ["email"], "a shell would run the other one");
    assert_eq!(of(&["--queue=video", "--kind", "enc"]), ["encode"]);
    assert!(candidates(&place, "zsh", &["queue", "list", "--queue", ""]).is_empty(), "no store is named");
    assert!(!place.path().join("queue.db").exists(), "completing makes no store");
}

#[test]
fn a_store_that_never_answers_has_no_candidates() {
    let place = place();
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("redis://{}/", silent.local_addr().expect("it is bound"));
    assert!(candidates(&place, "zsh", &["queue", "list", "--store", &url, "--queue", ""]).is_empty());
}

/// The cursor is at the end of the line, which bash cuts into these words.
#[test]
fn bash_completes_a_queue_of_a_store_by_its_script() {
    let place = place();
    place.run(&["enqueue", "x", "--store", "sqlite:own.db", "--queue", "app:mail"]).ok();
    let script = place.run(&["completions", "bash"]).ok().text().to_owned();
    fs::write(place.path().join("queue.bash"), script).unwrap();
    let program = place.command(&[]);
    std::os::unix::fs::symlink(program.get_program(), place.path().join("queue")).unwrap();
    let ask = r#"
        PATH=$PWD:$PATH
        . ./queue.bash
        COMP_WORDS=(queue list --store sqlite : own.db --queue = app : m) COMP_CWORD=10 COMP_TYPE=9
        _clap_complete_queue queue m :
        printf '%s\n' "${COMPREPLY[@]}""#;
    let answer = until_there(|| {
        let mut bash = Command::new("bash");
        let answer = bash.args(["--norc", "-c", ask]).current_dir(place.path()).output();
        let answer = answer.expect("bash is here");
        assert_eq!(String::from_utf8_lossy(&answer.stderr), "");
        let text = String::from_utf8_lossy(&answer.stdout);
        text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    });
    assert_eq!(answer, ["mail"]);
}

#[test]
fn every_command_has_a_manual_page() {
    let place = place();
    assert_eq!(place.run(&["man", "share/man1"]).ok().text(), "wrote manual pages to share/man1\n");
    let page =
        |name: &str| fs::read_to_string(place.path().join("share/man1").join(name)).unwrap_or_default();
    assert!(page("queue.1").contains("queue\\-enqueue(1)"), "{}", page("queue.1"));
    for command in queue_cli::commands() {
        assert!(page(&format!("queue-{command}.1")).contains(".SH SYNOPSIS"), "{command} has no page");
    }
    fs::write(place.path().join("file"), "").unwrap();
    assert!(place.run(&["man", "file"]).code(2).stderr.contains("cannot write manual pages to file"));
}
