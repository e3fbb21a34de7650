//! The parameters of a process with writes of its own, and its store.

use crate::common::server::url;
use queue_postgres::{PostgresOptions, PostgresStorage};
use std::{
    env,
    process::{Command, Stdio},
    sync::Arc,
};

const SCHEMA: &str = "QUEUE_TEST_PART_SCHEMA";
const NUMBER: &str = "QUEUE_TEST_PART_NUMBER";

/// The parameters of a process with writes of its own.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) schema: String,
    pub(crate) number: usize,
}

impl Part {
    /// `None` in the process that starts the others.
    pub(crate) fn of_this_process() -> Option<Self> {
        let number = env::var(NUMBER).ok()?.parse().expect("a number");
        Some(Self { schema: env::var(SCHEMA).expect("it comes with the number"), number })
    }

    /// The command that runs this test again in that part.
    pub(crate) fn command(&self, test: &str) -> Command {
        let mut command = Command::new(env::current_exe().expect("this test is a file"));
        command.args(["--exact", test, "--nocapture"]).stdout(Stdio::null());
        command.env(SCHEMA, &self.schema).env(NUMBER, self.number.to_string());
        command
    }
}

/// Opens a handle on the schema, with few connections.
pub(crate) async fn open(schema: &str) -> Arc<PostgresStorage> {
    let url = url().expect("whoever started this has a server");
    let options = PostgresOptions::new(&url).expect("a URL").schema(schema).expect("a name");
    Arc::new(PostgresStorage::open(options.connections_max(4)).await.expect("it opens"))
}
