//! Finds changes between two descriptions that break clients of the older one: calls, answers and
//! fields that were removed, requests that must contain more, and answers that may differ.

use serde_json::{Map, Value, json};
use std::{borrow::Cow, collections::BTreeSet};

/// Descriptions are not nested deeper; one that refers to itself ends here.
const DEPTH_MAX: usize = 24;
/// Bounds of a request that must not rise, and those that must not sink.
const LEAST: [&str; 3] = ["minimum", "minLength", "minItems"];
const MOST: [&str; 3] = ["maximum", "maxLength", "maxItems"];

/// Which way the data go: what a client sends may be accepted more widely, what it gets may not
/// become wider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Request,
    Answer,
}

/// The number before the point of the version.
pub(super) fn major(document: &Value) -> Option<&str> {
    document["info"]["version"].as_str()?.split('.').next()
}

/// What breaks clients, in words; nothing for an empty old document.
pub(super) fn changes(old: &Value, new: &Value) -> Vec<String> {
    let mut comparing = Comparing { old, new, found: Vec::new() };
    for (path, calls) in members(&old["paths"]) {
        for (method, call) in members(calls) {
            let at = format!("{} {path}", method.to_uppercase());
            match new["paths"][path].get(method) {
                Some(present) => comparing.call(&at, call, present),
                None => comparing.found.push(format!("{at}: the call is gone")),
            }
        }
    }
    comparing.found
}

struct Comparing<'a> {
    old: &'a Value,
    new: &'a Value,
    found: Vec<String>,
}

impl Comparing<'_> {
    fn call(&mut self, at: &str, old: &Value, new: &Value) {
        if old["security"] != new["security"] {
            self.tell(at, "another scope is needed");
        }
        self.parameters(at, old, new);
        self.content(&format!("{at}, request"), Way::Request, &old["requestBody"], &new["requestBody"]);
        for (status, answer) in members(&old["responses"]) {
            let at = format!("{at}, answer {status}");
            match new["responses"].get(status) {
                Some(present) => self.content(&at, Way::Answer, answer, present),
                None => self.tell(&at, "the status is gone"),
            }
        }
    }

    fn parameters(&mut self, at: &str, old: &Value, new: &Value) {
        let name = |parameter: &Value| (parameter["in"].clone(), parameter["name"].clone());
        let before = items(&old["parameters"]);
        let after = items(&new["parameters"]);
        for parameter in before {
            let at = format!("{at}, parameter {}", parameter["name"]);
            match after.iter().find(|one| name(one) == name(parameter)) {
                Some(present) => {
                    let before = &parameter["schema"];
                    let after = &present["schema"];
                    // Given once, a parameter that may be repeated is written as it was.
                    let is_repeated =
                        texts(&after["type"]).contains("array") && !texts(&before["type"]).contains("array");
                    let after = if is_repeated { &after["items"] } else { after };
                    self.schema(&at, Way::Request, before, after, 0);
                }
                None => self.tell(&at, "is gone"),
            }
        }
        for parameter in after.iter().filter(|one| one["required"] == true) {
            let same = before.iter().find(|one| name(one) == name(parameter));
            if same.is_none_or(|one| one["required"] != true) {
                self.tell(at, &format!("parameter {} is required now", parameter["name"]));
            }
        }
    }

    fn content(&mut self, at: &str, way: Way, old: &Value, new: &Value) {
        for (kind, content) in members(&old["content"]) {
            match new["content"].get(kind) {
                Some(present) => self.schema(at, way, &content["schema"], &present["schema"], 0),
                None => self.tell(at, &format!("the content type {kind} is gone")),
            }
        }
    }

    fn schema(&mut self, at: &str, way: Way, old: &Value, new: &Value, depth: usize) {
        let (old, new) = (&*resolved(self.old, old), &*resolved(self.new, new));
        if depth > DEPTH_MAX || old == new && !has_reference(old) {
            return;
        }
        self.ways(at, way, old, new, depth);
        self.types(at, way, old, new);
        self.words(at, way, old, new);
        self.bounds(at, way, old, new);
        self.fields(at, way, old, new, depth);
        for inner in ["items", "additionalProperties"] {
            if old[inner].is_object() {
                self.schema(&format!("{at}, {inner}"), way, &old[inner], &new[inner], depth + 1);
            }
        }
    }

    /// Each way that a client may write must be left; each way that it may read must have been
    /// there.
    fn ways(&mut self, at: &str, way: Way, old: &Value, new: &Value, depth: usize) {
        for choice in ["oneOf", "anyOf"] {
            if old[choice].is_null() && new[choice].is_null() {
                continue;
            }
            let before = choices(old, choice);
            let after = choices(new, choice);
            let (asked, there) = if way == Way::Request { (before, after) } else { (after, before) };
            for one in asked {
                let fits = |other: &&Value| match way {
                    Way::Request => self.is_kept(way, one, other, depth),
                    Way::Answer => self.is_kept(way, other, one, depth),
                };
                if !there.iter().any(|other| fits(&other)) {
                    self.tell(at, &format!("{choice} differs: {one}"));
                }
            }
        }
    }

    fn is_kept(&self, way: Way, old: &Value, new: &Value, depth: usize) -> bool {
        let mut inner = Comparing { old: self.old, new: self.new, found: Vec::new() };
        inner.schema("", way, old, new, depth + 1);
        inner.found.is_empty()
    }

    fn types(&mut self, at: &str, way: Way, old: &Value, new: &Value) {
        let before = texts(&old["type"]);
        let after = texts(&new["type"]);
        // Without a type anything goes.
        let is_narrower = match way {
            Way::Request => !after.is_empty() && (before.is_empty() || !before.is_subset(&after)),
            Way::Answer => !before.is_empty() && (after.is_empty() || !after.is_subset(&before)),
        };
        if is_narrower {
            self.tell(at, &format!("the type was {before:?} and is {after:?}"));
        }
    }

    fn words(&mut self, at: &str, way: Way, old: &Value, new: &Value) {
        let before = texts(&old["enum"]);
        let after = texts(&new["enum"]);
        for gone in before.difference(&after).filter(|_| !after.is_empty()) {
            self.tell(at, &format!("the word {gone:?} is gone"));
        }
        let is_open = before.is_empty() && after.is_empty();
        if way == Way::Request && before.is_empty() && !is_open {
            self.tell(at, "only some words are accepted now");
        }
        if way == Way::Answer && !before.is_empty() {
            for added in after.difference(&before) {
                self.tell(at, &format!("the word {added:?} may come now"));
            }
            if after.is_empty() {
                self.tell(at, "any word may come now");
            }
        }
    }

    fn bounds(&mut self, at: &str, way: Way, old: &Value, new: &Value) {
        if way == Way::Answer {
            return;
        }
        for (names, is_lower) in [(LEAST, true), (MOST, false)] {
            for name in names {
                let before = old[name].as_f64();
                let after = new[name].as_f64();
                let is_narrower = match (before, after) {
                    (_, None) => false,
                    (None, Some(_)) => true,
                    (Some(before), Some(after)) if is_lower => after > before,
                    (Some(before), Some(after)) => after < before,
                };
                if is_narrower {
                    self.tell(at, &format!("{name} was {} and is {}", old[name], new[name]));
                }
            }
        }
        if old["pattern"] != new["pattern"] && !new["pattern"].is_null() {
            self.tell(at, "another pattern is asked for");
        }
    }

    fn fields(&mut self, at: &str, way: Way, old: &Value, new: &Value, depth: usize) {
        for (name, field) in members(&old["properties"]) {
            match new["properties"].get(name) {
                Some(present) => self.schema(&format!("{at}, {name}"), way, field, present, depth + 1),
                None => self.tell(at, &format!("the field {name} is gone")),
            }
        }
        let before = texts(&old["required"]);
        let after = texts(&new["required"]);
        let (wrong, says) = match way {
            Way::Request => (after.difference(&before), "is required now"),
            Way::Answer => (before.difference(&after), "may be absent now"),
        };
        for name in wrong {
            self.found.push(format!("{at}: the field {name} {says}"));
        }
    }

    fn tell(&mut self, at: &str, what: &str) {
        self.found.push(format!("{at}: {what}"));
    }
}

/// The schema itself, where it is named; one object where it is of several.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> Cow<'a, Value> {
    let named = schema["$ref"].as_str().and_then(|to| document.pointer(to.trim_start_matches('#')));
    let schema = named.unwrap_or(schema);
    let parts = items(&schema["allOf"]);
    if parts.is_empty() {
        return Cow::Borrowed(schema);
    }
    let (mut fields, mut required) = (Map::new(), Vec::new());
    for part in parts {
        let part = resolved(document, part);
        fields.extend(members(&part["properties"]).map(|(name, field)| (name.clone(), field.clone())));
        required.extend_from_slice(items(&part["required"]));
    }
    Cow::Owned(json!({"type": "object", "properties": fields, "required": required}))
}

/// Whether the same text may mean another schema in another document.
fn has_reference(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => fields.contains_key("$ref") || fields.values().any(has_reference),
        Value::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}

/// The choices of a schema; itself if it leaves none.
fn choices<'a>(schema: &'a Value, choice: &str) -> &'a [Value] {
    match &schema[choice] {
        Value::Array(items) => items,
        _ => std::slice::from_ref(schema),
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn texts(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::String(text) => BTreeSet::from([text.as_str()]),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests;
