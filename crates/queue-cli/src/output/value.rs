//! Bytes as a field of a JSON object: text where they are UTF-8, otherwise base64.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

/// Adds bytes as text under `name`, or in base64 under `name_base64` if they are not UTF-8.
pub(crate) fn insert_bytes(object: &mut Map<String, Value>, name: &str, bytes: &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => object.insert(name.to_owned(), text.into()),
        Err(_) => object.insert(format!("{name}_base64"), STANDARD.encode(bytes).into()),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text_and_other_bytes_become_base64() {
        let mut object = Map::new();
        insert_bytes(&mut object, "result", "é\n".as_bytes());
        insert_bytes(&mut object, "progress", &[0xff, 0]);
        assert_eq!(Value::from(object).to_string(), r#"{"progress_base64":"/wA=","result":"é\n"}"#);
    }
}
