//! The scripts, one file per verb under `lua/`, and the parts that they share under `lua/part/`.
//!
//! A line `-- @part name` stands for the text of that part. Each script is put together once per process.

use std::sync::LazyLock;

/// A script as the server gets it, and the digest by which the server knows it.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) text: String,
    pub(crate) sha: String,
}

const PART: &str = "-- @part ";

/// Declares one static per file, and the list of all of them.
macro_rules! scripts {
    ($($name:ident = $file:literal;)*) => {
        $(pub(crate) static $name: LazyLock<Script> =
            LazyLock::new(|| Script::new(include_str!(concat!("../lua/", $file, ".lua"))));)*

        /// Every script with the name of its file.
        #[cfg(test)]
        pub(crate) static ALL: &[(&str, &LazyLock<Script>)] = &[$(($file, &$name)),*];
    };
}

macro_rules! parts {
    ($($file:literal),*) => {
        /// The text of a part.
        fn part(name: &str) -> &'static str {
            match name {
                $($file => include_str!(concat!("../lua/part/", $file, ".lua")),)*
                _ => panic!("no part is called {name}, which is a bug"),
            }
        }
    };
}

scripts! {
    ANNOUNCE = "announce";
    DRAIN_WORKER = "drain_worker";
    APPLY = "apply";
    CLAIM = "claim";
    COUNTS = "counts";
    DUMP = "dump";
    ENQUEUE = "enqueue";
    FEED = "feed";
    GET = "get";
    HELD = "held";
    LAPSED = "lapsed";
    LAYOUT = "layout";
    LIST = "list";
    NAMES = "names";
    PAUSE = "pause";
    PRUNE = "prune";
    QUEUES = "queues";
    REGISTER = "register";
    TIME = "time";
    WORKERS = "workers";
}

parts!("admit", "hints", "jobs", "publish", "queue", "room", "shapes", "state", "write");

impl Script {
    fn new(verb: &str) -> Self {
        let text = with_parts(verb);
        let sha = redis::Script::new(&text).get_hash().to_owned();
        Self { text, sha }
    }
}

/// Comments and indentation stay out: the server keeps the text.
fn with_parts(text: &str) -> String {
    let mut whole = String::new();
    for line in text.lines() {
        match line.strip_prefix(PART) {
            Some(name) => whole.push_str(&with_parts(part(name))),
            None if line.trim_start().starts_with("--") => {}
            None => {
                whole.push_str(line.trim_start());
                whole.push('\n');
            }
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A user that lacks one is told when it opens the store.
    #[test]
    fn every_command_of_a_script_is_tried_when_a_store_is_opened() {
        let tried = |command: &str| LAYOUT.text.contains(&format!("{{ '{command}'"));
        for (name, script) in ALL {
            let called = script.text.split("call('").skip(1).filter_map(|rest| rest.split('\'').next());
            for command in called {
                assert!(tried(command), "{command} of {name}");
            }
        }
        assert!(!tried("FLUSHALL"));
    }

    #[test]
    fn every_script_begins_with_its_flags_and_has_its_parts() {
        for (name, script) in ALL {
            assert!(script.text.starts_with("#!lua"), "{name}");
            assert!(!script.text.contains("@part"), "{name}");
            assert_eq!(script.sha.len(), 40, "{name}");
        }
    }
}
