//! The text of a notification: its origin on the first line, then one line for each event.

use queue_core::{JobChange, JobId, Seq, State};

/// The first field of a probe's line.
const PROBE: &str = "p";

/// One line of a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotificationLine {
    /// A claim on this queue may find something.
    Wake(i32),
    /// A job of this queue changed.
    Changed(i32, JobChange),
    /// The handle that sent it tests whether it receives its own notifications.
    Probe(u64),
}

/// Splits a notification into its origin and lines. A line that is not understood is left out: a
/// newer version may say more.
pub(super) fn parse(payload: &str) -> (&str, impl Iterator<Item = NotificationLine>) {
    let (origin, lines) = payload.split_once('\n').unwrap_or((payload, ""));
    (origin, lines.lines().filter_map(parse_line))
}

/// The payload of a probe.
pub(super) fn probe(origin: &str, number: u64) -> String {
    format!("{origin}\n{PROBE}\t{number}")
}

fn parse_line(line: &str) -> Option<NotificationLine> {
    // An id has no control characters, so no tab.
    let mut parts = line.split('\t');
    match parts.next()? {
        "w" => Some(NotificationLine::Wake(parts.next()?.parse().ok()?)),
        PROBE => Some(NotificationLine::Probe(parts.next()?.parse().ok()?)),
        "j" => {
            let queue = parts.next()?.parse().ok()?;
            let seq = Seq::new(parts.next()?.parse().ok()?);
            let revision = parts.next()?.parse().ok()?;
            let state = match parts.next()? {
                "-1" => None,
                code => Some(State::from_code(code.parse().ok()?)?),
            };
            let id = JobId::new(parts.next()?).ok()?;
            Some(NotificationLine::Changed(queue, JobChange { id, seq, revision, state }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{NotificationLine, parse, probe};
    use queue_core::{JobChange, JobId, Seq, State};

    #[test]
    fn each_kind_of_line_is_understood_and_others_are_left_out() {
        let payload = "me\nw\t7\nj\t7\t12\t3\t4\ta b:c\nj\t7\t13\t1\t-1\tgone\nx\t1\nj\t7\nw\tnine";
        let (origin, lines) = parse(payload);
        let change = |id, seq, revision, state| {
            NotificationLine::Changed(
                7,
                JobChange { id: JobId::from_static(id), seq: Seq::new(seq), revision, state },
            )
        };
        assert_eq!(origin, "me");
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [
                NotificationLine::Wake(7),
                change("a b:c", 12, 3, Some(State::Failed)),
                change("gone", 13, 1, None)
            ]
        );
    }

    #[test]
    fn a_probe_comes_back_as_it_was_sent() {
        let payload = probe("me", 3);
        let (origin, mut lines) = parse(&payload);
        assert_eq!((origin, lines.next(), lines.next()), ("me", Some(NotificationLine::Probe(3)), None));
        assert_eq!(parse("").1.count(), 0);
    }
}
