//! JSON in one form: equal documents are equal texts, and each number keeps the digits that it was
//! written with.

use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The most levels. A callback gets the document one level deeper, and readers of JSON end at 128.
const DEPTH_MAX: usize = 120;

/// The document without spaces, and with its fields in the order of their names. Of fields of one
/// name the last stays.
///
/// # Errors
/// Why it cannot be read, for people.
pub(super) fn canonical(json: &RawValue) -> Result<String, String> {
    let mut text = String::with_capacity(json.get().len());
    write(json, DEPTH_MAX, &mut text)?;
    Ok(text)
}

fn write(json: &RawValue, levels: usize, text: &mut String) -> Result<(), String> {
    let says = |error: serde_json::Error| error.to_string();
    let below = || levels.checked_sub(1).ok_or_else(|| format!("it has more than {DEPTH_MAX} levels"));
    match json.get().as_bytes().first() {
        Some(b'{') => {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(json.get()).map_err(says)?;
            let below = below()?;
            text.push('{');
            for (at, (name, value)) in fields.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                text.push_str(&serde_json::to_string(name).map_err(says)?);
                text.push(':');
                write(value, below, text)?;
            }
            text.push('}');
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json.get()).map_err(says)?;
            let below = below()?;
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { "," });
                write(item, below, text)?;
            }
            text.push(']');
        }
        Some(b'"') => {
            let plain: String = serde_json::from_str(json.get()).map_err(says)?;
            text.push_str(&serde_json::to_string(&plain).map_err(says)?);
        }
        _ => text.push_str(json.get()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{DEPTH_MAX, canonical};
    use serde_json::value::RawValue;

    fn of(text: &str) -> Result<String, String> {
        canonical(&RawValue::from_string(text.to_owned()).expect("it is JSON"))
    }

    #[test]
    fn equal_documents_are_equal_texts() {
        for (text, expected) in [
            (
                r#" {"b": [1,  2], "a": {"z": null, "y": "\u0061\n"}} "#,
                r#"{"a":{"y":"a\n","z":null},"b":[1,2]}"#,
            ),
            (r#"{"a":1,"a":3}"#, r#"{"a":3}"#),
            (r#"{"$serde_json::private::RawValue":"[1]"}"#, r#"{"$serde_json::private::RawValue":"[1]"}"#),
            ("[]", "[]"),
            ("true", "true"),
        ] {
            assert_eq!(of(text).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn numbers_keep_their_digits() {
        for number in ["12345678901234567890123456789", "0.10", "1e400", "-0.0", "18446744073709551616"] {
            assert_eq!(of(&format!("[{number}]")), Ok(format!("[{number}]")));
        }
        assert_ne!(of("12345678901234567890123456"), of("12345678901234567890123457"));
    }

    #[test]
    fn a_document_that_is_too_deep_is_refused() {
        let deep = |levels| "[".repeat(levels) + &"]".repeat(levels);
        assert!(of(&deep(DEPTH_MAX)).is_ok());
        assert!(of(&deep(DEPTH_MAX + 1)).is_err());
    }
}
