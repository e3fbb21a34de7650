//! Completions for shells, and manual pages.

use crate::place;
use std::fs;

#[test]
fn every_command_is_completed_in_every_shell() {
    let place = place();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.run(&["completions", shell]).ok();
        for command in ["enqueue", "promote", "finished-before"] {
            assert!(script.text().contains(command), "{shell} does not know {command}");
        }
    }
    place.run(&["completions", "cmd"]).code(2);
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
