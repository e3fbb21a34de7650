//! Completion of zsh, which loads a script from `$fpath` at the first Tab and expects candidates of
//! that call already.

use clap::Command;
use clap_complete::env::{EnvCompleter, Zsh as Sourced};
use std::{ffi::OsString, io, path::Path};

/// Calls the function of the script where zsh has loaded the script as the function `_queue`.
const AT_FIRST_TAB: &str = r#"
if [ "$funcstack[1]" = "_queue" ]; then
    _clap_dynamic_completer_queue "$@"
fi
"#;

/// The script of clap, which completes at the first Tab too.
pub(super) struct Zsh;

impl EnvCompleter for Zsh {
    fn name(&self) -> &'static str {
        Sourced.name()
    }

    fn is(&self, name: &str) -> bool {
        Sourced.is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        Sourced.write_registration(var, name, bin, completer, out)?;
        out.write_all(AT_FIRST_TAB.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        directory: Option<&Path>,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        Sourced.write_complete(command, words, directory, out)
    }
}
