//! The command `queue completions`: prints the script with which a shell completes the arguments.

use crate::{
    args::Cli,
    exit::{CliError, Exit},
    output::{OnTerminal, Output},
};
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

#[derive(Debug, Args)]
#[command(after_help = "\
bash  queue completions bash > ~/.local/share/bash-completion/completions/queue
zsh   queue completions zsh > ~/.zfunc/_queue, in a directory of $fpath
fish  queue completions fish > ~/.config/fish/completions/queue.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell that the script is for
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs, out: Output) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "queue", &mut script);
    out.content(&script, OnTerminal::Escape)?;
    Ok(Exit::Ok)
}
