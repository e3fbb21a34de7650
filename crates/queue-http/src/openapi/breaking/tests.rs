//! Each way of taking something back is found, and nothing that only adds.

use super::{changes, major};
use serde_json::{Value, json};

fn document() -> Value {
    json!({
        "info": {"version": "1.0"},
        "paths": {"/v1/jobs": {
            "post": {
                "security": [{"token": ["produce"]}],
                "parameters": [{"in": "query", "name": "limit", "required": false, "schema": {"type": "integer"}}],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Job"}}}},
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}},
                    "202": {"description": "later"}}},
            "get": {"responses": {"200": {}}}}},
        "components": {"schemas": {
            "Job": {
                "type": "object", "required": ["id"],
                "properties": {
                    "id": {"type": "string", "maxLength": 255},
                    "on": {"type": "string", "enum": ["block", "replace"]},
                    "keep": {"oneOf": [{"type": "integer"}, {"$ref": "#/components/schemas/Word"}]},
                    "tags": {"type": "array", "items": {"type": "string"}}}},
            "Word": {"type": "string", "enum": ["forever"]},
            "Answer": {
                "type": "object", "required": ["outcome"],
                "properties": {"outcome": {"type": "string", "enum": ["queued", "duplicate"]}, "seq": {"type": "integer"}}}}}})
}

fn changed(pointer: &str, value: Value) -> Vec<String> {
    let mut document = document();
    *document.pointer_mut(pointer).expect("there is such a part") = value;
    changes(&self::document(), &document)
}

fn without(pointer: &str, name: &str) -> Vec<String> {
    let mut document = document();
    let part = document.pointer_mut(pointer).and_then(Value::as_object_mut).expect("an object");
    part.remove(name).expect("it was there");
    changes(&self::document(), &document)
}

const POST: &str = "/paths/~1v1~1jobs/post";
const JOB: &str = "/components/schemas/Job";
const ANSWER: &str = "/components/schemas/Answer";

#[test]
fn what_is_taken_back_is_found() {
    let of = |base: &str, rest: &str| format!("{base}{rest}");
    for (name, found) in [
        ("a path", without("/paths", "/v1/jobs")),
        ("a call", without("/paths/~1v1~1jobs", "get")),
        ("a status", without(&of(POST, "/responses"), "202")),
        ("a body", without(&of(POST, "/responses/200"), "content")),
        ("a scope", changed(&of(POST, "/security"), json!([{"token": ["operate"]}]))),
        ("a parameter", changed(&of(POST, "/parameters"), json!([]))),
        ("a parameter that must be given", changed(&of(POST, "/parameters/0/required"), json!(true))),
        (
            "a type of a parameter that may be repeated",
            changed(&of(POST, "/parameters/0/schema"), json!({"type": "array", "items": {"type": "string"}})),
        ),
        ("a type of a parameter", changed(&of(POST, "/parameters/0/schema/type"), json!("string"))),
        ("a field of a request", without(&of(JOB, "/properties"), "on")),
        ("a field that must be sent", changed(&of(JOB, "/required"), json!(["id", "on"]))),
        ("a word of a request", changed(&of(JOB, "/properties/on/enum"), json!(["block"]))),
        ("a choice of a request", changed(&of(JOB, "/properties/keep/oneOf"), json!([{"type": "integer"}]))),
        ("a word of a choice", changed("/components/schemas/Word/enum", json!(["ever"]))),
        ("a bound", changed(&of(JOB, "/properties/id/maxLength"), json!(200))),
        ("a type of items", changed(&of(JOB, "/properties/tags/items/type"), json!("integer"))),
        ("a field of an answer", without(&of(ANSWER, "/properties"), "seq")),
        ("a promise of a field", changed(&of(ANSWER, "/required"), json!([]))),
        ("a word of an answer", changed(&of(ANSWER, "/properties/outcome/enum"), json!(["queued"]))),
        (
            "a new word of an answer",
            changed(&of(ANSWER, "/properties/outcome/enum"), json!(["queued", "duplicate", "late"])),
        ),
        ("a null in an answer", changed(&of(ANSWER, "/properties/seq/type"), json!(["integer", "null"]))),
    ] {
        assert!(!found.is_empty(), "{name}");
    }
}

#[test]
fn what_only_adds_breaks_nobody() {
    assert_eq!(changes(&document(), &document()), Vec::<String>::new());
    assert_eq!(changes(&Value::Null, &document()), Vec::<String>::new());
    let mut grown = document();
    grown["info"]["version"] = json!("1.7");
    grown["paths"]["/v1/new"] = json!({"get": {"responses": {}}});
    grown["paths"]["/v1/jobs"]["post"]["parameters"][0]["schema"] =
        json!({"type": "array", "items": {"type": "integer"}});
    let more = json!({"in": "query", "name": "more", "required": false});
    grown["paths"]["/v1/jobs"]["post"]["parameters"].as_array_mut().expect("a list").push(more);
    grown["paths"]["/v1/jobs"]["post"]["responses"]["207"] = json!({});
    let schemas = &mut grown["components"]["schemas"];
    schemas["Job"]["required"] = json!([]);
    schemas["Job"]["properties"]["more"] = json!({"type": "string"});
    schemas["Job"]["properties"]["on"]["enum"] = json!(["block", "replace", "keep"]);
    schemas["Job"]["properties"]["id"]["type"] = json!(["string", "null"]);
    schemas["Job"]["properties"]["id"]["maxLength"] = json!(300);
    let ways = schemas["Job"]["properties"]["keep"]["oneOf"].as_array_mut().expect("a list");
    ways.push(json!({"type": "null"}));
    schemas["Answer"]["required"] = json!(["outcome", "seq"]);
    schemas["Answer"]["properties"]["more"] = json!({"type": "string"});
    assert_eq!(changes(&document(), &grown), Vec::<String>::new());
    assert_eq!(major(&grown), major(&document()));
}

#[test]
fn a_field_may_move_into_a_part_of_its_object_and_counts_there() {
    let mut parted = document();
    let schemas = &mut parted["components"]["schemas"];
    let outcome = schemas["Answer"]["properties"]["outcome"].take();
    schemas["Inner"] = json!({"type": "object", "required": ["outcome"], "properties": {"outcome": outcome}});
    schemas["Answer"] = json!({"allOf": [
        {"$ref": "#/components/schemas/Inner"},
        {"type": "object", "properties": {"seq": {"type": "integer"}}}]});
    assert_eq!(changes(&document(), &parted), Vec::<String>::new());
    assert_eq!(changes(&parted, &document()), Vec::<String>::new());
    let mut poorer = parted.clone();
    poorer["components"]["schemas"]["Inner"]["properties"] = json!({});
    assert_eq!(changes(&parted, &poorer).len(), 1, "{:?}", changes(&parted, &poorer));
}
