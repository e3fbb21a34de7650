//! The name of the host, for people to look at.

/// What this host calls itself, or a text that says so where it has no name. It is for people who
/// look for a worker.
pub fn host_name() -> String {
    let name = system_name();
    if name.is_empty() { "unknown host".to_owned() } else { name }
}

#[cfg(unix)]
fn system_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn system_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
