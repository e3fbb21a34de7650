//! A process that takes a part in a load and is killed.

use crate::{common::server::url, load::params};
use queue_core::Storage;
use queue_postgres::{PostgresOptions, PostgresStorage};
use queue_testkit::history::{Load, LoadParams, Params, Tape};
use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
    sync::Arc,
};

const SCHEMA: &str = "QUEUE_TEST_PART_SCHEMA";
const NUMBER: &str = "QUEUE_TEST_PART_NUMBER";
const TAPE: &str = "QUEUE_TEST_PART_TAPE";

/// What one of the processes is told.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) schema: String,
    pub(crate) number: usize,
    pub(crate) tape: PathBuf,
}

impl Part {
    /// None in the process that starts the others.
    pub(crate) fn of_this_process() -> Option<Self> {
        let number = env::var(NUMBER).ok()?.parse().expect("a number");
        let schema = env::var(SCHEMA).expect("it comes with the number");
        Some(Self { schema, number, tape: env::var_os(TAPE).expect("it comes with the number").into() })
    }

    /// This very test again, in that part.
    pub(crate) fn command(&self, test: &str) -> Command {
        let mut command = Command::new(env::current_exe().expect("this test is a file"));
        command.args(["--exact", test, "--nocapture"]).stdout(Stdio::null());
        command.env(SCHEMA, &self.schema).env(NUMBER, self.number.to_string()).env(TAPE, &self.tape);
        command
    }

    pub(crate) async fn open(&self) -> Arc<PostgresStorage> {
        let url = url().expect("whoever started this has a server");
        let options = PostgresOptions::new(&url).expect("a URL").schema(&self.schema).expect("a name");
        Arc::new(PostgresStorage::open(options.connections_max(4)).await.expect("it opens"))
    }

    /// Does everything that the contract has, for ever.
    pub(crate) async fn load(&self) {
        let tape = Tape::create(&self.tape).expect("there is room for a recording");
        let store: Arc<dyn Storage> = Arc::new(tape.wrap(self.open().await));
        let tasks = Params { producers: 1, workers: 2, meddlers: 1, ..Params::default() };
        let params =
            LoadParams { name: self.number.to_string(), tasks, waiters: 1, ..params(self.number as u64) };
        Load::start(vec![store], tape.recorder().clone(), params).go_on_for_ever().await;
    }
}
