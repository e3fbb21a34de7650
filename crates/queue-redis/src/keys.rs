//! The names of keys and channels.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use queue_core::{Error, QueueName, Result};

/// The bytes that stay as they are in a hash tag. Braces, colons and the star of [`SHARED`] do not.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// The tag of what belongs to no queue: no encoded name has a star in it.
const SHARED: &str = "*";
/// What scripts call these keys is said at the top of `lua/part/queue.lua`, in the same order.
const PARTS: [&str; 12] = [
    "meta", "ids", "state", "payload", "outcome", "ready", "later", "leases", "done", "blocks", "fill",
    "listed",
];

/// The first part of every key and channel, so that several applications share a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Namespace(String);

/// Whether keys of different tags may be used together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// One server has all queues, and they share one mark of time.
    OneServer,
    /// Queues may be on different nodes, and each has its own mark.
    Cluster,
}

/// The names of everything that belongs to one queue: one hash tag, so one slot of a Cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueueKeys {
    keys: Vec<String>,
    prefix: String,
}

impl Namespace {
    /// Takes what cannot be mistaken for a hash tag: letters, digits, `-`, `_` and `.`.
    pub(crate) fn new(text: &str) -> Result<Self> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if text.is_empty() || text.len() > 64 || !text.chars().all(is_plain) {
            let advice = "a namespace is 1 to 64 letters, digits, `-`, `_` or `.`";
            return Err(Error::invalid("open", advice));
        }
        Ok(Self(text.to_owned()))
    }

    /// The keys of a queue. Names are escaped byte by byte, so that different queues never meet.
    pub(crate) fn queue(&self, queue: &QueueName, spread: Spread) -> QueueKeys {
        let tag = utf8_percent_encode(queue.as_str(), PLAIN);
        let prefix = format!("{}:{{{tag}}}:", self.0);
        let mark = match spread {
            Spread::OneServer => self.mark(),
            Spread::Cluster => format!("{prefix}mark"),
        };
        let mut keys: Vec<String> = PARTS.iter().map(|part| format!("{prefix}{part}")).collect();
        keys.push(mark);
        QueueKeys { keys, prefix }
    }

    /// Which queues there are, and their numbers.
    pub(crate) fn registry(&self) -> String {
        self.shared("queues")
    }

    /// Their names in order.
    pub(crate) fn names(&self) -> String {
        self.shared("names")
    }

    /// Workers' infos, the ends of their announcements, and the mark of time of these.
    pub(crate) fn presence(&self) -> [String; 3] {
        ["workers", "present", "mark"].map(|part| self.shared(part))
    }

    /// The keys of entries of series, the entries, the ends of their times, and the mark of time.
    pub(crate) fn series(&self) -> [String; 4] {
        ["series", "entries", "expiries", "mark"].map(|part| self.shared(part))
    }

    /// The highest time that a write to no queue, or on one server any write, was decided by.
    pub(crate) fn mark(&self) -> String {
        self.shared("mark")
    }

    /// The version of the layout of everything.
    pub(crate) fn layout(&self) -> String {
        self.shared("layout")
    }

    /// A channel without listeners, on which a right is tried.
    pub(crate) fn trial_channel(&self) -> String {
        self.shared("trial")
    }

    fn shared(&self, part: &str) -> String {
        format!("{}:{{{SHARED}}}:{part}", self.0)
    }
}

impl QueueKeys {
    /// In the order in which scripts expect them.
    pub(crate) fn all(&self) -> &[String] {
        &self.keys
    }

    /// A channel of hints: `wake`, `ends` or `feed`.
    pub(crate) fn channel(&self, topic: &str) -> String {
        format!("{}{topic}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(queue: &str) -> QueueKeys {
        let queue = QueueName::new(queue).expect("valid");
        Namespace::new("jq").expect("valid").queue(&queue, Spread::Cluster)
    }

    #[test]
    fn a_plain_name_is_legible_and_an_odd_one_cannot_escape_its_tag() {
        assert_eq!(keys("emails").all()[0], "jq:{emails}:meta");
        assert_eq!(keys("a}b{:*é").all()[0], "jq:{a%7Db%7B%3A%2A%C3%A9}:meta");
        assert_eq!(keys("*").channel("wake"), "jq:{%2A}:wake");
    }

    #[test]
    fn time_is_shared_where_keys_may_be() {
        let name = QueueName::from_static("q");
        let namespace = Namespace::new("jq").expect("valid");
        let mark = |spread| namespace.queue(&name, spread).all().last().cloned();
        assert_eq!(mark(Spread::OneServer).as_deref(), Some("jq:{*}:mark"));
        assert_eq!(mark(Spread::Cluster).as_deref(), Some("jq:{q}:mark"));
    }

    #[test]
    fn names_that_look_encoded_are_encoded_again() {
        assert_ne!(keys("a%7Db"), keys("a}b"));
    }

    #[test]
    fn a_namespace_cannot_hold_a_tag() {
        for text in ["", "a{b}", "a:b", "a b", "é", &"x".repeat(65)] {
            assert!(Namespace::new(text).is_err(), "{text:?}");
        }
        assert!(Namespace::new("team-1_jobs.v2").is_ok());
    }
}
