//! Checks every answer that a test gets against the description of its call.

use axum::http::{Method, StatusCode};
use serde_json::{Map, Value};
use std::sync::LazyLock;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../docs/service/openapi.json")).expect("it is JSON")
});

/// Fails unless the answer is as the description says: no field that it does not have, none missing
/// that it promises, each of its type.
pub(crate) fn check(method: &Method, path: &str, status: StatusCode, answer: &Value) {
    let path = path.split('?').next().unwrap_or_default();
    let Some(call) = call(method, path) else { return };
    let (name, kind) = match &call["responses"][status.as_str()] {
        Value::Null => ("default", "application/problem+json"),
        _ => (status.as_str(), "application/json"),
    };
    let schema = &call["responses"][name]["content"][kind]["schema"];
    if !schema.is_null() {
        let faults = faults(schema, answer, "");
        assert!(faults.is_empty(), "{method} {path} {status}: {faults:?} in {answer}");
    }
}

fn call(method: &Method, path: &str) -> Option<&'static Value> {
    let paths = DOCUMENT["paths"].as_object().expect("there are paths");
    let segments: Vec<&str> = path.split('/').collect();
    // A path that is written out goes before one with a name in its place.
    let mut found: Vec<(&String, &Value)> =
        paths.iter().filter(|(pattern, _)| fits(pattern, &segments)).collect();
    found.sort_by_key(|(pattern, _)| pattern.matches('{').count());
    found.first().and_then(|(_, item)| item.get(method.as_str().to_lowercase()))
}

fn fits(pattern: &str, segments: &[&str]) -> bool {
    let parts: Vec<&str> = pattern.split('/').collect();
    parts.len() == segments.len()
        && parts.iter().zip(segments).all(|(part, segment)| part == segment || part.starts_with('{'))
}

fn resolved(schema: &'static Value) -> &'static Value {
    match schema["$ref"].as_str() {
        Some(to) => DOCUMENT.pointer(&to[1..]).expect("it leads somewhere"),
        None => schema,
    }
}

fn faults(schema: &'static Value, value: &Value, at: &str) -> Vec<String> {
    let schema = resolved(schema);
    if let Some(ways) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let one_fits = ways.iter().any(|way| faults(way, value, at).is_empty());
        return if one_fits { Vec::new() } else { vec![format!("{at} fits none of its ways")] };
    }
    if schema["allOf"].is_array() {
        return of_object(&parts_of(schema), value, at);
    }
    if !has_type(&schema["type"], value) {
        return vec![format!("{at} is no {}", schema["type"])];
    }
    match value {
        Value::Object(_) if schema["properties"].is_object() => of_object(&[schema], value, at),
        Value::Array(items) if schema["items"].is_object() => {
            items.iter().flat_map(|item| faults(&schema["items"], item, at)).collect()
        }
        _ => Vec::new(),
    }
}

/// The objects that an object consists of.
fn parts_of(schema: &'static Value) -> Vec<&'static Value> {
    let schema = resolved(schema);
    match schema["allOf"].as_array() {
        Some(parts) => parts.iter().flat_map(parts_of).collect(),
        None => vec![schema],
    }
}

fn of_object(parts: &[&'static Value], value: &Value, at: &str) -> Vec<String> {
    let Value::Object(fields) = value else { return vec![format!("{at} is no object")] };
    let mut faults_found = missing(parts, fields, at);
    for (name, field) in fields {
        let place = format!("{at}.{name}");
        match parts.iter().find_map(|part| part["properties"].get(name)) {
            Some(schema) => faults_found.extend(faults(schema, field, &place)),
            None => faults_found.push(format!("{place} is not described")),
        }
    }
    faults_found
}

fn missing(parts: &[&'static Value], fields: &Map<String, Value>, at: &str) -> Vec<String> {
    let required = parts.iter().filter_map(|part| part["required"].as_array()).flatten();
    let names = required.filter_map(Value::as_str).filter(|name| !fields.contains_key(*name));
    names.map(|name| format!("{at}.{name} is missing")).collect()
}

fn has_type(expected: &Value, value: &Value) -> bool {
    match expected {
        Value::Array(types) => types.iter().any(|one| has_type(one, value)),
        Value::String(name) => match name.as_str() {
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            _ => false,
        },
        // Any value.
        _ => true,
    }
}
