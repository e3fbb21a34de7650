//! A filter as JSON.

use super::{InvalidFilter, JobFilter, Standing};
use queue_core::Timestamp;
use serde::{Deserialize, Serialize};

/// The parts of a filter as JSON has them. A reader refuses a part that it does not know: it would
/// mean more jobs than the writer meant.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    states: Vec<Standing>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worker: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    partition: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id_prefix: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until_ms: Option<i64>,
}

impl From<JobFilter> for Written {
    fn from(filter: JobFilter) -> Self {
        Self {
            states: filter.states,
            kind: filter.kind.map(|kind| kind.to_string()),
            tag: filter.tag.map(|tag| tag.to_string()),
            worker: filter.worker.map(|worker| worker.to_string()),
            partition: filter.partition.map(|partition| partition.to_string()),
            id_prefix: filter.id_prefix,
            since_ms: filter.since.map(Timestamp::as_millis),
            until_ms: filter.until.map(Timestamp::as_millis),
        }
    }
}

impl TryFrom<Written> for JobFilter {
    type Error = InvalidFilter;

    fn try_from(written: Written) -> Result<Self, InvalidFilter> {
        let texts = [
            ("kind", written.kind),
            ("tag", written.tag),
            ("worker", written.worker),
            ("partition", written.partition),
            ("id_prefix", written.id_prefix),
        ];
        let given: Vec<(&str, String)> =
            texts.into_iter().filter_map(|(part, text)| Some((part, text?))).collect();
        let named = Self::from_parts(given.iter().map(|(part, text)| (*part, text.as_str())))?;
        let filter = Self {
            states: written.states,
            since: written.since_ms.map(Timestamp::from_millis),
            until: written.until_ms.map(Timestamp::from_millis),
            ..named
        };
        filter.check()?;
        Ok(filter)
    }
}
