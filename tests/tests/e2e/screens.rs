//! `queue top` on a terminal: keys, sizes, signals, a token that may not, and what it says where
//! there is no terminal.

use crate::{
    place,
    remote_working::keep,
    serving::{Served, token},
};
use queue_e2e::{CommandDirectory, TerminalScreen};
use rustix::process::Signal;

const SIZE: (u16, u16) = (100, 30);

/// A store with a failed job and one that waits.
fn filled() -> CommandDirectory {
    let place = place();
    place.run(&["enqueue", "x", "--id", "receipt-1", "--kind", "receipt", "--max-attempts", "1"]).ok();
    place.run(&["work", "--exec", "echo no route >&2; exit 65", "--drain"]).code(1);
    place.run(&["enqueue", r#"{"to":"ada"}"#, "--id", "welcome-1"]).ok();
    place
}

#[test]
fn a_walk_through_the_views_ends_with_the_terminal_as_it_was() {
    let place = filled();
    let mut screen = TerminalScreen::start(&place, SIZE, &["top"]);
    screen.wait_for("DONE/MIN");
    screen.keys("\r");
    screen.wait_for("CANCELLED");
    screen.keys("\r");
    screen.wait_for("welcome-1");
    screen.keys("jk\r");
    screen.wait_for("enqueued");
    screen.keys("v");
    screen.wait_for(r#"{"to":"ada"}"#);
    screen.keys("\u{1b}");
    screen.wait_for("receipt-1");
    screen.keys("4");
    screen.wait_for("EXAMPLE");
    for (key, word) in
        [("5", "schedule."), ("6", "present."), ("7", "record."), ("?", "choose"), ("?1", "DONE/MIN")]
    {
        screen.keys(key);
        screen.wait_for(word);
    }
    screen.resize((40, 12));
    screen.wait_for("Overview]");
    screen.resize((3, 2));
    screen.resize(SIZE);
    screen.wait_for("DONE/MIN");
    screen.keys("q");
    assert_eq!(screen.end().0, 0);
}

#[test]
fn a_change_is_made_after_a_yes() {
    let place = filled();
    let mut screen = TerminalScreen::start(&place, SIZE, &["top", "--job", "receipt-1"]);
    screen.wait_for("enqueued");
    screen.keys("R");
    screen.wait_for("y/n");
    screen.keys("y");
    screen.wait_for("again");
    screen.keys("q");
    assert_eq!(screen.end().0, 0);
    assert_eq!(place.run(&["status", "receipt-1", "--json"]).ok().object()["state"], "queued");
    let mut screen = TerminalScreen::start(&place, SIZE, &["top", "--read-only"]);
    screen.wait_for("DONE/MIN");
    screen.keys("P");
    screen.wait_for("--read-only");
    screen.keys("yq");
    assert_eq!(screen.end().0, 0);
    assert_eq!(place.run(&["stats", "--json"]).ok().object()["paused"], false);
}

#[test]
fn signals_and_ctrl_c_give_the_terminal_back() {
    let place = filled();
    for signal in [Signal::TERM, Signal::INT] {
        let mut screen = TerminalScreen::start(&place, SIZE, &["top"]);
        screen.wait_for("DONE/MIN");
        screen.signal(signal);
        assert_eq!(screen.end().0, 0);
    }
    let mut screen = TerminalScreen::start(&place, SIZE, &["top"]);
    screen.wait_for("DONE/MIN");
    screen.keys("\u{3}");
    assert_eq!(screen.end().0, 0);
}

#[test]
fn a_token_that_may_not_is_refused_with_its_reason_and_not_with_an_empty_screen() {
    let place = filled();
    keep(&place, "view.token", &token(&place, &["view"]));
    let served = Served::start(&place, &["--tokens", "tokens.json"]);
    let url = format!("http://{}", served.address());
    let top = ["top", "--server", &url, "--token-file", "view.token"];
    let refused = place.run(&[&top[..], &["--once"]].concat());
    assert!(refused.code != 0 && refused.stderr.contains("lacks the scope store"), "{refused:?}");
    let screen = TerminalScreen::start(&place, SIZE, &top);
    let (code, shown) = screen.end();
    assert!(code == refused.code && shown.contains("lacks the scope store"), "{code}: {shown:?}");
    served.kill();
}

#[test]
fn without_a_terminal_one_view_is_text_and_a_screen_is_refused() {
    let place = filled();
    let refused = place.run(&["top"]).code(2);
    assert!(refused.stderr.contains("--once prints one view"), "{refused:?}");
    place.run(&["top", "--once", "--json"]).code(2);
    place.run(&["top", "--once", "--view", "queue", "--queue", "none"]).code(3);
    place.run(&["top", "--once", "--store", "sqlite:none.db"]).code(2);
    place.run(&["top", "--once", "--view", "jobs", "--filter", "state=gone"]).code(2);
    let overview = place.run(&["top", "--once"]).ok();
    assert!(overview.text().contains("has due jobs and no worker"), "{overview:?}");
    let job = place.run(&["top", "--once", "--job", "receipt-1"]).ok();
    assert!(job.text().contains("no route") && !job.text().contains("text/plain"), "{job:?}");
    let job = place.run(&["top", "--once", "--job", "welcome-1", "--payload"]).ok();
    assert!(job.text().contains(r#"{"to":"ada"}"#), "{job:?}");
    let jobs = place.run(&["top", "--once", "--view", "jobs", "--filter", "state=failed"]).ok();
    assert!(jobs.text().contains("receipt-1") && !jobs.text().contains("welcome-1"), "{jobs:?}");
}
