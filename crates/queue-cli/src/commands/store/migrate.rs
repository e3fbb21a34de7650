//! The command `queue migrate`: brings the schema of a store up to date, or prints it as SQL for
//! Postgres.

use crate::{
    effect::Effect,
    exit::{CliError, Exit},
    globals::Globals,
    output::OnTerminal,
    session::{Missing, Session},
};
use clap::Args;
use queue::queue_postgres::{schema, schema_down};
use serde_json::json;

#[derive(Debug, Args)]
#[command(after_help = "\
Every command does this when it opens a store, so it is for people who want to choose the moment, and, with
--print, for those who change their database with a migration tool.")]
pub(crate) struct MigrateArgs {
    /// Change nothing: print the SQL that creates a new schema (Postgres)
    #[arg(long)]
    print: bool,
    /// With --print: the name of the schema
    #[arg(long, value_name = "NAME", default_value = "queue", requires = "print")]
    schema: String,
    /// With --print: print the SQL that removes the schema, including its jobs
    #[arg(long, requires = "print")]
    down: bool,
}

impl MigrateArgs {
    pub(crate) fn effect(&self) -> Effect {
        Effect::change_if(!self.print)
    }
}

pub(crate) async fn run(args: MigrateArgs, globals: &Globals) -> Result<Exit, CliError> {
    if args.print {
        let sql = if args.down { schema_down(&args.schema) } else { schema(&args.schema) }?;
        globals.output().content(sql.as_bytes(), OnTerminal::Escape)?;
        return Ok(Exit::Ok);
    }
    let session = Session::new(globals)?;
    let is_new = match session.find().await? {
        None => true,
        Some(storage) => {
            storage.close().await?;
            false
        }
    };
    let name =
        session.with_jobs(Missing::Create, async |jobs| Ok(jobs.storage().capabilities().name)).await?;
    session.out.answer(|| words(name, is_new), || json!({"store": name}))?;
    Ok(Exit::Ok)
}

fn words(name: &str, is_new: bool) -> String {
    if is_new { format!("created an empty {name} store") } else { format!("the {name} store is up to date") }
}
