//! The description of the calls (`OpenAPI` 3.1), made from their table.

#[cfg(test)]
mod breaking;

use crate::{
    problem::ProblemDocument,
    routes::{Described, Route, described, table},
};
use std::{collections::BTreeMap, sync::LazyLock};
use utoipa::{
    ToSchema,
    openapi::{
        ComponentsBuilder, ContentBuilder, HttpMethod, Info, InfoBuilder, Ref, RefOr, ResponseBuilder,
        Schema,
        path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, PathsBuilder},
        request_body::RequestBodyBuilder,
        schema::{ObjectBuilder, Type},
        security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

const JSON: &str = "application/json";
const TOKEN: &str = "token";
/// The version of the description. A change that breaks clients is accepted by its test only
/// together with a new number before the point, which `/v1` must never need.
const VERSION: &str = "4.0";

/// The description as text.
pub(crate) fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let mut text = serde_json::to_string_pretty(&document()).expect("a description is JSON");
        text.push('\n');
        text
    });
    &TEXT
}

fn document() -> utoipa::openapi::OpenApi {
    let problem = described::<ProblemDocument>();
    let mut schemas: BTreeMap<String, RefOr<Schema>> = BTreeMap::new();
    schemas.insert(problem.name.clone(), problem.schema);
    schemas.extend(problem.parts);
    let mut paths = PathsBuilder::new();
    for route in table() {
        let of_answers = route.answers.iter().filter_map(|(_, described)| described.as_ref());
        for Described { name, schema, parts } in route.request.iter().chain(of_answers) {
            schemas.insert(name.clone(), schema.clone());
            schemas.extend(parts.iter().cloned());
        }
        paths = paths.path(route.path, PathItem::new(method(route), operation(route)));
    }
    let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(
        "A token of the service. Which scope a call needs is its tag, and in its list of scopes.",
    ));
    let components = ComponentsBuilder::new()
        .schemas_from_iter(schemas)
        .security_scheme(TOKEN, SecurityScheme::Http(scheme.build()));
    let mut document = utoipa::openapi::OpenApi::new(info(), paths);
    document.components = Some(components.build());
    document
}

fn info() -> Info {
    InfoBuilder::new()
        .title("queue")
        .version(VERSION)
        .description(Some(
            "A durable job queue over HTTP. docs/service/protocol.md says what the calls mean. \
             Answers may get new fields; requests with unknown fields are refused.",
        ))
        .build()
}

fn method(route: &Route) -> HttpMethod {
    match route.method.as_str() {
        "GET" => HttpMethod::Get,
        "PUT" => HttpMethod::Put,
        _ => HttpMethod::Post,
    }
}

fn operation(route: &Route) -> OperationBuilder {
    let scope = route.scope.map_or("open", crate::access::Scope::name);
    let parameters: Vec<Parameter> = path_parameters(route.path).chain(route.query.iter().cloned()).collect();
    let mut operation = OperationBuilder::new()
        .operation_id(Some(route.name))
        .summary(Some(route.summary))
        .tag(scope)
        .parameters(Some(parameters));
    if route.scope.is_some() {
        operation = operation.security(SecurityRequirement::new(TOKEN, [scope]));
    }
    if let Some(request) = &route.request {
        let content = ContentBuilder::new().schema(Some(reference(request))).build();
        let body = RequestBodyBuilder::new().content(JSON, content);
        operation =
            operation.request_body(Some(body.required(Some(utoipa::openapi::Required::True)).build()));
    }
    for (status, answer) in &route.answers {
        let mut response = ResponseBuilder::new().description(meaning(*status));
        if let Some(answer) = answer {
            let content = ContentBuilder::new().schema(Some(reference(answer))).build();
            response = response.content(JSON, content);
        }
        operation = operation.response(status.to_string(), response.build());
    }
    let problem = Ref::from_schema_name(ProblemDocument::name());
    let content = ContentBuilder::new().schema(Some(problem)).build();
    let refused = ResponseBuilder::new()
        .description("The call was not carried out.")
        .content("application/problem+json", content);
    operation.response("default", refused.build())
}

fn reference(described: &Described) -> Ref {
    Ref::from_schema_name(&described.name)
}

const fn meaning(status: u16) -> &'static str {
    match status {
        201 => "It was made.",
        202 => "It is not over yet.",
        _ => "It was done.",
    }
}

/// The parameters that the path names in braces.
fn path_parameters(path: &str) -> impl Iterator<Item = Parameter> {
    let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    names.map(|name| {
        ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Path)
            .required(utoipa::openapi::Required::True)
            .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
            .build()
    })
}

#[cfg(test)]
mod tests {
    use super::text;
    use serde_json::Value;

    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/service/openapi.json");

    /// `QUEUE_HTTP_BLESS=1 cargo test -p queue-http openapi` writes the document again, unless that
    /// would break clients.
    #[test]
    fn the_committed_document_is_the_present_one_and_nothing_of_it_was_taken_back() {
        let committed = std::fs::read_to_string(PATH).unwrap_or_default();
        let promised: Value = serde_json::from_str(&committed).unwrap_or_default();
        let present: Value = serde_json::from_str(text()).expect("it is JSON");
        let broken = super::breaking::changes(&promised, &present);
        let is_same = super::breaking::major(&promised) == super::breaking::major(&present);
        assert!(
            broken.is_empty() || !is_same,
            "this breaks clients of /v1, which only grows:\n{}",
            broken.join("\n")
        );
        if std::env::var_os("QUEUE_HTTP_BLESS").is_some() {
            std::fs::write(PATH, text()).expect("the document can be written");
            return;
        }
        assert!(committed == text(), "docs/service/openapi.json is stale; QUEUE_HTTP_BLESS=1 writes it");
    }

    #[test]
    fn every_reference_of_the_document_leads_somewhere_and_every_call_has_a_name_of_its_own() {
        let document: Value = serde_json::from_str(text()).expect("it is JSON");
        let mut names = Vec::new();
        let mut open = vec![&document];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(fields) => {
                    if let Some(Value::String(to)) = fields.get("$ref") {
                        let found = document.pointer(&to[1..]);
                        assert!(found.is_some(), "{to}");
                    }
                    if let Some(Value::String(name)) = fields.get("operationId") {
                        names.push(name.clone());
                    }
                    open.extend(fields.values());
                }
                Value::Array(values) => open.extend(values),
                _ => {}
            }
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(count >= 40, "{count} calls");
    }
}
