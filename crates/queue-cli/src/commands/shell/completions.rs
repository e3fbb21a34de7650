//! The command `queue completions`: prints the script with which a shell completes the arguments.

use crate::{
    completion,
    exit::{CliError, Exit},
    output::{OnTerminal, Output},
};
use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = "\
The script asks this program for candidates: commands, options and their values, and the queues and kinds of the store that the
line or $QUEUE_STORE names, if the store answers at once. Write it again after an update of the program.

bash  queue completions bash > ~/.local/share/bash-completion/completions/queue
zsh   queue completions zsh > ~/.zfunc/_queue, in a directory of $fpath
fish  queue completions fish > ~/.config/fish/completions/queue.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell that the script is for
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, out: Output) -> Result<Exit, CliError> {
    let shell = args.shell.to_string();
    let script = completion::script(&shell).ok_or_else(|| CliError::unforeseen(&shell))?;
    out.content(&script, OnTerminal::Escape)?;
    Ok(Exit::Ok)
}
