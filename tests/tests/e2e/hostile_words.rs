//! No stored text controls the terminal of its reader, whatever the command.

use crate::{
    hostile_store::{FATES, NAME, QUIET, TAG, TEXT, fill, id},
    place,
};
use queue_e2e::{CommandDirectory, CommandRun, Terminal, until};
use rustix::process::Signal;
use std::fs;

/// One way to run a command.
struct Look {
    arguments: Vec<String>,
    /// Whether standard output is stored bytes, unchanged except on a terminal.
    is_bytes: bool,
    /// Whether it draws on a terminal, so that only other output is checked.
    draws: bool,
}

fn look(arguments: &[&str]) -> Look {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    Look { arguments, is_bytes: false, draws: false }
}

fn bytes(arguments: &[&str]) -> Look {
    Look { is_bytes: true, ..look(arguments) }
}

fn drawing(arguments: &[&str]) -> Look {
    Look { draws: true, ..look(arguments) }
}

/// The command on every job of the store, and on one that does not exist.
fn on_each(command: &[&str], make: fn(&[&str]) -> Look) -> Vec<Look> {
    let ids = FATES.iter().map(|fate| id(fate)).chain([NAME.to_owned()]);
    ids.map(|id| make(&[&[command[0], &id], &command[1..]].concat())).collect()
}

/// A name that no file should have.
fn file() -> String {
    format!("no{}", TEXT.replace('/', ""))
}

fn schedule() -> Vec<Look> {
    vec![
        look(&["schedule", "add", NAME, TEXT, "--every", "1h"]),
        look(&["schedule", "add", TEXT, "--every", "1h"]),
        look(&["schedule", "add", NAME, "--cron", TEXT, "--zone", TEXT]),
        look(&["schedule", "ls"]),
        look(&["schedule", "show", NAME]),
        look(&["schedule", "next", NAME]),
        look(&["schedule", "pause", NAME]),
        look(&["schedule", "resume", NAME]),
        look(&["schedule", "run", NAME]),
        look(&["schedule", "rm", NAME]),
        look(&["schedule", "rm", TEXT]),
    ]
}

fn enqueue() -> Vec<Look> {
    let file = file();
    vec![
        look(&["enqueue", TEXT, "--id", &id("new")]),
        look(&["enqueue", TEXT, "--id", &id("failed")]),
        look(&["enqueue", TEXT, "--id", &id("completed")]),
        look(&["enqueue", TEXT, "--ids", "payload"]),
        look(&["enqueue", TEXT, "--tag", TEXT]),
        look(&["enqueue", TEXT, "--tag", TAG, "--header", &format!("{NAME}={TEXT}")]),
        look(&["enqueue", TEXT, "--header", TEXT]),
        look(&["enqueue", TEXT, "--id", &id("new"), "--kind", &format!("queue.{NAME}")]),
        look(&["enqueue", TEXT, "--id", &id("new"), "--on-failure", &format!("queue.{NAME}")]),
        look(&["enqueue", TEXT, "--id", &id("runs"), "--debounce", "5s"]),
        look(&["enqueue", "x", "--wait", "--timeout", "0s", "--id", &id("failed")]),
        bytes(&["enqueue", "x", "--wait", "--timeout", "1h", "--id", &id("completed")]),
        drawing(&["enqueue", "--lines", &file]),
        drawing(&["enqueue", "--lines", &file, "--ids", "payload"]),
        look(&["enqueue", "--lines", &format!("{file}.not")]),
    ]
}

/// The ways to run a command on hostile text. A new command needs a line here.
fn looks(command: &str) -> Vec<Look> {
    let file = file();
    match command {
        "enqueue" => enqueue(),
        "work" => {
            let exec = "printf '\\033[31mboom\\n\\233' >&2; exit 65";
            vec![
                look(&["work", "--exec", exec, "--drain", "--queue", QUIET]),
                look(&["work", "--exec", "true", "--result-type", TEXT]),
            ]
        }
        "schedule" => schedule(),
        "lead" => vec![look(&["lead", NAME, "--exec", "true"]), look(&["lead", TEXT, "--exec", "true"])],
        "status" | "promote" | "delete" => on_each(&[command], look),
        "cancel" => [on_each(&["cancel"], look), vec![look(&["cancel", "--tag", TAG])]].concat_all(),
        "show" => [on_each(&["show"], look), on_each(&["show", "--payload"], bytes)].concat_all(),
        "result" => on_each(&["result"], bytes),
        "wait" => on_each(&["wait", "--timeout", "0s"], bytes),
        "redrive" => {
            let mut looks = on_each(&["redrive"], look);
            looks.push(look(&["redrive", "--all-failed"]));
            looks.push(look(&["redrive", "--tag", TAG]));
            looks
        }
        "queues" => vec![look(&["queues"])],
        "errors" => vec![look(&["errors"])],
        "workers" => vec![look(&["workers"])],
        "drain" => vec![look(&["drain", NAME]), look(&["drain", TEXT])],
        "list" => vec![
            look(&["list"]),
            look(&["list", "--limit", "1"]),
            look(&["list", "--state", TEXT]),
            look(&["list", "--tag", TAG]),
            look(&["list", "--tag", TEXT]),
            look(&["list", "--id-prefix", TEXT]),
            look(&["list", "--kind", NAME, "--worker", NAME]),
        ],
        "stats" => vec![look(&["stats"]), look(&["stats", "--queue", &id("none")])],
        "prune" => vec![
            look(&["prune", "--tag", TAG]),
            look(&["prune"]),
            look(&["prune", "--everything"]),
            look(&["prune", "--everything", "--yes"]),
        ],
        "pause" | "resume" | "verify" => vec![look(&[command])],
        "fsck" | "dump" => {
            vec![look(&[command, &file]), look(&[command, "."]), look(&[command, &directory()])]
        }
        "migrate" => vec![
            look(&["migrate"]),
            look(&["migrate", "--store", &format!("sqlite:{file}/{file}")]),
            look(&["migrate", "--store", &format!("{TEXT}:")]),
            look(&["migrate", "--store", &format!("postgres://127.0.0.1:1/{file}")]),
            bytes(&["migrate", "--print", "--schema", NAME]),
        ],
        "completions" => vec![bytes(&["completions", "bash"]), look(&["completions", TEXT])],
        "man" => vec![look(&["man", &format!("pages{file}")]), look(&["man", &file])],
        // The command ends when it is told to, so it has a test of its own.
        "events" => vec![],
        other => panic!("say how `{other}` meets what is hostile"),
    }
}

/// A store of files in a directory with a hostile name.
fn directory() -> String {
    format!("files{}", file())
}

trait ConcatAll {
    fn concat_all(self) -> Vec<Look>;
}

impl<const N: usize> ConcatAll for [Vec<Look>; N] {
    fn concat_all(self) -> Vec<Look> {
        self.into_iter().flatten().collect()
    }
}

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
