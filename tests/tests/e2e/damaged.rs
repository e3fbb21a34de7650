//! A worker on a store that is damaged ends, since waiting does not repair it.

use crate::place;
use std::fs;

const PAGE: usize = 4096;

/// A store whose last pages are noise: it opens, and its jobs cannot be read.
#[test]
fn a_worker_on_a_damaged_file_ends_with_the_exit_code_of_damage() {
    let place = place();
    let lines = (0..300).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
    place.run_with(&["enqueue", "--lines", "-"], lines.as_bytes()).ok();
    let path = place.path().join("queue.db");
    let whole = fs::read(&path).expect("the store is there");
    let pages = whole.len() / PAGE;
    // From which page on it is noise; with too many of them the file does not even open.
    for first in [pages * 5 / 8, pages * 6 / 8] {
        let mut bytes = whole.clone();
        let noise = bytes[first * PAGE..].iter_mut();
        noise.zip((0..=250_u8).cycle()).for_each(|(byte, noise)| *byte = noise ^ 0xa5);
        fs::write(&path, &bytes).expect("there is room");
        for more in [&[][..], &["--drain"]] {
            let ended = place.run(&[&["work", "--exec", "true"], more].concat()).code(6);
            assert!(ended.stderr.contains("error: the database file is damaged"), "{ended:?}");
        }
    }
}
