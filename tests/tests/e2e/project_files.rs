//! A whole workload from the shell: two workers hash the project's files, and one of them is
//! killed.

use crate::place;
use queue_e2e::{CommandDirectory, until};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Each file is three processes; the killed worker has done twenty of them.
const FILES_MAX: usize = 80;

#[test]
fn the_projects_files_are_hashed_although_a_worker_is_killed_part_way() {
    let place = place();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package is inside the project");
    let files = files(root);
    let root = &copy(root, &files, &place.path().join("project"));
    let lines = files.join("\n");
    let enqueued =
        place.run_with(&["enqueue", "--lines", "-", "--ids", "payload", "--json"], lines.as_bytes()).ok();
    assert_eq!(enqueued.objects().last().expect("a summary")["accepted"], files.len());

    let finished = kill_one_worker_and_let_another_finish(&place, root);
    assert!(finished["rescued"].as_u64() > Some(0), "the killed worker held nothing: {finished}");
    assert_eq!(finished["failed"], 0);

    let direct = direct(root, &files);
    assert_eq!(direct.len(), files.len());
    for (file, line) in files.iter().zip(direct) {
        assert_eq!(place.run(&["result", file]).ok().text(), format!("{line}\n"));
    }
    let stats = place.run(&["stats", "--json"]).ok().object();
    assert_eq!((&stats["completed"], &stats["total"]), (&files.len().into(), &files.len().into()));
}

/// The first worker's commands hang once it has done its share, so that it certainly holds jobs in
/// mid-work when it is killed. Returns the summary of the second.
fn kill_one_worker_and_let_another_finish(place: &CommandDirectory, root: &Path) -> Value {
    let hash =
        format!("cd '{}' && printf '%s\\0' \"$QUEUE_PAYLOAD\" | xargs -0 sha256sum --", root.display());
    let hold = place.path().join("hold");
    fs::write(&hold, "").expect("the directory is ours");
    // A job after the first twenty hangs. Its command ends with the killed worker, or with the
    // file.
    let share = "echo x >> started; test $(wc -l < started) -le 20 || while [ -e hold ]; do sleep 0.1; done";
    let hang = format!("{share}; {hash}");
    let first = place.start(&["work", "--exec", &hang, "--concurrency", "2", "--lease", "1s", "--json"]);
    until("the first worker has done its share and hangs", || {
        let stats = place.run(&["stats", "--json"]).ok().object();
        // Of the two that run, the later one is the twenty-first job at least.
        (stats["processing"] == 2 && stats["completed"].as_u64() >= Some(19)).then_some(())
    });
    assert_eq!(first.kill().code, 128 + 9);
    fs::remove_file(hold).expect("nobody else removes it");
    let second = place.run(&["work", "--exec", &hash, "--drain", "--json"]).ok();
    second.objects().pop().expect("a summary")
}

/// A sample of the files of the project, from all over it, as `git ls-files` lists them, or,
/// outside of a checkout, as they are on disk.
fn files(root: &Path) -> Vec<String> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output();
    let listed = listed.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    let mut files: Vec<String> = match listed {
        Some(names) => String::from_utf8_lossy(&names).split_terminator('\0').map(str::to_owned).collect(),
        None => walk(&root.join("crates")).iter().map(|path| relative(path, root)).collect(),
    };
    // A listed file may be deleted, and a line cannot hold every name.
    files.retain(|file| root.join(file).is_file() && !file.contains(['\\', '\n']));
    assert!(files.len() > 40, "too few files to kill a worker part-way");
    let every = files.len().div_ceil(FILES_MAX);
    files.into_iter().step_by(every).collect()
}

fn walk(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory of the project");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

fn relative(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).expect("it was found there").display().to_string()
}

/// Copies the files, so that an edit of the project meanwhile does not disturb the comparison.
fn copy(root: &Path, files: &[String], to: &Path) -> PathBuf {
    for file in files {
        let (from, to) = (root.join(file), to.join(file));
        fs::create_dir_all(to.parent().expect("it is below a directory")).expect("there is room");
        fs::copy(from, to).expect("the file was there a moment ago");
    }
    to.to_owned()
}

/// The expected output, from `sha256sum` without the queue.
fn direct(root: &Path, files: &[String]) -> Vec<String> {
    let mut command = Command::new("sha256sum");
    let output = command.arg("--").args(files).current_dir(root).output().expect("the system has sha256sum");
    String::from_utf8(output.stdout).expect("names are UTF-8").lines().map(str::to_owned).collect()
}
