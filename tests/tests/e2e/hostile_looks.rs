//! The ways to run each command on hostile text.

use crate::hostile_store::{FATES, NAME, QUIET, TAG, TEXT, id};

/// One way to run a command.
pub(crate) struct Look {
    pub(crate) arguments: Vec<String>,
    /// Whether standard output is stored bytes, unchanged except on a terminal.
    pub(crate) is_bytes: bool,
    /// Whether it draws on a terminal, so that only other output is checked.
    pub(crate) draws: bool,
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
pub(crate) fn file() -> String {
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

fn batch() -> Vec<Look> {
    let file = file();
    vec![
        look(&["batch", "ls"]),
        look(&["batch", "show", NAME]),
        look(&["batch", "show", TEXT]),
        look(&["batch", "open", NAME, "--on-end", NAME]),
        look(&["batch", "open", "new", "--on-end", &format!("{NAME}={TEXT}")]),
        look(&["batch", "open", TEXT, "--callbacks-in", TEXT]),
        look(&["batch", "add", NAME, TEXT, "--id", &id("failed")]),
        drawing(&["batch", "add", NAME, "--lines", &file]),
        look(&["batch", "add", TEXT, "x"]),
        look(&["batch", "seal", NAME]),
        look(&["batch", "cancel", NAME]),
        look(&["batch", "abandon", NAME]),
        look(&["batch", "retry", NAME]),
        look(&["batch", "sweep", NAME]),
        look(&["batch", "sweep", TEXT, "--number", "1"]),
    ]
}

fn limits() -> Vec<Look> {
    vec![
        look(&["limits", "set", "--partition", NAME, "--running", "3"]),
        look(&["limits", "set", "--partition", TEXT, "--running", "3"]),
        look(&["limits", "set", "--each", "--running", TEXT]),
        look(&["limits", "ls"]),
        look(&["partitions"]),
        look(&["partitions", "--after", TEXT]),
        look(&["partitions", "--sort", TEXT]),
        look(&["limits", "rm", "--partition", NAME]),
    ]
}

fn bulk() -> Vec<Look> {
    vec![
        look(&["bulk", "redrive", "--state", "failed", "--id", NAME]),
        look(&["bulk", "cancel", "--state", TEXT]),
        look(&["bulk", "delete", "--state", "failed", "--dry-run", "--tag", TAG]),
        look(&["bulk", "delete", "--state", "failed", "--tag", TAG]),
        look(&["bulk", "retain", "none", "--state", "failed", "--tag", TAG, "--yes"]),
        look(&["bulk", "stop", NAME]),
        look(&["bulk", "stop", TEXT]),
        look(&["bulk", "run", NAME]),
    ]
}

fn serve() -> Vec<Look> {
    vec![
        look(&["serve"]),
        look(&["serve", "--tokens", TEXT]),
        look(&["serve", "--no-auth", "--listen", TEXT]),
        look(&["serve", "--no-auth", "--allow-origin", TEXT]),
    ]
}

fn token() -> Vec<Look> {
    vec![
        look(&["token", "new", "--tokens", "tokens", "--scope", "work", "--note", NAME]),
        look(&["token", "new", "--tokens", "tokens", "--scope", TEXT]),
        look(&["token", "ls", "--tokens", TEXT]),
        look(&["token", "revoke", "--tokens", TEXT, TEXT]),
        look(&["token", "rotate-key", "--key-file", TEXT]),
    ]
}

fn pause() -> Vec<Look> {
    vec![
        look(&["pause"]),
        look(&["pause", "--kind", NAME, "--for", "1h"]),
        look(&["pause", "--worker", NAME]),
        look(&["pause", "--until", TEXT]),
    ]
}

fn doctor() -> Vec<Look> {
    vec![look(&["doctor", "--restored", "--accept", TEXT]), look(&["doctor", "--bundle", &file()])]
}

/// The screen itself has tests of its own.
fn top() -> Vec<Look> {
    let views = ["overview", "queue", "jobs", "errors", "schedules", "workers", "operations"];
    let mut looks: Vec<Look> = views.map(|view| look(&["top", "--once", "--view", view])).into();
    looks.extend(FATES.iter().map(|fate| look(&["top", "--once", "--job", &id(fate), "--payload"])));
    looks.push(look(&["top", "--once", "--view", "jobs", "--filter", TEXT]));
    looks.push(look(&["top", "--once", "--filter", TEXT]));
    looks
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
pub(crate) fn looks(command: &str) -> Vec<Look> {
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
        "amend" => on_each(&["amend", "--payload", TEXT, "--priority", "1"], look),
        "cancel" => [on_each(&["cancel"], look), vec![look(&["cancel", "--tag", TAG])]].concat_all(),
        "show" => [on_each(&["show"], look), on_each(&["show", "--payload"], bytes)].concat_all(),
        "result" => on_each(&["result"], bytes),
        "wait" => on_each(&["wait", "--timeout", "0s"], bytes),
        "redrive" => {
            let several = vec![look(&["redrive", "--all-failed"]), look(&["redrive", "--tag", TAG])];
            [on_each(&["redrive"], look), several].concat_all()
        }
        "batch" => batch(),
        "bulk" => bulk(),
        "limits" => limits(),
        "partitions" => vec![look(&["partitions", "--sort", "fullest"])],
        "serve" => serve(),
        "token" => token(),
        "operations" | "queues" | "errors" | "workers" | "verify" => vec![look(&[command])],
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
        "top" => top(),
        "stats" => vec![look(&["stats"]), look(&["stats", "--queue", &id("none")])],
        "prune" => vec![
            look(&["prune", "--tag", TAG]),
            look(&["prune"]),
            look(&["prune", "--everything"]),
            look(&["prune", "--everything", "--yes"]),
        ],
        "copy" => {
            vec![look(&["copy", "sqlite:queue.db", "file:b", "--give-back"]), look(&["copy", TEXT, TEXT])]
        }
        "doctor" => doctor(),
        "pause" => pause(),
        "resume" => vec![look(&["resume"]), look(&["resume", "--kind", NAME])],
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
        // The command ends when it is asked to, so it has a test of its own.
        "events" => vec![],
        other => panic!("say how `{other}` meets what is hostile"),
    }
}

/// A store of files in a directory with a hostile name.
pub(crate) fn directory() -> String {
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
