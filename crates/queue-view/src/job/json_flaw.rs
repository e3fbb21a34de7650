//! What keeps JSON from being the same to each reader.

use std::fmt;

/// Why a JSON text can be no part of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonFlaw {
    /// It is nested deeper than this many levels, at which parsers give up.
    Deep(usize),
    /// It escapes one half of a surrogate pair, such as `"\ud800"`. No text is made of it: some
    /// parsers refuse it, others change it.
    HalfPair,
}

impl JsonFlaw {
    /// The flaw of a JSON text that may be nested so deep, if it has one. Of a text that is no JSON
    /// the answer may be any. It looks at each byte once, and needs no memory, however deep the
    /// text is.
    pub fn of(json: &[u8], depth_max: usize) -> Option<Self> {
        let (mut depth, mut in_text, mut rest) = (0_usize, false, json);
        while let [byte, behind @ ..] = rest {
            rest = behind;
            match byte {
                b'\\' if in_text => match escaped(behind) {
                    Some(behind) => rest = behind,
                    None => return Some(Self::HalfPair),
                },
                b'"' => in_text = !in_text,
                _ if in_text => {}
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > depth_max {
                return Some(Self::Deep(depth_max));
            }
        }
        None
    }
}

/// What stands behind an escape that begins with these bytes; `None` if it is half of a pair.
fn escaped(text: &[u8]) -> Option<&[u8]> {
    match unit(text) {
        None => Some(text.get(1..).unwrap_or_default()),
        Some((0xD800..0xDC00, behind)) => match behind.split_first() {
            Some((b'\\', second)) => match unit(second) {
                Some((0xDC00..0xE000, behind)) => Some(behind),
                _ => None,
            },
            _ => None,
        },
        Some((0xDC00..0xE000, _)) => None,
        Some((_, behind)) => Some(behind),
    }
}

/// The number of an escape `uXXXX`, and what stands behind it.
fn unit(text: &[u8]) -> Option<(u16, &[u8])> {
    let (digits, behind) = text.strip_prefix(b"u")?.split_at_checked(4)?;
    let number = u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    Some((number, behind))
}

impl fmt::Display for JsonFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deep(most) => write!(f, "at most {most} levels deep"),
            Self::HalfPair => f.write_str("text with half of a surrogate pair, which is no Unicode"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::JsonFlaw;

    #[test]
    fn brackets_count_unless_they_are_in_text() {
        for (text, depth) in [
            ("1", 0),
            ("[]", 1),
            (r#"{"a":[{"b":1}]}"#, 3),
            (r#"["[[[["]"#, 1),
            (r#"["\"[[[["]"#, 1),
            (r#"["\\",[]]"#, 2),
            (r#"["\u0022[[","\ud83d\ude00[[",[]]"#, 2),
            ("[[],[],[]]", 2),
        ] {
            assert_eq!(JsonFlaw::of(text.as_bytes(), depth), None, "{text}");
            let flaw = depth.checked_sub(1).map(|most| (JsonFlaw::of(text.as_bytes(), most), most));
            assert!(flaw.is_none_or(|(flaw, most)| flaw == Some(JsonFlaw::Deep(most))), "{text}");
        }
        assert_eq!(JsonFlaw::of("[".repeat(10_000).as_bytes(), 64), Some(JsonFlaw::Deep(64)));
    }

    #[test]
    fn text_is_unicode() {
        for whole in
            [r#""\ud83d\ude00""#, r#"{"\uD83D\uDE00":"\u00e9"}"#, r#""\\ud800""#, r#""\ud7ff\ue000""#]
        {
            assert_eq!(JsonFlaw::of(whole.as_bytes(), 9), None, "{whole}");
        }
        for half in [
            r#""\ud800""#,
            r#""\uDFFF""#,
            r#"[{"\ud83d":1}]"#,
            r#""\ud83d\n\ude00""#,
            r#""\ud83d\ud83d\ude00""#,
            r#""\ude00\ud83d""#,
            r#""\\\ud800""#,
        ] {
            assert_eq!(JsonFlaw::of(half.as_bytes(), 9), Some(JsonFlaw::HalfPair), "{half}");
        }
    }
}
