//! Stored text on a page: escaped as the command escapes it, and isolated from the text around it.

use askama::filters::{Escaper, Html, HtmlSafe};
use queue_view::words::{escaped, escaped_lines};
use std::{borrow::Cow, fmt};

/// The longest text, in characters, that a page shows without being asked for the whole.
const BEGINNING_CHARS: usize = 160;

/// Stored text as an element of its own, so that its direction ends where it ends.
pub(crate) struct StoredText<'a>(Cow<'a, str>);

/// The beginning of a stored text, which opens to the whole.
pub(crate) struct LongText<'a>(Cow<'a, str>);

/// Stored text in one line.
pub(crate) fn text<T: AsRef<str> + ?Sized>(text: &T) -> StoredText<'_> {
    StoredText(escaped(text.as_ref()))
}

/// Stored text that keeps its lines, for preformatted parts.
pub(crate) fn lines<T: AsRef<str> + ?Sized>(text: &T) -> StoredText<'_> {
    StoredText(escaped_lines(text.as_ref().as_bytes()).into())
}

/// Stored text of any length, of which the beginning is shown.
pub(crate) fn long<T: AsRef<str> + ?Sized>(text: &T) -> LongText<'_> {
    LongText(escaped(text.as_ref()))
}

/// Stored text where no element can be: in titles, options and attributes.
pub(crate) fn plain<T: AsRef<str> + ?Sized>(text: &T) -> Cow<'_, str> {
    escaped(text.as_ref())
}

impl fmt::Display for StoredText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        isolated(f, &self.0)
    }
}

impl fmt::Display for LongText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((end, _)) = self.0.char_indices().nth(BEGINNING_CHARS) else { return isolated(f, &self.0) };
        f.write_str("<details class=\"long\"><summary>")?;
        isolated(f, &format!("{}…", &self.0[..end]))?;
        f.write_str("</summary>")?;
        isolated(f, &self.0)?;
        f.write_str("</details>")
    }
}

impl HtmlSafe for StoredText<'_> {}
impl HtmlSafe for LongText<'_> {}

fn isolated(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("<bdi>")?;
    Html.write_escaped_str(&mut *f, text)?;
    f.write_str("</bdi>")
}

#[cfg(test)]
mod tests {
    use super::{lines, long, plain, text};

    #[test]
    fn stored_text_is_escaped_twice_over_and_isolated() {
        assert_eq!(text("<b>\u{202e}gnp").to_string(), "<bdi>&#60;b&#62;\\u{202e}gnp</bdi>");
        assert_eq!(lines("a\nb\u{202e}").to_string(), "<bdi>a\nb\\u{202e}</bdi>");
        assert_eq!(plain("a\nb"), "a\\nb");
    }

    #[test]
    fn a_long_text_is_cut_with_a_way_to_the_whole() {
        assert_eq!(long("short").to_string(), "<bdi>short</bdi>");
        let shown = long(&"é".repeat(200)).to_string();
        assert_eq!(shown.matches('é').count(), 360, "{shown}");
        assert!(shown.starts_with("<details class=\"long\"><summary><bdi>é"), "{shown}");
    }
}
