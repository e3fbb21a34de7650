//! A filter as pairs of text: the query of an address, a form, options of a command, a line.

use super::{InvalidFilter, JobFilter};
use queue_core::{InvalidName, Kind, NAME_BYTES_MAX, Partition, Tag, Timestamp, WorkerId};
use std::{fmt, str::FromStr};

impl JobFilter {
    /// The names of the parts, as pairs spell them.
    pub const PARTS: [&str; 8] =
        ["state", "kind", "tag", "worker", "partition", "id_prefix", "since_ms", "until_ms"];

    /// The filter that pairs of a part's name and its text spell. `state` may be given many times,
    /// every other part once; `since_ms` and `until_ms` are store times in milliseconds.
    ///
    /// # Errors
    /// The first part that is wrong, and a filter that no job can match.
    pub fn from_parts<'a>(
        parts: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, InvalidFilter> {
        let mut filter = Self::default();
        for (part, text) in parts {
            filter.put(part, text)?;
        }
        filter.check()?;
        Ok(filter)
    }

    /// The parts that are given, which [`from_parts`](Self::from_parts) reads.
    pub fn parts(&self) -> Vec<(&'static str, String)> {
        let millis = |time: Timestamp| time.as_millis().to_string();
        let states = self.states.iter().map(|standing| ("state", standing.to_string()));
        let others = [
            ("kind", self.kind.as_ref().map(ToString::to_string)),
            ("tag", self.tag.as_ref().map(ToString::to_string)),
            ("worker", self.worker.as_ref().map(ToString::to_string)),
            ("partition", self.partition.as_ref().map(ToString::to_string)),
            ("id_prefix", self.id_prefix.clone()),
            ("since_ms", self.since.map(millis)),
            ("until_ms", self.until.map(millis)),
        ];
        states.chain(others.into_iter().filter_map(|(part, text)| Some((part, text?)))).collect()
    }

    fn put(&mut self, part: &str, text: &str) -> Result<(), InvalidFilter> {
        match part {
            "state" => {
                self.states.push(text.parse()?);
                Ok(())
            }
            "kind" => set("kind", &mut self.kind, name("kind", Kind::new(text))?),
            "tag" => set("tag", &mut self.tag, name("tag", Tag::new(text))?),
            "worker" => set("worker", &mut self.worker, name("worker", WorkerId::new(text))?),
            "partition" => set("partition", &mut self.partition, name("partition", Partition::new(text))?),
            "id_prefix" if text.len() > NAME_BYTES_MAX => Err(InvalidFilter::Prefix),
            "id_prefix" => set("id_prefix", &mut self.id_prefix, text.to_owned()),
            "since_ms" => set("since_ms", &mut self.since, time("since_ms", text)?),
            "until_ms" => set("until_ms", &mut self.until, time("until_ms", text)?),
            _ => Err(InvalidFilter::Part(part.to_owned())),
        }
    }
}

fn set<T>(part: &'static str, place: &mut Option<T>, value: T) -> Result<(), InvalidFilter> {
    match place.replace(value) {
        Some(_) => Err(InvalidFilter::Repeated(part)),
        None => Ok(()),
    }
}

fn name<T>(part: &'static str, name: Result<T, InvalidName>) -> Result<T, InvalidFilter> {
    name.map_err(|why| InvalidFilter::Name { part, why })
}

fn time(part: &'static str, text: &str) -> Result<Timestamp, InvalidFilter> {
    let millis = text.parse().map_err(|_| InvalidFilter::Time { part, value: text.to_owned() })?;
    Ok(Timestamp::from_millis(millis))
}

/// The parts in one line, such as `state=failed tag=tenant-7`.
impl fmt::Display for JobFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> =
            self.parts().into_iter().map(|(part, text)| format!("{part}={text}")).collect();
        f.pad(&parts.join(" "))
    }
}

/// Reads the words of a line: each is `part=text`, and a word without `=` is the beginning of an
/// id. Texts with spaces cannot be written so.
impl FromStr for JobFilter {
    type Err = InvalidFilter;

    fn from_str(line: &str) -> Result<Self, InvalidFilter> {
        Self::from_parts(
            line.split_whitespace().map(|word| word.split_once('=').unwrap_or(("id_prefix", word))),
        )
    }
}
