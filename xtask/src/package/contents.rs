//! What a package must hold, and must not.

const REQUIRED: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
/// They need crates that the package does not know.
const UNWANTED: &str = "tests/";

/// What is wrong with the files of a package.
pub(super) fn findings(files: &[String]) -> Vec<String> {
    let has = |name: &str| files.iter().any(|file| file == name);
    let missing = REQUIRED.iter().filter(|name| !has(name)).map(|name| format!("{name} is missing"));
    let unwanted = files.iter().filter(|file| file.starts_with(UNWANTED));
    missing.chain(unwanted.map(|file| format!("{file} does not belong into a package"))).collect()
}

#[cfg(test)]
mod tests {
    use super::{REQUIRED, findings};

    fn with(more: &[&str]) -> Vec<String> {
        REQUIRED.iter().chain(more).map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_complete_package_passes() {
        assert!(findings(&with(&["src/lib.rs"])).is_empty());
    }

    #[test]
    fn each_missing_file_and_each_test_is_found() {
        for at in 0..REQUIRED.len() {
            let mut files = with(&[]);
            let missing = files.remove(at);
            assert_eq!(findings(&files), [format!("{missing} is missing")]);
        }
        assert_eq!(findings(&with(&["tests/it.rs"])).len(), 1);
    }
}
