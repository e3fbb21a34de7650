//! The name of a schema, checked and quoted.

use queue_core::{Error, Result};

/// The schema that is used unless another is named.
pub const DEFAULT_SCHEMA: &str = "queue";

/// Longest name of a schema, in bytes: PostgreSQL cuts longer ones off in silence.
const SCHEMA_BYTES_MAX: usize = 63;

/// The name of the schema that holds a store's tables. Quoted wherever it stands in a statement, so
/// that any name will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SchemaName(String);

impl SchemaName {
    /// Checks a name.
    pub(crate) fn new(name: &str) -> Result<Self> {
        if name.is_empty() || name.len() > SCHEMA_BYTES_MAX || name.chars().any(char::is_control) {
            let message =
                format!("a schema name has 1 to {SCHEMA_BYTES_MAX} bytes and no control characters");
            return Err(Error::invalid("open", message));
        }
        if name.starts_with("pg_") {
            return Err(Error::invalid(
                "open",
                "PostgreSQL keeps schema names that start with `pg_` for itself",
            ));
        }
        Ok(Self(name.to_owned()))
    }

    /// The default.
    pub(crate) fn standard() -> Self {
        Self(DEFAULT_SCHEMA.to_owned())
    }

    /// The name as it is.
    pub(crate) fn plain(&self) -> &str {
        &self.0
    }

    /// The name as an identifier in a statement.
    pub(crate) fn quoted(&self) -> String {
        format!("\"{}\"", self.0.replace('"', "\"\""))
    }

    /// An object in it, as a literal in a statement.
    pub(crate) fn literal_of(&self, object: &str) -> String {
        let text = format!("{}.{object}", self.quoted());
        format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
    }
}

#[cfg(test)]
mod tests {
    use super::SchemaName;

    #[test]
    fn hostile_names_are_quoted() {
        let name = SchemaName::new(r#"a"b'c\d"#).expect("any name will do");
        assert_eq!(name.quoted(), r#""a""b'c\d""#);
        assert_eq!(name.literal_of("life"), r#"E'"a""b''c\\d".life'"#);
    }

    #[test]
    fn what_the_server_would_change_or_refuse_is_refused() {
        for name in ["", "pg_x", "a\0b", "a\nb", &"x".repeat(64)] {
            assert!(SchemaName::new(name).is_err(), "{name:?}");
        }
        assert!(SchemaName::new(&"x".repeat(63)).is_ok());
    }
}
