//! `queue token`: who may use a service, and by which keys it knows its receipts.

use crate::{
    effect::Effect,
    exit::{CliError, Exit},
    globals::Globals,
    output::{self, Format, Output},
    parse,
};
use clap::{Args, Subcommand};
use queue::{
    SystemRng,
    queue_core::{Clock, QueueGlob, Span, SystemClock, Timestamp},
};
use queue_http::{NewToken, Proof, ReceiptKeys, Scope, TokenRecord};
use serde_json::json;
use std::{path::PathBuf, time::Duration};

#[derive(Debug, Args)]
#[command(after_help = "\
The file holds what each token may do and a digest of its secret, never the secret. `queue serve` refuses a file that
others can read, and reads it again at SIGHUP: until then a new token is unknown and a revoked one still good.
Exits with 3 if there is no such token.")]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, Subcommand)]
enum TokenCommand {
    /// Make a token and print it, this once
    New(NewArgs),
    /// List the tokens
    Ls(FileArgs),
    /// Remove a token from the file
    Revoke(RevokeArgs),
    /// Add a key for receipts to a key file, or make the file
    RotateKey(RotateArgs),
}

#[derive(Debug, Args)]
struct FileArgs {
    /// The file of tokens
    #[arg(long, value_name = "FILE", env = "QUEUE_TOKENS")]
    tokens: PathBuf,
}

#[derive(Debug, Args)]
struct NewArgs {
    #[command(flatten)]
    file: FileArgs,
    /// What it allows; may be repeated
    #[arg(
        long,
        value_name = "SCOPE",
        required = true,
        value_parser = parse::one_of::<Scope>(Scope::ALL.map(Scope::name))
    )]
    scope: Vec<Scope>,
    /// A pattern of queue names, with `*` for any text, beside the one of --queue; may be repeated
    #[arg(long, value_name = "PATTERN")]
    queues: Vec<QueueGlob>,
    /// How long it is good [default: for ever]
    #[arg(long, value_name = "TIME", value_parser = parse::positive, allow_hyphen_values = true)]
    expires: Option<Duration>,
    /// What it is for
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
    /// Print no token: clients with a certificate of this subject have these rights, such as
    /// CN=mailer,O=Example
    #[arg(long, value_name = "SUBJECT")]
    subject: Option<String>,
}

#[derive(Debug, Args)]
struct RevokeArgs {
    #[command(flatten)]
    file: FileArgs,
    /// The id of the token: what is between the underscores
    id: String,
}

#[derive(Debug, Args)]
struct RotateArgs {
    /// The file of keys
    #[arg(long, value_name = "FILE", env = "QUEUE_KEY_FILE")]
    key_file: PathBuf,
    /// When servers begin to sign by the new key; until then the file has to reach all of them
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse::duration, allow_hyphen_values = true)]
    after: Duration,
}

impl TokenArgs {
    pub(crate) fn effect(&self) -> Effect {
        Effect::change_if(!matches!(self.command, TokenCommand::Ls(_)))
    }
}

pub(crate) fn run(args: TokenArgs, globals: &Globals) -> Result<Exit, CliError> {
    let out = globals.output();
    match args.command {
        TokenCommand::New(args) => new(args, globals, out),
        TokenCommand::Ls(args) => list(&args, out),
        TokenCommand::Revoke(args) => revoke(&args, out),
        TokenCommand::RotateKey(args) => rotate(&args, out),
    }
}

fn new(args: NewArgs, globals: &Globals, out: Output) -> Result<Exit, CliError> {
    let NewArgs { file, scope, mut queues, expires, note, subject } = args;
    if let Some(queue) = &globals.queue {
        queues.push(queue.as_str().parse()?);
    }
    if queues.is_empty() {
        return Err(CliError::invalid("name the queues: --queue 'mail*', or --queue '*' for all"));
    }
    if scope.contains(&Scope::Store) && !queues.iter().any(|queue| queue.to_string() == "*") {
        return Err(CliError::invalid(
            "the scope store reaches every queue, so such a token names all of them: --queue '*'",
        ));
    }
    let token = NewToken::new(scope, queues).note(note);
    let token = match expires {
        Some(length) => token.expires_at(after(now(), length)),
        None => token,
    };
    if let Some(subject) = subject {
        let id = queue_http::add_subject(&file.tokens, token, subject, &SystemRng)?;
        out.answer(|| format!("added {id}"), || json!({"id": id}))?;
        return Ok(Exit::Ok);
    }
    let made = queue_http::add_token(&file.tokens, token, &SystemRng)?;
    let about = format!("added {}; revoke it, since its secret was not shown", made.id());
    out.secret(&about, || made.reveal(), || json!({"id": made.id(), "token": made.reveal()}))?;
    if out.format() == Format::Human {
        output::note("this is the only time that it is shown; a server takes it after a SIGHUP");
    }
    Ok(Exit::Ok)
}

fn list(args: &FileArgs, out: Output) -> Result<Exit, CliError> {
    let records = queue_http::list_tokens(&args.tokens)?;
    let now = now();
    if out.format() == Format::Json {
        for record in &records {
            out.object(&object(record))?;
        }
        return Ok(Exit::Ok);
    }
    let row = |record: &TokenRecord| {
        let scopes: Vec<&str> = record.scopes.iter().map(Scope::name).collect();
        let queues: Vec<&str> = record.queues.iter().map(QueueGlob::as_str).collect();
        vec![
            record.id.clone(),
            scopes.join(" "),
            queues.join(" "),
            record.expires_at.map_or_else(|| "never".to_owned(), |end| left(end, now)),
            subject(record).unwrap_or_default().to_owned(),
            record.note.clone(),
        ]
    };
    let header = ["ID", "SCOPES", "QUEUES", "EXPIRES", "SUBJECT", "NOTE"];
    out.text(output::table(header, records.iter().map(row)))?;
    Ok(Exit::Ok)
}

fn revoke(args: &RevokeArgs, out: Output) -> Result<Exit, CliError> {
    let id = &args.id;
    if !queue_http::revoke_token(&args.file.tokens, id)? {
        return Err(CliError::new(Exit::NotFound, format!("there is no token {id:?}")));
    }
    out.answer(|| format!("revoked {id}"), || json!({"id": id, "answer": "revoked"}))?;
    if out.format() == Format::Human {
        output::note("servers refuse it once they have read the file again, at SIGHUP");
    }
    Ok(Exit::Ok)
}

fn rotate(args: &RotateArgs, out: Output) -> Result<Exit, CliError> {
    let id = ReceiptKeys::rotate(&args.key_file, &SystemRng, now(), args.after)?;
    out.answer(|| format!("added the key {id:08x}"), || json!({"key": format!("{id:08x}")}))?;
    Ok(Exit::Ok)
}

fn object(record: &TokenRecord) -> serde_json::Value {
    json!({
        "id": record.id,
        "scopes": record.scopes.iter().map(Scope::name).collect::<Vec<_>>(),
        "queues": record.queues.iter().map(QueueGlob::as_str).collect::<Vec<_>>(),
        "expires_at": record.expires_at.map(Timestamp::as_millis),
        "subject": subject(record),
        "note": record.note,
    })
}

fn subject(record: &TokenRecord) -> Option<&str> {
    match &record.proof {
        Proof::Subject(subject) => Some(subject),
        _ => None,
    }
}

fn left(end: Timestamp, now: Timestamp) -> String {
    if end <= now {
        return "over".to_owned();
    }
    let seconds = Duration::from_secs(end.since(now).as_secs());
    format!("in {}", humantime::format_duration(seconds))
}

fn now() -> Timestamp {
    SystemClock.now()
}

fn after(time: Timestamp, length: Duration) -> Timestamp {
    let millis = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
    time + Span::from_millis(millis)
}
