//! Which jobs a page or an operation means, as the fields of an address or of a form say it.

use crate::{problem::Result, visit::Fields};
use queue::operations::{Action, Operation};
use queue_core::{QueueName, Timestamp};
use queue_view::{JobFilter, Standing, words::moment};

/// A choice of a form.
pub(crate) struct SinceChoice {
    pub(crate) value: String,
    pub(crate) label: String,
    pub(crate) is_current: bool,
}

/// The filter of an address or of a form. Empty fields, and fields of other parts of the page, are
/// ignored.
pub(crate) fn filter_of(fields: &Fields) -> Result<JobFilter> {
    let all = fields.without(&[]);
    Ok(JobFilter::from_parts(all.into_iter().filter(|(name, _)| JobFilter::PARTS.contains(name)))?)
}

/// An operation on the jobs of a filter: on all that its action applies to, if no state is named.
pub(crate) fn operation(queue: &QueueName, action: Action, filter: &JobFilter) -> Operation {
    let mut filter = filter.clone();
    if filter.states.is_empty() {
        filter.states = Standing::ALL.into_iter().filter(|standing| action.is_for(*standing)).collect();
    }
    Operation::on(queue, action).filter(filter)
}

/// The choices of how far back to look, as seen now.
pub(crate) fn since_choices(given: Option<Timestamp>, now: Timestamp) -> Vec<SinceChoice> {
    const HOUR_MS: i64 = 3_600_000;
    let any = SinceChoice { value: String::new(), label: "any time".to_owned(), is_current: given.is_none() };
    let own = given.map(|since| SinceChoice {
        value: since.as_millis().to_string(),
        label: format!("since {}", moment(since, now).absolute),
        is_current: true,
    });
    let lately = [(1, "the last hour"), (24, "the last day"), (7 * 24, "the last 7 days")];
    let lately = lately.map(|(hours, label)| SinceChoice {
        value: now.as_millis().saturating_sub(hours * HOUR_MS).to_string(),
        label: label.to_owned(),
        is_current: false,
    });
    [any].into_iter().chain(own).chain(lately).collect()
}

/// The text of a part, for the form.
pub(super) fn shown(filter: &JobFilter, name: &str) -> String {
    let found = filter.parts().into_iter().find(|(part, _)| *part == name);
    found.map(|(_, text)| text).unwrap_or_default()
}

/// Whether anything but the state is given.
pub(super) fn is_narrow(filter: &JobFilter) -> bool {
    filter.parts().iter().any(|(name, _)| *name != "state")
}
