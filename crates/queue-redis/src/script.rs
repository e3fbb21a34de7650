//! The scripts, one file per verb under `lua/`, and the parts that they share under `lua/part/`.
//!
//! A line `-- @part name` stands for the text of that part, and a name that a line `local NAME = 1`
//! gives to a constant for that constant. Each script is put together once per process.

use std::{collections::HashMap, sync::LazyLock};

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
    SET_DUTY = "set_duty";
    APPLY = "apply";
    ATTEMPTS = "attempts";
    CLAIM = "claim";
    COUNTS = "counts";
    DUE = "due";
    DUMP = "dump";
    ENQUEUE = "enqueue";
    FEED = "feed";
    GATED = "gated";
    GET = "get";
    HELD = "held";
    IMPORT = "import";
    LAPSED = "lapsed";
    LAYOUT = "layout";
    LIMITS = "limits";
    LIST = "list";
    LISTED = "listed";
    NAMES = "names";
    PARTITIONS = "partitions";
    PAUSE = "pause";
    PAUSE_KIND = "pause_kind";
    PRUNE = "prune";
    QUEUES = "queues";
    READ_SERIES = "read_series";
    REGISTER = "register";
    RUNNING = "running";
    SCHEDULED = "scheduled";
    SET_LIMITS = "set_limits";
    TIME = "time";
    WORKERS = "workers";
    WRITE_SERIES = "write_series";
}

parts!(
    "admit",
    "bring_back",
    "changes",
    "claim_in_order",
    "claim_in_turn",
    "clear_front",
    "come_due",
    "constants",
    "gates",
    "hints",
    "jobs",
    "kinds",
    "lanes",
    "leased_front",
    "merged",
    "oldest",
    "page",
    "plan",
    "promote",
    "publish",
    "queue",
    "ranks",
    "room",
    "save_kinds",
    "save_marks",
    "settle_lanes",
    "shapes",
    "single_claim",
    "single_enqueue",
    "single_settle",
    "state",
    "sweep",
    "tail",
    "time_outs",
    "turns",
    "write"
);

impl Script {
    fn new(verb: &str) -> Self {
        let text = without_names(&with_parts(verb));
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

/// Puts constants where their names are. Each run of a script makes its functions again, and a
/// function looks up each local of the script among all that any function uses: for a single job,
/// this lookup is much of what a run costs.
fn without_names(text: &str) -> String {
    let mut constants = HashMap::new();
    let mut whole = String::new();
    for line in text.lines() {
        if let Some(named) = constants_of(line) {
            constants.extend(named);
        } else {
            push_line(&mut whole, line, &constants);
            whole.push('\n');
        }
    }
    whole
}

/// Names and values, if the line does nothing but name constants.
fn constants_of(line: &str) -> Option<Vec<(&str, &str)>> {
    let (names, values) = line.strip_prefix("local ")?.split_once(" = ")?;
    let (names, values): (Vec<_>, Vec<_>) = (names.split(", ").collect(), values.split(", ").collect());
    let is_name = |name: &&str| name.bytes().all(|c| c.is_ascii_uppercase() || c == b'_');
    let is_text = |value: &str| value.len() > 1 && value.starts_with('\'') && value.ends_with('\'');
    let is_value = |value: &&str| value.bytes().all(|c| c.is_ascii_digit()) || is_text(value);
    let are_constants =
        names.len() == values.len() && names.iter().all(is_name) && values.iter().all(is_value);
    are_constants.then(|| names.into_iter().zip(values).collect())
}

/// Writes a line with constants in place of their names; texts in quotes stay as they are.
fn push_line(whole: &mut String, line: &str, constants: &HashMap<&str, &str>) {
    for (at, code) in line.split('\'').enumerate() {
        if at > 0 {
            whole.push('\'');
        }
        if at % 2 == 1 {
            whole.push_str(code);
            continue;
        }
        for word in code.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            let name = word.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            whole.push_str(constants.get(name).unwrap_or(&name));
            whole.push_str(&word[name.len()..]);
        }
    }
}

/// What the script that applies transitions is made of, for tests that compare its constants with
/// the ones of this library.
#[cfg(test)]
pub(crate) const APPLY_TEXT: &str = include_str!("../lua/apply.lua");

/// The value that a script or one of its parts gives to a name, as it stands there.
#[cfg(test)]
pub(crate) fn constant(script: &str, name: &str) -> Option<String> {
    let whole = with_parts(script);
    let mut all = whole.lines().filter_map(constants_of).flatten();
    all.find_map(|(named, value)| (named == name).then(|| value.to_owned()))
}

/// Asserts that a script gives the same numbers to the names of these constants.
#[cfg(test)]
macro_rules! assert_same_constants {
    ($script:ident: $($name:ident),* $(,)?) => {
        $(assert_eq!(crate::script::constant($script, stringify!($name)), Some($name.to_string()), stringify!($name));)*
    };
}
#[cfg(test)]
pub(crate) use assert_same_constants;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_stand_where_their_names_were_but_not_in_texts_and_other_names() {
        let script = "local A, B_C = 1, '>B'\nlocal D = f(A)\ncall('A', A, B_C, A_B)\n";
        assert_eq!(without_names(script), "local D = f(1)\ncall('A', 1, '>B', A_B)\n");
    }

    /// A user without the right to one gets the error when it opens the store.
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
