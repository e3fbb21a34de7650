//! No stored text controls the terminal of its reader, under any command.

use crate::{
    hostile_looks::{Look, directory, file, looks},
    hostile_store::{NAME, TEXT, fill, id},
    place,
};
use queue_e2e::{CommandDirectory, CommandRun, Terminal, until};
use rustix::process::Signal;
use std::fs;

/// The stores as they were filled.
struct Original(CommandDirectory);

impl Original {
    fn new() -> Self {
        let place = place();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            fill(&place.url()).await;
            fill(&format!("file:{}", place.path().join(directory()).display())).await;
        });
        fs::write(place.path().join(file()), format!("{TEXT}\n{TEXT}\n")).expect("there is room");
        Self(place)
    }

    /// A copy for each run, since some commands change the store.
    fn copy(&self) -> CommandDirectory {
        let copy = place();
        for name in ["queue.db".to_owned(), file()] {
            fs::copy(self.0.path().join(&name), copy.path().join(&name)).expect("there is room");
        }
        let to = copy.path().join(directory());
        fs::create_dir(&to).expect("the place is fresh");
        for entry in fs::read_dir(self.0.path().join(directory())).expect("it was filled") {
            let entry = entry.expect("readable");
            fs::copy(entry.path(), to.join(entry.file_name())).expect("there is room");
        }
        copy
    }
}

/// Whether a character would control a terminal, or the text around it.
fn acts(character: char) -> bool {
    (character.is_control() && character != '\n')
        || matches!(character, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[track_caller]
fn assert_harmless(how: &str, arguments: &[&str], output: &[u8]) {
    let text = std::str::from_utf8(output).unwrap_or_else(|_| panic!("{how} {arguments:?} wrote {output:?}"));
    let found = text.find(acts);
    assert_eq!(found, None, "{how} {arguments:?} wrote {:?}", &text[found.unwrap_or(0)..]);
}

#[track_caller]
fn assert_nothing_forged(how: &str, arguments: &[&str], output: &str) {
    let forged = output.lines().find(|line| line.starts_with("error: forged"));
    assert_eq!(forged, None, "{how} {arguments:?}");
}

#[test]
fn nothing_that_was_stored_acts_on_a_terminal() {
    let original = Original::new();
    for command in queue_cli::commands() {
        for look in looks(&command) {
            let queue =
                if look.arguments.iter().any(|argument| argument == "--queue") { None } else { Some(NAME) };
            let options = queue.map(|name| ["--queue", name]).into_iter().flatten();
            let arguments: Vec<&str> = look.arguments.iter().map(String::as_str).chain(options).collect();
            check(&original, &look, &arguments);
        }
    }
}

fn check(original: &Original, look: &Look, arguments: &[&str]) {
    let CommandRun { stdout, stderr, .. } = original.copy().run(arguments);
    assert_harmless("standard error of", arguments, stderr.as_bytes());
    assert_nothing_forged("standard error of", arguments, &stderr);
    if !look.is_bytes {
        assert_harmless("standard output of", arguments, &stdout);
        assert_nothing_forged("standard output of", arguments, &String::from_utf8_lossy(&stdout));
    }
    if !look.draws {
        let shown = Terminal { columns: 80, typed: "no\n" }.run(&original.copy(), arguments);
        // On a terminal, stored bytes keep only their lines and tabs.
        let shown = if look.is_bytes { shown.text().replace('\t', " ") } else { shown.text().to_owned() };
        assert_harmless("the terminal of", arguments, shown.as_bytes());
    }
    let json = [arguments, &["--json"]].concat();
    let CommandRun { stdout, stderr, .. } = original.copy().run(&json);
    assert_harmless("standard error of", &json, stderr.as_bytes());
    // Scripts for a shell or a database are unchanged.
    if arguments[0] != "completions" && !arguments.contains(&"--print") {
        assert_harmless("standard output of", &json, &stdout);
        assert_objects("standard output of", &json, &stdout);
    }
    assert_objects("standard error of", &json, stderr.as_bytes());
}

/// Asserts one object per line, for programs that read line by line.
#[track_caller]
fn assert_objects(how: &str, arguments: &[&str], output: &[u8]) {
    for line in String::from_utf8_lossy(output).lines() {
        let object = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(line);
        assert!(object.is_ok(), "{how} {arguments:?} wrote {line:?}, which is no object");
    }
}

#[test]
fn changes_that_are_followed_do_not_act_on_a_terminal() {
    let original = Original::new();
    for format in [&[][..], &["--json"]] {
        let place = original.copy();
        let following = place.start(&[&["events", "--queue", NAME], format].concat());
        until("it follows", || {
            let said = [following.stdout(), following.stderr().into_bytes()].concat();
            String::from_utf8_lossy(&said).contains("following").then_some(())
        });
        place.run(&["cancel", &id("waits"), "--queue", NAME]).ok();
        until("it is told", || {
            String::from_utf8_lossy(&following.stdout()).contains("cancelled").then_some(())
        });
        following.signal(Signal::INT);
        let ran = following.wait().ok();
        assert_harmless("standard output of", &["events"], &ran.stdout);
        assert_harmless("standard error of", &["events"], ran.stderr.as_bytes());
    }
}

#[test]
fn what_stands_in_arguments_does_not_come_back_raw() {
    let place = place();
    for arguments in [
        &[TEXT][..],
        &["enqueue", "x", "--queue", TEXT],
        &["enqueue", "x", "--delay", TEXT],
        &["enqueue", "x", "--store", TEXT],
        &["status", NAME, TEXT],
    ] {
        for format in [&[][..], &["--json"]] {
            let arguments = [arguments, format].concat();
            let ran = place.run(&arguments).code(2);
            assert_harmless("standard error of", &arguments, ran.stderr.as_bytes());
            assert!(ran.stdout.is_empty(), "{ran:?}");
        }
    }
}
