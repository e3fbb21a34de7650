//! The queue that a path names.

use percent_encoding::percent_decode_str;
use queue_core::QueueName;

/// The parameter of patterns that is the name of a queue.
const PARAMETER: &str = "{queue}";

/// The queue that a path names, for a pattern that has a place for one. The router has matched the
/// two, so they have the same segments. `None` also stands for what can be no name of a queue,
/// which no handler accepts either.
pub(super) fn queue_in_path(pattern: &str, path: &str) -> Option<QueueName> {
    let at = pattern.rsplit('/').position(|segment| segment == PARAMETER)?;
    let segment = path.rsplit('/').nth(at)?;
    let decoded = percent_decode_str(segment).decode_utf8().ok()?;
    QueueName::new(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::queue_in_path;

    #[test]
    fn the_queue_is_found_where_the_pattern_has_it_and_decoded_once() {
        const PATTERN: &str = "/v1/queues/{queue}/jobs/{id}";
        for (path, expected) in [
            ("/v1/queues/mail/jobs/1", Some("mail")),
            ("/v1/queues/a%2Fb/jobs/queues%2Fmail", Some("a/b")),
            ("/v1/queues/%2561/jobs/1", Some("%61")),
            ("/prefix/v1/queues/mail/jobs/1", Some("mail")),
            ("/v1/queues/../jobs/1", Some("..")),
            ("/v1/queues/%00/jobs/1", None),
            ("/v1/queues/%ff/jobs/1", None),
            ("/v1/queues//jobs/1", None),
        ] {
            assert_eq!(queue_in_path(PATTERN, path).as_ref().map(AsRef::as_ref), expected, "{path}");
        }
        assert!(queue_in_path("/v1/settle", "/v1/settle").is_none());
    }
}
