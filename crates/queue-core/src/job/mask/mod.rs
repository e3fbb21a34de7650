//! Masks values that look like secrets in the text of errors.

mod shapes;

#[cfg(test)]
mod tests;

use regex::{Captures, Regex};
use std::{ops::Range, sync::LazyLock};

const MASK: &str = "***";
/// The passes over a text. The first one masks what it finds, and the next one finds nothing more,
/// unless a mask completes the shape of another secret. A text that still changes after all of
/// them was written to do so, and is masked as a whole.
const PASSES_MAX: usize = 8;

/// Compiled when the first error is stored: a program without failures pays nothing.
static SHAPES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&shapes::pattern()).expect("a test compiles this constant"));

/// Replaces what looks like a secret by `***`: values of names such as `password`, `token` and
/// `DB_PASS`, passwords in URLs, credentials of headers and cookies, private keys in PEM, hashes of
/// passwords, and tokens that begin like the tokens of well-known services or of `queue serve`. A
/// text that was masked is not changed again.
///
/// It takes time linear in the length of the text. It is a safety net for error texts, not a
/// guarantee: it knows shapes and no values. It lets through a secret that no name announces, such
/// as a word in the middle of a sentence or a bare key in hexadecimal; what follows a blank, a
/// comma, `;` or `&` in a value without quotes; and what is encoded, other than by `%3D` for `=`.
/// So keep secrets out of messages.
///
/// ```
/// use queue_core::mask_secrets;
///
/// assert_eq!(mask_secrets("postgres://app:hunter2@db/jobs"), "postgres://app:***@db/jobs");
/// assert_eq!(mask_secrets("DB_PASS=hunter2 failed"), "DB_PASS=*** failed");
/// assert_eq!(mask_secrets("unexpected token: }"), "unexpected token: }");
/// ```
pub fn mask_secrets(text: &str) -> String {
    let mut masked = text.to_owned();
    for _ in 0..PASSES_MAX {
        match pass(&masked) {
            None => return masked,
            Some(changed) => masked = changed,
        }
    }
    MASK.to_owned()
}

/// The value of a header, masked as [`mask_secrets`] masks the text `name: value`.
pub fn mask_header(name: &str, value: &str) -> String {
    let masked = mask_secrets(&format!("{name}: {value}"));
    let value = masked.strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
    value.unwrap_or(MASK).to_owned()
}

/// The text with the secrets masked that one pass finds, or `None` if it finds none.
fn pass(text: &str) -> Option<String> {
    let mut masked = String::new();
    let (mut kept_from, mut at) = (0, 0);
    while let Some(found) = SHAPES.captures_at(text, at) {
        let Some(secret) = secret(&found) else {
            at = found.get(0)?.end();
            continue;
        };
        at = secret.end;
        if &text[secret.clone()] != MASK {
            masked.push_str(&text[kept_from..secret.start]);
            masked.push_str(MASK);
            kept_from = secret.end;
        }
    }
    (kept_from > 0).then(|| masked + &text[kept_from..])
}

/// The one group that took part in a match. A match without one is harmless text.
fn secret(found: &Captures<'_>) -> Option<Range<usize>> {
    found.iter().skip(1).flatten().next().map(|group| group.range())
}
