//! `queue migrate`.

use crate::place;

#[test]
fn the_schema_is_printed_without_a_database() {
    let place = place();
    let up = place.run(&["migrate", "--print", "--schema", "jobs"]).ok().text().to_owned();
    assert!(up.starts_with("CREATE SCHEMA IF NOT EXISTS \"jobs\";"), "{up}");
    let down = place.run(&["migrate", "--print", "--down", "--schema", "jobs"]).ok().text().to_owned();
    assert!(down.contains("DROP") && down.contains("\"jobs\""), "{down}");
    assert_eq!(place.run(&["migrate", "--print", "--schema", ""]).code, 2, "a bad name");
    assert_eq!(place.run(&["migrate", "--down"]).code, 2, "nothing is taken back but in print");
    assert!(!place.path().join("queue.db").exists(), "no store was opened");
}

#[test]
fn a_store_is_brought_up_to_date() {
    let place = place();
    assert_eq!(place.run(&["migrate"]).ok().text(), "created an empty sqlite store\n");
    assert_eq!(place.run(&["migrate"]).ok().text(), "the sqlite store is up to date\n");
    assert!(place.path().join("queue.db").exists());
}
