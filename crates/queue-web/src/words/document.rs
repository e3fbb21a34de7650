//! Forms as the documents of `/v1`, which checks them: no page has rules of its own.

use crate::visit::Fields;
use queue_core::{ContentType, Payload};
use queue_view::{SentData, words::millis};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::{collections::BTreeMap, time::Duration};

const JSON: &str = "application/json";

/// What is wrong with a field of a form. The field is empty if it is none of the form's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrongField {
    pub(crate) field: String,
    pub(crate) words: String,
}

/// A document in the making.
#[derive(Debug, Default)]
pub(crate) struct Document(BTreeMap<String, Box<RawValue>>);

impl WrongField {
    pub(crate) fn new(field: &str, words: impl Into<String>) -> Self {
        Self { field: field.to_owned(), words: words.into() }
    }

    /// What is wrong with this field, if anything is.
    pub(crate) fn words_for<'a>(wrong: Option<&'a Self>, field: &str) -> Option<&'a str> {
        wrong.filter(|wrong| wrong.field == field).map(|wrong| wrong.words.as_str())
    }

    /// The words of an answer of `/v1`, which begin with the field, however deep it is.
    pub(crate) fn of_answer(words: &str, fields: &[&str]) -> Self {
        let path = words.split(": ").take_while(|part| !part.contains(' ')).flat_map(|part| part.split('.'));
        let known = |part: &str| fields.iter().find(|field| **field == part);
        let field = path.filter_map(|part| known(part.trim_end_matches("_base64"))).last();
        Self::new(field.unwrap_or(&"rest"), words)
    }
}

impl Document {
    /// The options that a form has as a document of their own.
    pub(crate) fn rest(form: &Fields) -> Result<Self, WrongField> {
        let Some(text) = form.get("rest") else { return Ok(Self::default()) };
        let read: Result<BTreeMap<String, Box<RawValue>>, _> = serde_json::from_str(text);
        read.map(Self).map_err(|error| WrongField::new("rest", format!("this is no object of JSON: {error}")))
    }

    /// The parts of something that is shown as `/v1` takes it.
    pub(crate) fn of(shown: &impl Serialize) -> Self {
        let read = serde_json::to_string(shown).ok().and_then(|text| serde_json::from_str(&text).ok());
        let mut document = Self(read.unwrap_or_default());
        document.0.retain(|_, value| !matches!(value.get(), "null" | "[]" | "{}"));
        document
    }

    /// Takes a part out; text without its quotes.
    pub(crate) fn take(&mut self, name: &str) -> Option<String> {
        let value = self.0.remove(name)?;
        Some(serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().to_owned()))
    }

    /// Takes a part out as it is written.
    pub(crate) fn take_raw(&mut self, name: &str) -> Option<String> {
        self.0.remove(name).map(|value| value.get().to_owned())
    }

    /// Takes a part out that is an object.
    pub(crate) fn take_object(&mut self, name: &str) -> Self {
        let value = self.0.remove(name);
        Self(value.and_then(|value| serde_json::from_str(value.get()).ok()).unwrap_or_default())
    }

    /// Keeps these parts alone.
    pub(crate) fn keep(&mut self, names: &[&str]) {
        self.0.retain(|name, _| names.contains(&name.as_str()));
    }

    pub(crate) fn set(&mut self, name: &str, value: &impl Serialize) {
        let value = to_raw_value(value).expect("text, numbers and documents are JSON");
        self.0.insert(name.to_owned(), value);
    }

    /// The text of a field, if it is filled in.
    pub(crate) fn text(&mut self, form: &Fields, name: &str) {
        if let Some(text) = form.get(name) {
            self.set(name, &text.trim());
        }
    }

    /// The number of a field.
    pub(crate) fn number(&mut self, form: &Fields, name: &str) -> Result<(), WrongField> {
        let Some(text) = form.get(name) else { return Ok(()) };
        let number = text.trim().parse::<i64>();
        self.set(name, &number.map_err(|_| WrongField::new(name, "give a whole number"))?);
        Ok(())
    }

    /// A length of time, which the form has in seconds.
    pub(crate) fn seconds(&mut self, form: &Fields, name: &str) -> Result<(), WrongField> {
        let Some(text) = form.get(name) else { return Ok(()) };
        let seconds = text.trim().parse::<f64>().ok();
        let length = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let length = length.ok_or_else(|| WrongField::new(name, "give a number of seconds, such as 90"))?;
        self.set(name, &millis(length));
        Ok(())
    }

    /// The words of a field, with commas between them.
    pub(crate) fn words(&mut self, form: &Fields, name: &str) {
        if let Some(text) = form.get(name) {
            let words: Vec<&str> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
            self.set(name, &words);
        }
    }

    /// The payload of the form, byte for byte; JSON without the blanks around it.
    pub(crate) fn payload(&mut self, form: &Fields) -> Result<(), WrongField> {
        let content_type = form.get("content_type").unwrap_or(JSON).trim().to_owned();
        let text = form.get("payload").unwrap_or_default().replace("\r\n", "\n");
        let is_json = content_type == JSON;
        let text = if is_json { text.trim().to_owned() } else { text };
        if is_json && text.is_empty() {
            return Ok(());
        }
        if is_json {
            let json = serde_json::from_str::<&RawValue>(&text)
                .map_err(|error| WrongField::new("payload", format!("this is no JSON: {error}")))?;
            self.set("payload", &json);
            return Ok(());
        }
        let content_type = ContentType::new(content_type)
            .map_err(|invalid| WrongField::new("content_type", invalid.to_string()))?;
        let payload = Payload::new(text, content_type);
        let sent = SentData::of(&payload);
        self.set("payload_base64", &sent.base64);
        self.set("content_type", &sent.content_type);
        Ok(())
    }

    /// The document.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(&self.0).expect("parts that are JSON make JSON")
    }

    /// The document for people: a line for each part, nothing if there is none.
    pub(crate) fn lines(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let lines = self.0.iter().map(|(name, value)| format!("  {name:?}: {}", value.get()));
        format!("{{\n{}\n}}", lines.collect::<Vec<_>>().join(",\n"))
    }
}

impl Serialize for Document {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, WrongField};
    use crate::visit::Fields;

    #[test]
    fn a_payload_keeps_each_digit_and_each_text_its_type() {
        let of = |form: &str| {
            let mut document = Document::default();
            document.payload(&Fields::parse(form.as_bytes())).map(|()| document.json())
        };
        assert_eq!(of("payload=+%5B1.50%2C1e400%5D+").unwrap(), r#"{"payload":[1.50,1e400]}"#);
        let text = of("payload=a%0D%0Ab&content_type=text%2Fplain").unwrap();
        assert_eq!(text, r#"{"content_type":"text/plain","payload_base64":"YQpi"}"#);
        let wrong = of("payload=%7Ba%7D").unwrap_err();
        assert!(wrong.field == "payload" && wrong.words.contains("line 1"), "{wrong:?}");
        assert_eq!(of("payload=&content_type=application%2Fjson").unwrap(), "{}");
    }

    #[test]
    fn the_words_of_an_answer_stand_by_their_field() {
        let field = |words| WrongField::of_answer(words, &["kind", "payload", "cron"]).field;
        assert_eq!(field("kind: at most 128 bytes"), "kind");
        assert_eq!(field("job: kind: at most"), "kind");
        assert_eq!(field("job.kind: invalid type"), "kind");
        assert_eq!(field("payload_base64: too long"), "payload");
        assert_eq!(field("max_attempts: at most"), "rest");
        assert_eq!(field("give one of cron, every_ms and at"), "rest");
    }
}
