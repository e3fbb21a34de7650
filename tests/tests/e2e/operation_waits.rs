//! Changes of many jobs that cannot go on, and say why.

use crate::place;
use queue_e2e::{CommandDirectory, until};
use rustix::process::Signal;

/// Mounts a small file system, fills it with jobs and another file, leaves 64 KiB, and continues as
/// the command. `$0` is the program.
const ON_A_NEARLY_FULL_DISK: &str = r#"
mkdir disk && mount -t tmpfs -o size=4m tmpfs disk || exit 1
export QUEUE_STORE=sqlite:disk/queue.db
seq 1 5000 | "$0" enqueue --lines - || exit 1
dd if=/dev/zero of=disk/filler bs=4096 2> streams
truncate -s -65536 disk/filler
exec "$0" delete --state queued --yes
"#;

#[test]
fn an_operation_on_a_full_disk_says_what_it_waits_for_and_how_to_end_it() {
    let program = env!("CARGO_BIN_EXE_queue-e2e");
    let host = CommandDirectory::new("unshare");
    let mut running =
        host.start(&["--user", "--map-root-user", "--mount", "sh", "-c", ON_A_NEARLY_FULL_DISK, program]);
    let warned = until("it says why it waits, or may not mount", || {
        let warned = running.stderr().contains("waits: the disk or its quota is full");
        (warned || running.has_ended()).then_some(warned)
    });
    if !warned {
        let ended = running.wait();
        assert!(ended.stderr.contains("unshare") || ended.stderr.contains("mount"), "{ended:?}");
        eprintln!("skipped: this user may not mount anything");
        return;
    }
    running.signal(Signal::INT);
    let ended = running.wait().code(130);
    assert!(ended.stderr.contains("Ctrl-C ends this command, and `queue bulk run` goes on"), "{ended:?}");
}

#[test]
fn an_operation_whose_queue_is_paused_says_so_and_goes_on_when_it_is_resumed() {
    let place = place();
    place.run(&["enqueue", "x"]).ok();
    place.run(&["pause", "--queue", "queue.operations"]).ok();
    let running = place.start(&["delete", "--state", "queued", "--yes"]);
    until("it says why it waits", || running.stderr().contains("its queue is paused").then_some(()));
    place.run(&["resume", "--queue", "queue.operations"]).ok();
    assert_eq!(running.wait().ok().text(), "deleted 1 job\n");
}
