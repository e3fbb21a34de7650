//! Which jobs a page or an operation means.

use crate::{
    problem::{Result, WebProblem},
    visit::Fields,
    words::moment,
};
use queue::operations::{Operation, Standing};
use queue_core::{Direction, Kind, ListFilter, State, Tag, Timestamp, Walk, WorkerId};

/// The longest beginning of an id.
const PREFIX_BYTES_MAX: usize = 255;

/// Which jobs are meant: those that match every part.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobFilter {
    pub(crate) standing: Option<Standing>,
    pub(crate) kind: Option<Kind>,
    pub(crate) tag: Option<Tag>,
    pub(crate) worker: Option<WorkerId>,
    pub(crate) id_prefix: Option<String>,
    /// Those that came into their state at this time or later, in milliseconds.
    pub(crate) since_ms: Option<i64>,
}

/// A choice of a form.
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) label: String,
    pub(crate) is_current: bool,
}

impl JobFilter {
    /// The filter of an address or of a form.
    pub(crate) fn of(fields: &Fields) -> Result<Self> {
        let standing = fields.get("state").map(str::parse::<Standing>).transpose();
        let since = fields.get("since").map(str::parse::<i64>).transpose();
        let id_prefix = fields.get("prefix").map(str::to_owned);
        if id_prefix.as_ref().is_some_and(|prefix| prefix.len() > PREFIX_BYTES_MAX) {
            return Err(WebProblem::invalid("No id is as long as this beginning of one."));
        }
        Ok(Self {
            standing: standing.map_err(|words| WebProblem::invalid(format!("{words}.")))?,
            kind: fields.get("kind").map(Kind::new).transpose()?,
            tag: fields.get("tag").map(Tag::new).transpose()?,
            worker: fields.get("worker").map(WorkerId::new).transpose()?,
            id_prefix,
            since_ms: since.map_err(|_| WebProblem::invalid("`since` is a time in milliseconds."))?,
        })
    }

    /// How a store lists these jobs.
    pub(crate) fn listing(&self) -> (Walk, ListFilter) {
        let newest = Direction::NewestFirst;
        let filter = ListFilter {
            kind: self.kind.clone(),
            worker: self.worker.clone(),
            id_prefix: self.id_prefix.clone(),
            entered: self
                .since_ms
                .map(|since| Timestamp::from_millis(since)..Timestamp::from_millis(i64::MAX)),
            ..ListFilter::default()
        };
        let state = self.standing.map(state_of);
        match (&self.tag, self.standing) {
            (Some(tag), _) => {
                let states = state.into_iter().collect();
                (Walk::Tagged(tag.clone(), newest), ListFilter { states, ..filter })
            }
            (None, Some(Standing::Queued)) => (Walk::Due, filter),
            (None, Some(Standing::Scheduled | Standing::Parked)) => (Walk::Scheduled, filter),
            (None, Some(standing)) => (Walk::State(state_of(standing), newest), filter),
            (None, None) => (Walk::All(newest), filter),
        }
    }

    /// An operation on these jobs: on all that its action applies to, if no state is named.
    pub(crate) fn narrow(&self, mut operation: Operation, is_for: impl Fn(Standing) -> bool) -> Operation {
        let standings = match self.standing {
            Some(standing) => vec![standing],
            None => Standing::ALL.into_iter().filter(|standing| is_for(*standing)).collect(),
        };
        for standing in standings {
            operation = operation.standing(standing);
        }
        if let Some(kind) = &self.kind {
            operation = operation.kind(kind);
        }
        if let Some(tag) = &self.tag {
            operation = operation.tag(tag.as_str());
        }
        if let Some(worker) = &self.worker {
            operation = operation.worker(worker);
        }
        if let Some(prefix) = &self.id_prefix {
            operation = operation.id_prefix(prefix.clone());
        }
        match self.since_ms {
            Some(since) => operation.since(Timestamp::from_millis(since)),
            None => operation,
        }
    }

    /// The parts that are given, as fields of a form.
    pub(crate) fn fields(&self) -> Vec<(&'static str, String)> {
        let parts = [
            ("state", self.standing.map(|standing| standing.to_string())),
            ("kind", self.kind.as_ref().map(ToString::to_string)),
            ("tag", self.tag.as_ref().map(ToString::to_string)),
            ("worker", self.worker.as_ref().map(ToString::to_string)),
            ("prefix", self.id_prefix.clone()),
            ("since", self.since_ms.map(|since| since.to_string())),
        ];
        parts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// The choices of how far back to look, as seen now.
    pub(crate) fn since_choices(&self, now: Timestamp) -> Vec<Choice> {
        const HOUR_MS: i64 = 3_600_000;
        let any = Choice {
            value: String::new(),
            label: "any time".to_owned(),
            is_current: self.since_ms.is_none(),
        };
        let own = self.since_ms.map(|since| Choice {
            value: since.to_string(),
            label: format!("since {}", moment(Timestamp::from_millis(since), now).absolute),
            is_current: true,
        });
        let lately = [(1, "the last hour"), (24, "the last day"), (7 * 24, "the last 7 days")];
        let lately = lately.map(|(hours, label)| Choice {
            value: now.as_millis().saturating_sub(hours * HOUR_MS).to_string(),
            label: label.to_owned(),
            is_current: false,
        });
        [any].into_iter().chain(own).chain(lately).collect()
    }

    /// The value of a part, for the form.
    pub(crate) fn shown(&self, name: &str) -> String {
        let found = self.fields().into_iter().find(|(part, _)| *part == name);
        found.map(|(_, value)| value).unwrap_or_default()
    }

    /// Whether anything but the state is given.
    pub(crate) fn is_narrow(&self) -> bool {
        self.fields().iter().any(|(name, _)| *name != "state")
    }
}

const fn state_of(standing: Standing) -> State {
    match standing {
        Standing::Queued | Standing::Scheduled | Standing::Parked => State::Queued,
        Standing::Processing => State::Processing,
        Standing::Failing => State::Failing,
        Standing::Completed => State::Completed,
        Standing::Failed => State::Failed,
        Standing::Cancelled => State::Cancelled,
    }
}
