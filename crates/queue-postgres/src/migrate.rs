//! Brings a schema to the version of this library, beside others that start at the same time.

use crate::{
    connection::BEGIN,
    error::{Effect, explain},
    options::{Migrations, PostgresOptions},
    schema::SchemaName,
    statements::{Filling, fill},
};
use queue_core::{Error, ErrorKind, Result};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

/// One step of the tables. In its texts `{schema}` stands for the quoted name of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The version that this step makes.
    pub version: u32,
    /// The statements that make it.
    pub up: &'static str,
    /// The statements that take it back, with all that is stored in its tables.
    pub down: &'static str,
}

/// Every migration, in order.
pub const MIGRATIONS: &[Migration] = &[Migration {
    version: 2,
    up: concat!(
        include_str!("../sql/0002_initial.sql"),
        include_str!("../sql/functions/slips.sql"),
        include_str!("../sql/functions/limit_of.sql"),
        include_str!("../sql/functions/look_at_partitions.sql"),
        include_str!("../sql/functions/take_partition_slips.sql"),
        include_str!("../sql/functions/next_fronts.sql"),
        include_str!("../sql/functions/lease_fronts.sql"),
        include_str!("../sql/functions/claim_in_turn.sql"),
    ),
    down: include_str!("../sql/0002_down.sql"),
}];

const FIND_OBJECTS: &str = include_str!("../sql/find_objects.sql");
const LOAD_VERSION: &str = include_str!("../sql/load_version.sql");
const LOCK: &str = include_str!("../sql/lock_migrations.sql");
const SAVE_VERSION: &str = include_str!("../sql/save_version.sql");
const TABLE: &str = include_str!("../sql/migration_table.sql");

/// The statements that opening would run on a new schema, as plain SQL, for people who apply it
/// with a migrator of their own or with rights that the application lacks. Open the store with
/// [`Migrations::Expect`] then.
///
/// ```
/// let sql = queue_postgres::schema("jobs")?;
/// assert!(sql.starts_with("CREATE SCHEMA IF NOT EXISTS \"jobs\";"));
/// # Ok::<(), queue_core::Error>(())
/// ```
///
/// # Errors
/// `Invalid` for a name that PostgreSQL would change or refuse.
pub fn schema(name: &str) -> Result<String> {
    let schema = SchemaName::new(name)?;
    let mut sql = format!("CREATE SCHEMA IF NOT EXISTS {};\n\n{}", schema.quoted(), render(&schema, TABLE));
    for migration in MIGRATIONS {
        sql.push('\n');
        sql.push_str(&render(&schema, migration.up));
        sql.push_str(&render(&schema, &SAVE_VERSION.replace("$1", &migration.version.to_string())));
    }
    Ok(sql)
}

/// The statements that take everything back, as plain SQL: every job of the schema is lost.
///
/// # Errors
/// `Invalid` for a name that PostgreSQL would change or refuse.
pub fn schema_down(name: &str) -> Result<String> {
    let schema = SchemaName::new(name)?;
    let mut sql = String::new();
    for migration in MIGRATIONS.iter().rev() {
        sql.push_str(&render(&schema, migration.down));
    }
    sql.push_str(&render(&schema, "DROP TABLE {schema}.migration;\n"));
    Ok(sql)
}

/// Applies what is missing, or says why not. Answers the number by which the server knows the
/// schema.
pub(crate) async fn migrate(connection: &mut PgConnection, options: &PostgresOptions) -> Result<i64> {
    let mut transaction = connection.begin_with(BEGIN).await.map_err(refused)?;
    let found = find(&mut transaction, &options.schema).await.map_err(refused)?;
    transaction.rollback().await.map_err(refused)?;
    let version = check(&options.schema, &found)?;
    if let (Some(oid), true) = (found.oid, version == newest()) {
        return Ok(oid);
    }
    if options.migrations == Migrations::Expect {
        return Err(missing(&options.schema, version));
    }
    apply(connection, &options.schema).await
}

/// The version that this library makes and reads.
pub(crate) fn newest() -> i32 {
    MIGRATIONS.last().map_or(0, |migration| migration.version.cast_signed())
}

/// The oldest version that this library brings up to date.
fn oldest() -> i32 {
    MIGRATIONS.first().map_or(0, |migration| migration.version.cast_signed())
}

/// What was found in a schema.
struct SchemaState {
    oid: Option<i64>,
    /// The newest migration that was applied; none if there is no record of any.
    version: Option<i32>,
    /// A table of ours, or of our name.
    has_table: bool,
}

async fn find(connection: &mut PgConnection, schema: &SchemaName) -> sqlx::Result<SchemaState> {
    let row =
        sqlx::query(FIND_OBJECTS).bind(schema.plain()).persistent(false).fetch_one(&mut *connection).await?;
    let version = if row.try_get(1)? {
        let text = render(schema, LOAD_VERSION);
        Some(sqlx::query(AssertSqlSafe(text)).persistent(false).fetch_one(connection).await?.try_get(0)?)
    } else {
        None
    };
    Ok(SchemaState { oid: row.try_get(0)?, version, has_table: row.try_get(2)? })
}

/// Answers the version, if this library can work with what was found or bring it up to date.
fn check(schema: &SchemaName, found: &SchemaState) -> Result<i32> {
    let version = found.version.unwrap_or(0);
    if version > newest() {
        let message = format!(
            "the schema {} has version {version} and this library knows {}; upgrade the library",
            schema.quoted(),
            newest()
        );
        return Err(Error::new(ErrorKind::Unsupported, "open", message));
    }
    if (1..oldest()).contains(&version) {
        let message = format!(
            "the schema {} has version {version}, of before the first release, and this library reads {}; work its \
             jobs off with the library that wrote it, or name another schema",
            schema.quoted(),
            oldest()
        );
        return Err(Error::new(ErrorKind::Unsupported, "open", message));
    }
    if version == 0 && found.has_table {
        let message = format!(
            "the schema {} has a table `body` that this library did not make; name another schema",
            schema.quoted()
        );
        return Err(Error::invalid("open", message));
    }
    Ok(version)
}

fn missing(schema: &SchemaName, version: i32) -> Error {
    let message = format!(
        "the schema {} has version {version} and this library needs {}; apply `queue_postgres::schema`, or open with \
         migrations on",
        schema.quoted(),
        newest()
    );
    Error::new(ErrorKind::Unsupported, "open", message)
}

/// Migrates in one transaction, under a lock that others wait for.
async fn apply(connection: &mut PgConnection, schema: &SchemaName) -> Result<i64> {
    let mut transaction = connection.begin_with(BEGIN).await.map_err(refused)?;
    let lock = sqlx::query(LOCK).bind(schema.plain()).persistent(false);
    lock.execute(&mut *transaction).await.map_err(refused)?;
    let found = find(&mut transaction, schema).await.map_err(refused)?;
    let version = check(schema, &found)?;
    run(&mut transaction, schema, &found, version).await.map_err(refused)?;
    let oid = find(&mut transaction, schema).await.map_err(refused)?.oid;
    transaction.commit().await.map_err(refused)?;
    oid.ok_or_else(|| Error::new(ErrorKind::Internal, "open", "the schema is not there after its migration"))
}

async fn run(
    connection: &mut PgConnection,
    schema: &SchemaName,
    found: &SchemaState,
    version: i32,
) -> sqlx::Result<()> {
    if found.oid.is_none() {
        let create = format!("CREATE SCHEMA {}", schema.quoted());
        sqlx::raw_sql(AssertSqlSafe(create)).execute(&mut *connection).await?;
    }
    if found.version.is_none() {
        sqlx::raw_sql(AssertSqlSafe(render(schema, TABLE))).execute(&mut *connection).await?;
    }
    for migration in MIGRATIONS.iter().filter(|migration| migration.version.cast_signed() > version) {
        sqlx::raw_sql(AssertSqlSafe(render(schema, migration.up))).execute(&mut *connection).await?;
        let save = sqlx::query(AssertSqlSafe(render(schema, SAVE_VERSION)));
        save.bind(migration.version.cast_signed()).persistent(false).execute(&mut *connection).await?;
    }
    Ok(())
}

fn render(schema: &SchemaName, text: &str) -> String {
    let quoted = schema.quoted();
    fill(text, &|place| (place == "schema").then_some(Filling::Text(&quoted)))
}

/// A migration is a transaction that is simply begun again by the next open, so its outcome is
/// never in doubt.
fn refused(error: sqlx::Error) -> Error {
    explain("open", error, Effect::None)
}

#[cfg(test)]
mod tests {
    use super::schema;

    #[test]
    fn a_name_with_places_in_it_is_printed_as_it_is() {
        let plain = schema("plain").expect("a name");
        let odd = "{schema} $1 {";
        assert_eq!(schema(odd).expect("a name"), plain.replace("\"plain\"", &format!("\"{odd}\"")));
    }
}
