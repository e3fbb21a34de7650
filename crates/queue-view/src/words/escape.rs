//! Escapes stored text, so that it acts neither on a terminal nor on the text around it.

use std::{borrow::Cow, fmt::Write};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Characters that take no space or look like a blank, so that two different texts look alike.
const INVISIBLE: [std::ops::RangeInclusive<char>; 9] = [
    '\u{34f}'..='\u{34f}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{2065}'..='\u{2065}',
    '\u{3164}'..='\u{3164}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{e0000}'..='\u{e0fff}',
];

/// One line of words, in which anything that would control a terminal, reorder or hide text, or
/// begin another line is written as `\u{1b}`, `\n` or the like.
pub fn escaped(text: &str) -> Cow<'_, str> {
    but(text, &[])
}

/// Bytes that a user asked to see: lines and tabs stay, and bytes that are not UTF-8 become `\xff`.
pub fn escaped_lines(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        shown.push_str(&but(chunk.valid(), &['\n', '\t']));
        for byte in chunk.invalid() {
            write!(shown, "\\x{byte:02x}").expect("writing to a string does not fail");
        }
    }
    shown
}

/// JSON, in which such characters occur in strings alone: they become `\u001b`, which means the
/// same to a program.
pub fn escaped_json(text: String) -> String {
    if !text.contains(is_active) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_active(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(escaped, "\\u{unit:04x}").expect("writing to a string does not fail");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn but<'t>(text: &'t str, kept: &[char]) -> Cow<'t, str> {
    let is_shown = |character: char| !is_active(character) || kept.contains(&character);
    if text.chars().all(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            character if is_shown(character) => escaped.push(character),
            '\t' | '\r' | '\n' => escaped.extend(character.escape_default()),
            character => escaped.extend(character.escape_unicode()),
        }
    }
    Cow::Owned(escaped)
}

/// Whether a character acts on the text around it, or on the terminal, rather than being displayed.
fn is_active(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    let acts = matches!(
        character.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    );
    acts || INVISIBLE.iter().any(|range| range.contains(&character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_what_reorders_or_hides_text_is_spelled_out() {
        for (given, shown) in [
            ("\u{1b}]0;gone\u{7}", "\\u{1b}]0;gone\\u{7}"),
            ("a\nb\r\tc", "a\\nb\\r\\tc"),
            ("\u{7f}\u{80}\u{9b}31m", "\\u{7f}\\u{80}\\u{9b}31m"),
            ("\u{202e}cba\u{2069}", "\\u{202e}cba\\u{2069}"),
            ("a\u{200b}\u{200f}\u{2028}\u{feff}", "a\\u{200b}\\u{200f}\\u{2028}\\u{feff}"),
            ("\u{ad}\u{61c}\u{3164}\u{e0041}", "\\u{ad}\\u{61c}\\u{3164}\\u{e0041}"),
        ] {
            assert_eq!(escaped(given), shown);
        }
    }

    #[test]
    fn what_people_write_stays() {
        for text in ["", "plain", "é e\u{301} ж 字 שלום", "\u{1F600} \u{2764}\u{fe0f}", "C:\\new", "a\u{a0}b"]
        {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn every_control_character_is_escaped_everywhere() {
        for character in ('\0'..='\u{ffff}').filter(|character| character.is_control()) {
            let text = character.to_string();
            assert!(escaped(&text).is_ascii() && !escaped(&text).contains(char::is_control), "{character:?}");
            let object = serde_json::json!({ &text: text }).to_string();
            let escaped = escaped_json(object.clone());
            assert!(!escaped.contains(char::is_control), "{escaped:?}");
            let back: serde_json::Value = serde_json::from_str(&escaped).unwrap();
            assert_eq!(back.to_string(), object);
        }
    }

    #[test]
    fn json_says_the_same_to_a_program() {
        let value = serde_json::json!({"a\u{202e}": ["\u{9b}", "\u{e0041}", "é\u{1F600}\\u{1b}"]});
        let escaped = escaped_json(value.to_string());
        assert!(escaped.contains("\\u009b") && escaped.contains("\\udb40\\udc41"), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }

    #[test]
    fn content_keeps_its_lines_and_shows_bytes_that_are_no_text() {
        assert_eq!(escaped_lines(b"a\tb\n\x1b[2J\xff\xc3("), "a\tb\n\\u{1b}[2J\\xff\\xc3(");
    }
}
