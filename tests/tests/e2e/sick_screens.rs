//! `queue top` over servers that hang, end and come back, and on terminals without colours or
//! without a cursor.

use crate::{place, remote_working::keep, serving::Served};
use queue_e2e::TerminalScreen;
use rustix::process::Signal;
use std::net::TcpListener;

const SIZE: (u16, u16) = (100, 30);

/// A server that takes connections and answers nothing, and its URL. The system itself takes them.
fn silent() -> (TcpListener, String) {
    let server = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}", server.local_addr().expect("it is bound"));
    (server, url)
}

#[test]
fn a_server_that_never_answers_keeps_no_key_waiting() {
    let (place, (_server, url)) = (place(), silent());
    for end in ["q", "\u{3}"] {
        let mut screen = TerminalScreen::start(&place, SIZE, &["top", "--server", &url]);
        screen.wait_to_see("! nothing was read yet: the store has not answered for ");
        screen.resize((40, 12));
        screen.wait_to_see("[1 Overview] of 1 to 7");
        screen.keys("?");
        screen.wait_to_see("choose a row");
        screen.keys("x6");
        screen.wait_to_see("[6 Workers]");
        screen.keys(end);
        assert_eq!(screen.end().0, 0);
    }
}

#[test]
fn a_server_that_hangs_ends_and_comes_back_is_told_with_the_age_of_what_is_shown() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    let made =
        place.run(&["token", "new", "--tokens", "tokens.json", "--queue", "*", "--scope", "store"]).ok();
    keep(&place, "store.token", made.text());
    let options = ["--tokens", "tokens.json"];
    let served = Served::start(&place, &options);
    let (address, url) = (served.address().to_owned(), format!("http://{}", served.address()));
    let top = ["top", "--server", &url, "--token-file", "store.token"];
    let mut screen = TerminalScreen::start(&place, SIZE, &top);
    screen.wait_to_see("1 due, 0 processing");
    served.suspend();
    screen.wait_to_see(" s old: the store has not answered for ");
    screen.wait_to_see("1 due, 0 processing");
    served.kill();
    screen.wait_to_see(" s old: no server can be reached at ");
    let again = Served::start_at(&place, &address, &options);
    place.run(&["enqueue", "x", "--id", "b"]).ok();
    screen.wait_to_see("2 due, 0 processing");
    assert!(!screen.seen().contains(" old: "), "{}", screen.seen());
    again.suspend();
    screen.keys("Py");
    screen.wait_to_see("asking the store");
    screen.keys("q");
    let (code, written) = screen.end();
    assert!(code == 0 && written.contains("may have been done all the same"), "{code}: {written:?}");
    again.kill();
}

#[test]
fn signals_give_the_terminal_back_while_a_server_hangs() {
    let (place, (_server, url)) = (place(), silent());
    for signal in [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT] {
        let mut screen = TerminalScreen::start(&place, SIZE, &["top", "--server", &url]);
        screen.wait_to_see("queue top: all queues");
        screen.signal(signal);
        assert_eq!(screen.end().0, 0, "{signal:?}");
    }
}

#[test]
fn no_color_leaves_out_colours_and_nothing_else() {
    let (place, (_server, url)) = (place(), silent());
    for (variables, has_colours) in
        [(&[("NO_COLOR", "1")][..], false), (&[("NO_COLOR", "")], true), (&[], true)]
    {
        let mut screen = TerminalScreen::start_with(&place, SIZE, &["top", "--server", &url], variables);
        screen.wait_to_see("! nothing was read yet");
        screen.keys("q");
        let (code, written) = screen.end();
        // Foregrounds and backgrounds, by number or by shade; 39 and 49 are the ones of the
        // terminal.
        let colours = ["[38;", "[48;", "[31m", "[32m", "[33m"];
        let found = colours.iter().any(|colour| written.contains(&format!("\u{1b}{colour}")));
        assert_eq!((code, found), (0, has_colours), "{variables:?}: {written:?}");
        assert!(written.contains("\u{1b}[1m"), "bold stays: {written:?}");
    }
}

#[test]
fn a_dumb_terminal_gets_lines_and_no_screen() {
    let place = place();
    place.run(&["enqueue", "x", "--id", "a"]).ok();
    let dumb = [("TERM", "dumb")];
    let (code, written) = TerminalScreen::start_with(&place, SIZE, &["top"], &dumb).end();
    assert!(code == 2 && written.contains("--once prints one view"), "{code}: {written:?}");
    let (code, written) = TerminalScreen::start_with(&place, SIZE, &["top", "--once"], &dumb).end();
    assert!(code == 0 && !written.contains('\u{1b}'), "{code}: {written:?}");
    let mut watched = TerminalScreen::start_with(&place, SIZE, &["stats", "--watch"], &dumb);
    watched.wait_to_see("scheduled");
    watched.signal(Signal::INT);
    let (_, written) = watched.end();
    assert!(!written.contains('\u{1b}'), "{written:?}");
}
