//! A part of a server that belongs to one test.

/// The URL of a schema or a namespace of its own.
pub(crate) fn apart(url: &str, part: &str, name: &str) -> String {
    let mark = if url.contains('?') { '&' } else { '?' };
    format!("{url}{mark}{part}={name}_{}", std::process::id())
}
