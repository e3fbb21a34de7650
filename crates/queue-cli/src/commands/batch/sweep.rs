//! `queue batch sweep`: the end of the records that an abandoned batch has left.

use super::{LifeArgs, find};
use crate::{
    exit::{CliError, Exit},
    session::{Jobs, Missing, Session},
};
use queue::{
    Error, Seq,
    batches::{BatchLife, BatchName, BatchSweep},
};
use serde_json::json;

pub(super) const HELP: &str = "\
The members of an abandoned batch are kept until this is run. They are kept from then on for as long as the --keep of the batch \
said, and for 24h if its record was removed or its name was taken again. The workers of the queue do this, once all members have ended.
A batch that is not abandoned does so by itself: it is refused until it has ended, with exit code 1, and is swept already then.";

pub(super) async fn run(args: LifeArgs, session: &Session) -> Result<Exit, CliError> {
    let name = BatchName::new(&args.name).map_err(Error::from)?;
    let sweep = async |jobs: &Jobs| {
        if let Some(number) = args.number {
            let life = BatchLife::new(name, Seq::new(number));
            return Ok((number, jobs.batches().sweep(&life).await?));
        }
        let batch = find(name.as_str(), jobs, session).await?;
        Ok((batch.seq().get(), batch.sweep().await?))
    };
    let (seq, swept) = session.with_jobs(Missing::Refuse, sweep).await?;
    let name = &args.name;
    session.out.answer(
        || words(swept, &format!("{name}@{seq}")),
        || json!({"batch": name, "seq": seq, "answer": swept.as_str()}),
    )?;
    Ok(if swept == BatchSweep::Stopped { Exit::Negative } else { Exit::Ok })
}

fn words(swept: BatchSweep, batch: &str) -> String {
    match swept {
        BatchSweep::Swept => format!("swept already: {batch}"),
        BatchSweep::Stopped => {
            format!("the sweep of {batch} was cancelled or failed; a day after that it can begin again")
        }
        _ => format!("sweeping {batch}"),
    }
}
