//! What others stored must not act on a terminal, so the `queue` command has one module that
//! writes, and that escapes.

use super::finding::Finding;
use super::source::Source;

const COMMAND: &str = "crates/queue-cli/src/";
const WRITER: &str = "crates/queue-cli/src/output/";
// Written in two halves, so that no other rule or reader takes them for calls.
const WRITES: &[&str] = &[
    concat!("print", "!("),
    concat!("println", "!("),
    concat!("eprint", "!("),
    concat!("eprintln", "!("),
    concat!("stdout", "()"),
    concat!("stderr", "()"),
];

pub(super) fn check(source: &Source) -> Vec<Finding> {
    if !source.path.starts_with(COMMAND) || source.path.starts_with(WRITER) {
        return Vec::new();
    }
    let on_line = |(number, line): (usize, &str)| {
        let write = WRITES.iter().find(|write| has_call(line, write))?;
        Some(source.finding(number, format!("`{write}` goes round the module `output`, which escapes")))
    };
    source.lines().filter_map(on_line).collect()
}

/// A part of a longer name is another call.
fn has_call(line: &str, call: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(call).any(|(start, _)| !line[..start].ends_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::{WRITES, check};
    use crate::tidy::source::Source;

    #[test]
    fn each_way_round_the_writer_fails_in_the_command_alone() {
        for write in WRITES {
            let found = |path| check(&Source::new(path, format!("use std::io;\n    {write}\"x\");\n"))).len();
            assert_eq!(found("crates/queue-cli/src/commands/list.rs"), 1, "{write}");
            assert_eq!(found("crates/queue-cli/src/output/mod.rs"), 0, "{write}");
            assert_eq!(found("xtask/src/main.rs"), 0, "{write}");
        }
    }

    #[test]
    fn the_streams_of_a_child_are_its_own() {
        let text = "command.stdout(Stdio::piped());\nlet out = child.stdout.take();\nerror.use_stderr();\n";
        assert_eq!(check(&Source::new("crates/queue-cli/src/commands/work/script.rs", text)), []);
    }
}
