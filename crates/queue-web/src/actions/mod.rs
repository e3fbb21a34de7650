//! What visitors do: forms of the pages, each of which leaves its record before it begins and sends
//! the browser back to a page.

mod batches;
mod bulk;
mod change;
mod enqueue;
mod pauses;
mod put_schedule;
mod reveal;
mod schedules;
mod session;
mod workers;

pub(crate) use batches::{seal_batch, stop_batch};
pub(crate) use bulk::{cancel_operation, count_jobs, start_operation};
pub(crate) use change::{JobAction, change_jobs};
pub(crate) use enqueue::enqueue;
pub(crate) use pauses::{pause, resume};
pub(crate) use put_schedule::put_schedule;
pub(crate) use reveal::{download, reveal};
pub(crate) use schedules::change_schedule;
pub(crate) use session::{log_in, log_out, set_look};
pub(crate) use workers::set_duty;

use crate::{
    answer::{self, Answer},
    problem::{Result, WebProblem},
    visit::{Visit, back},
};

impl Visit {
    /// Sends the browser back to where the form was, with what was done.
    fn done(&self, did: &str, count: u64, not: u64) -> Answer {
        let wanted = self.form.get("back").and_then(back);
        let link = wanted.unwrap_or_else(|| self.link("", &[]));
        let separator = if link.contains('?') { '&' } else { '?' };
        answer::see(&format!("{link}{separator}did={did}&n={count}&not={not}"))
    }

    /// A field that the form must have.
    fn required(&self, name: &'static str) -> Result<&str> {
        self.form.get(name).ok_or_else(|| WebProblem::invalid(format!("The form has no `{name}`.")))
    }
}
