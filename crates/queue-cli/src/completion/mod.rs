//! How a shell completes the command: it runs the program again with the line so far, and the
//! program prints the candidates.
//!
//! The names of queues and kinds are read from the store that the line or the environment names,
//! within [`LONGEST`](stored_names::LONGEST). A store that is missing, does not answer or refuses
//! has no candidates, and no error ever reaches the terminal in the middle of a line.

mod bash;
mod line;
mod stored_names;
mod zsh;

use crate::{args::Cli, opener::Opener};
use bash::Bash;
use clap::{Arg, Command, CommandFactory};
use clap_complete::{
    ArgValueCandidates, CompletionCandidate,
    env::{CompleteEnv, Elvish, Fish, Powershell, Shells},
};
use line::Line;
use queue::{Kind, QueueName};
use std::{any::TypeId, env, process::ExitCode, sync::Arc};
use stored_names::{StoredNames, is_plain};
use zsh::Zsh;

/// The variable by which a script asks; its value is the name of the shell.
const VARIABLE: &str = "QUEUE_COMPLETE";
/// The name under which scripts find the program.
const PROGRAM: &str = "queue";
const SHELLS: Shells<'static> = Shells(&[&Bash, &Elvish, &Fish, &Powershell, &Zsh]);

/// The script with which a shell completes the command, if there is one for this shell.
pub(crate) fn script(shell: &str) -> Option<Vec<u8>> {
    let mut script = Vec::new();
    let shell = SHELLS.completer(shell)?;
    shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script).ok()?;
    Some(script)
}

/// Answers a script; `None` if it is no script that has started the program.
pub(crate) fn answer(opener: &Opener) -> Option<ExitCode> {
    env::var_os(VARIABLE)?;
    let line = Line::of_arguments();
    let names = Arc::new(StoredNames::new(line.before(), opener.clone()));
    let complete = CompleteEnv::with_factory(|| with_candidates(Cli::command(), &names));
    let complete = complete.var(VARIABLE).bin(PROGRAM).completer(PROGRAM).shells(SHELLS);
    match complete.try_complete(env::args_os(), env::current_dir().ok().as_deref()) {
        Ok(false) => None,
        Ok(true) => Some(ExitCode::SUCCESS),
        Err(_) => Some(ExitCode::FAILURE),
    }
}

/// The command with names of the store for each argument that takes a queue or a kind.
fn with_candidates(command: Command, names: &Arc<StoredNames>) -> Command {
    let command = command.mut_args(|argument| with_names(argument, names));
    command.mut_subcommands(|subcommand| with_candidates(subcommand, names))
}

fn with_names(argument: Arg, names: &Arc<StoredNames>) -> Arg {
    let value = argument.get_value_parser().type_id();
    let list = if value == TypeId::of::<QueueName>() {
        StoredNames::queues
    } else if value == TypeId::of::<Kind>() {
        StoredNames::kinds
    } else {
        return argument;
    };
    let names = names.clone();
    argument.add(ArgValueCandidates::new(move || {
        list(&names).into_iter().filter(|name| is_plain(name)).map(CompletionCandidate::new).collect()
    }))
}
