/// What this host calls itself; a word that says so where it does not tell.
pub(super) fn host_name() -> String {
    let name = told();
    if name.is_empty() { "unknown host".to_owned() } else { name }
}

#[cfg(unix)]
fn told() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn told() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}
