//! The `queue` command and several processes, as a person or a script meets them.

mod bad_input;
mod balanced;
mod batching;
mod calls;
mod changing;
mod copying;
mod crowded;
mod damaged;
mod demo;
mod doctor;
mod draining;
mod enqueueing;
mod faulty_store;
mod hostile_ids;
mod hostile_looks;
mod hostile_store;
mod hostile_words;
mod interrupted;
mod killed;
mod leading;
mod limiting;
mod migrating;
mod narrow_tokens;
mod numbered;
mod observing;
mod one_trace;
mod one_view;
mod operating;
mod operation_waits;
mod pages;
mod project_files;
mod reading;
mod remote_working;
mod restarting;
mod scheduling;
mod screens;
mod seeing;
mod serving;
mod shell;
mod showing;
mod sick_screens;
mod soak;
mod store_wait;
mod suspended;
mod terminals;
mod unwritten;
mod watching;
mod working;

use queue_e2e::CommandDirectory;

fn place() -> CommandDirectory {
    CommandDirectory::new(env!("CARGO_BIN_EXE_queue-e2e"))
}

/// A store of each kind with this name: stores of this host, and stores on test servers.
fn stores(name: &str) -> Vec<String> {
    let own = std::process::id();
    let servers = [("QUEUE_TEST_POSTGRES_URL", "schema"), ("QUEUE_TEST_REDIS_URL", "namespace")];
    let on_servers = servers.iter().filter_map(|(variable, part)| {
        let url = std::env::var(variable).ok()?;
        let mark = if url.contains('?') { '&' } else { '?' };
        Some(format!("{url}{mark}{part}=e2e_{own}_{name}"))
    });
    [format!("sqlite:{name}.db"), format!("file:{name}")].into_iter().chain(on_servers).collect()
}
