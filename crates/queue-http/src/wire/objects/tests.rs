use super::from_json;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{borrow::Cow, collections::BTreeMap};

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Outer<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    inner: Option<Inner>,
    #[serde(default)]
    all: Vec<Inner>,
    #[serde(default)]
    by_name: BTreeMap<String, Inner>,
    shape: Option<Shape>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Inner {
    n: u8,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Shape {
    Point,
    Circle { radius: u8 },
    Box(Inner),
}

#[derive(Debug, Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    any: &'a RawValue,
}

#[test]
fn an_error_names_the_field_that_it_is_about() {
    for (json, path) in [
        (r#"{"name": 1}"#, "name: "),
        (r#"{"name": "a", "inner": {"n": -1}}"#, "inner.n: "),
        (r#"{"name": "a", "all": [{"n": 1}, {"n": "2"}]}"#, "all[1].n: "),
        (r#"{"name": "a", "by_name": {"x": {"n": 4.5}}}"#, "by_name.x.n: "),
        (r#"{"name": "a", "shape": {"circle": {"radius": 999}}}"#, "shape.circle.radius: "),
        (r#"{"name": "a", "inner": {}}"#, "inner: missing field `n`"),
        ("{}", "missing field `name`"),
        ("", "EOF"),
    ] {
        let error = from_json::<Outer<'_>>(json.as_bytes()).expect_err(json);
        assert!(error.starts_with(path), "{json}: {error}");
    }
    let error = from_json::<Raw<'_>>(br#"{"any": [1,]}"#).expect_err("a comma too many");
    assert!(error.starts_with("any: "), "{error}");
}

#[test]
fn objects_are_read_as_serde_reads_them() {
    for json in [
        r#"{"name": "a"}"#,
        r#"{"name": "a\n", "inner": {"n": 1}, "all": [{"n": 2}, {"n": 3}], "by_name": {"x": {"n": 4}}}"#,
        r#"{"name": "a", "inner": null, "shape": "point"}"#,
        r#"{"name": "a", "shape": {"circle": {"radius": 1}}}"#,
        r#"{"name": "a", "shape": {"box": {"n": 1}}}"#,
        r#"{"name": "a", "name": "b"}"#,
        r#"{"name": "a", "other": 1}"#,
        r#"{"name": 1}"#,
        r#"{"name": "a"} x"#,
        "{}",
        "",
    ] {
        let (ours, theirs) = (from_json::<Outer<'_>>(json.as_bytes()), serde_json::from_str(json));
        assert_eq!(ours.as_ref().ok(), theirs.as_ref().ok(), "{json}");
        let theirs = theirs.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(ours.err().unwrap_or_default().ends_with(&theirs), "{json}");
    }
}

#[test]
fn a_sequence_is_no_object_however_deep() {
    for json in [
        r#"["a", null, [], {}, null]"#,
        r#"{"name": "a", "inner": [1]}"#,
        r#"{"name": "a", "all": [[1]]}"#,
        r#"{"name": "a", "by_name": {"x": [1]}}"#,
        r#"{"name": "a", "shape": {"circle": [1]}}"#,
        r#"{"name": "a", "shape": {"box": [1]}}"#,
    ] {
        assert!(serde_json::from_str::<Outer<'_>>(json).is_ok(), "serde alone takes {json}");
        let error = from_json::<Outer<'_>>(json.as_bytes()).expect_err(json);
        assert!(error.contains("invalid type: sequence, expected"), "{json}: {error}");
    }
}

#[test]
fn what_is_kept_as_it_was_written_may_be_anything() {
    let raw: Raw<'_> = from_json(br#"{"any": [ 1, {"x": []} ]}"#).unwrap();
    assert_eq!(raw.any.get(), r#"[ 1, {"x": []} ]"#);
}
