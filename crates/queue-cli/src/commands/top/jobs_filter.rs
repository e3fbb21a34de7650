//! Which jobs the view of jobs shows.

use crate::commands::selection::narrowed;
use queue::{Kind, WorkerId, operations::Standing, queue_core::Tag};
use std::{fmt, str::FromStr};

/// The longest beginning of an id.
const PREFIX_BYTES_MAX: usize = 255;

/// How jobs stand, as a key goes through them; parked ones are among the scheduled.
const STANDINGS: [Option<Standing>; 8] = [
    None,
    Some(Standing::Queued),
    Some(Standing::Scheduled),
    Some(Standing::Processing),
    Some(Standing::Failing),
    Some(Standing::Failed),
    Some(Standing::Completed),
    Some(Standing::Cancelled),
];

/// Jobs that match every part. Its text is `state=failed kind=charge tag=a worker=w beginning`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct JobsFilter {
    pub(super) standing: Option<Standing>,
    pub(super) kind: Option<Kind>,
    pub(super) tag: Option<Tag>,
    pub(super) worker: Option<WorkerId>,
    /// How their ids begin.
    pub(super) id_prefix: Option<String>,
}

impl JobsFilter {
    /// The choices of states, and which of them is this one's.
    pub(super) fn standings(&self) -> [(Option<Standing>, bool); 8] {
        STANDINGS.map(|standing| (standing, standing == self.standing))
    }

    /// The same with the state so many places on.
    pub(super) fn turned(&self, by: usize) -> Self {
        let place = STANDINGS.iter().position(|standing| *standing == self.standing).unwrap_or(0);
        Self { standing: STANDINGS[(place + by) % STANDINGS.len()], ..self.clone() }
    }

    /// How the library selects these jobs, newest first where nothing orders them.
    pub(super) fn of(&self, jobs: queue::Jobs) -> queue::Jobs {
        let found = match self.standing {
            None => jobs.newest_first(),
            Some(Standing::Queued) => jobs.due(),
            Some(Standing::Scheduled | Standing::Parked) => jobs.scheduled(),
            Some(Standing::Processing) => jobs.processing().newest_first(),
            Some(Standing::Failing) => jobs.failing().newest_first(),
            Some(Standing::Completed) => jobs.completed().newest_first(),
            Some(Standing::Failed) => jobs.failed().newest_first(),
            Some(Standing::Cancelled) => jobs.cancelled().newest_first(),
        };
        narrowed(
            found,
            self.kind.as_ref(),
            self.tag.as_ref(),
            self.worker.as_ref(),
            self.id_prefix.as_deref(),
        )
    }
}

impl FromStr for JobsFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut filter = Self::default();
        for word in text.split_whitespace() {
            let said = |error: &dyn fmt::Display| format!("{word:?}: {error}");
            match word.split_once('=') {
                Some(("state", state)) => {
                    filter.standing = Some(state.parse().map_err(|error| said(&error))?);
                }
                Some(("kind", kind)) => filter.kind = Some(Kind::new(kind).map_err(|error| said(&error))?),
                Some(("tag", tag)) => filter.tag = Some(Tag::new(tag).map_err(|error| said(&error))?),
                Some(("worker", id)) => {
                    filter.worker = Some(WorkerId::new(id).map_err(|error| said(&error))?);
                }
                _ if word.len() > PREFIX_BYTES_MAX => return Err("no id is as long as this".to_owned()),
                _ if filter.id_prefix.is_some() => {
                    return Err("one word is the beginning of an id, and there are two".to_owned());
                }
                _ => filter.id_prefix = Some(word.to_owned()),
            }
        }
        Ok(filter)
    }
}

impl fmt::Display for JobsFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.standing.map(|standing| format!("state={standing}")),
            self.kind.as_ref().map(|kind| format!("kind={kind}")),
            self.tag.as_ref().map(|tag| format!("tag={tag}")),
            self.worker.as_ref().map(|worker| format!("worker={worker}")),
            self.id_prefix.clone(),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::JobsFilter;

    #[test]
    fn a_filter_is_what_its_text_says() {
        let text = "state=failed kind=charge tag=a worker=w charge-00";
        let filter: JobsFilter = text.parse().unwrap();
        assert_eq!(filter.to_string(), text);
        assert_eq!("".parse(), Ok(JobsFilter::default()));
        for wrong in ["state=gone", "kind=", "a b", &"x".repeat(256)] {
            assert!(wrong.parse::<JobsFilter>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_key_goes_through_all_states_and_back() {
        let mut filter: JobsFilter = "kind=k".parse().unwrap();
        for _ in 0..8 {
            assert_eq!(filter.standings().iter().filter(|(_, is_own)| *is_own).count(), 1);
            filter = filter.turned(1);
        }
        assert_eq!(filter.to_string(), "kind=k");
        assert_eq!(filter.turned(7).turned(1), filter);
    }
}
