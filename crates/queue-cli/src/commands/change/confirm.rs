//! The question before records are removed that nothing brings back.

use crate::{
    exit::{CliError, Exit},
    output,
};
use clap::Args;

/// The option that answers the question in advance.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ConfirmArgs {
    /// Where many jobs are removed: do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Asks a person whether to remove; a script has to say `--yes`.
pub(crate) fn confirm(what: &str) -> Result<(), CliError> {
    refuse_without_a_person(what)?;
    if output::is_yes(what)? { Ok(()) } else { Err(CliError::new(Exit::Negative, "nothing was removed")) }
}

/// Refuses where there is no person to ask, before anything is opened or counted.
pub(crate) fn refuse_without_a_person(what: &str) -> Result<(), CliError> {
    if output::can_ask() { Ok(()) } else { Err(CliError::invalid(format!("{what}; add --yes to confirm"))) }
}
