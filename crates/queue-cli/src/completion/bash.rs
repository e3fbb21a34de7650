//! Completion of bash, which cuts the words of a line at each `:` and `=`, as in the URL of a
//! store.

use super::line::Line;
use clap::Command;
use clap_complete::{
    engine,
    env::{Bash as Cut, EnvCompleter},
};
use std::{env, ffi::OsString, io, path::Path};

/// The variable with what the script expects between two candidates.
const SEPARATOR: &str = "_CLAP_IFS";

/// The script of clap, with an answer for whole words.
pub(super) struct Bash;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        Cut.name()
    }

    fn is(&self, name: &str) -> bool {
        Cut.is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        Cut.write_registration(var, name, bin, completer, out)
    }

    fn write_complete(
        &self,
        command: &mut Command,
        cut: Vec<OsString>,
        directory: Option<&Path>,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let line = Line::of_bash(cut);
        let candidates = engine::complete(command, line.words, line.index, directory)?;
        let texts = candidates.iter().map(|candidate| candidate.get_value().to_string_lossy());
        let texts: Vec<String> = texts.map(|text| replacement(&text, &line.prefix).to_owned()).collect();
        let separator = env::var(SEPARATOR).unwrap_or_else(|_| "\n".to_owned());
        out.write_all(texts.join(&separator).as_bytes())
    }
}

/// What bash puts in place of the end of a word, whose beginning it keeps.
fn replacement<'a>(candidate: &'a str, prefix: &str) -> &'a str {
    candidate.strip_prefix(prefix).unwrap_or(candidate)
}
