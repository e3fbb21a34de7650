//! Touches by the operating system, when a file of a directory is written.

use super::Signal;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::{
    ffi::OsStr,
    io,
    path::Path,
    sync::{Arc, Weak},
};

/// Touches a [`Signal`] whenever one file of a directory is made or written, as long as this lives.
#[derive(Debug)]
pub struct DirectoryWatch {
    watcher: Option<RecommendedWatcher>,
    /// Ends with the handler of events, which the thread of the watcher owns.
    handler: Weak<()>,
}

impl DirectoryWatch {
    /// Begins to watch for the file of this name.
    ///
    /// # Errors
    /// The errors of the operating system, which has a limit on watches and on threads. The caller
    /// polls then.
    pub fn start(directory: &Path, file: &OsStr, signal: &Arc<Signal>) -> io::Result<Self> {
        let held = Arc::new(());
        let handler = Arc::downgrade(&held);
        let file = file.to_owned();
        let signal = signal.clone();
        let touched = move |event: notify::Result<Event>| {
            let _ = &held;
            let is_file = |event: &Event| event.paths.iter().any(|path| path.file_name() == Some(&*file));
            if event.is_ok_and(|event| (event.kind.is_modify() || event.kind.is_create()) && is_file(&event))
            {
                signal.touch_until_taken();
            }
        };
        let watcher = notify::recommended_watcher(touched).map_err(io::Error::other)?;
        let mut watch = Self { watcher: Some(watcher), handler };
        watch.add(directory)?;
        Ok(watch)
    }

    /// The watcher starts a thread and does not say whether the system has given it one. Without
    /// the thread every call to it panics, and so does dropping it.
    fn add(&mut self, directory: &Path) -> io::Result<()> {
        let is_running = self.is_running();
        match &mut self.watcher {
            Some(watcher) if is_running => {
                watcher.watch(directory, RecursiveMode::NonRecursive).map_err(io::Error::other)
            }
            _ => Err(io::Error::other("the system starts no thread that would watch")),
        }
    }

    fn is_running(&self) -> bool {
        self.handler.strong_count() > 0
    }
}

impl Drop for DirectoryWatch {
    fn drop(&mut self) {
        let watcher = self.watcher.take();
        if self.is_running() {
            drop(watcher);
        } else {
            // A channel and a descriptor are lost, and the process goes on.
            std::mem::forget(watcher);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DirectoryWatch, Signal};
    use crate::watcher::Wake;
    use std::{ffi::OsStr, fs, sync::Arc, time::Duration};

    #[test]
    fn a_write_of_the_file_touches_and_one_of_another_does_not() {
        let directory = tempfile::tempdir().expect("a directory");
        let signal = Arc::new(Signal::default());
        let watch = DirectoryWatch::start(directory.path(), OsStr::new("mark"), &signal).expect("it watches");
        fs::write(directory.path().join("other"), "x").expect("there is room");
        fs::write(directory.path().join("mark"), "x").expect("there is room");
        assert_eq!(signal.wait_for_touch(Duration::from_mins(1)), Wake::Touched);
        signal.stop();
        drop(watch);
    }

    #[test]
    fn a_directory_that_is_not_there_is_an_error() {
        let signal = Arc::new(Signal::default());
        let missing = tempfile::tempdir().expect("a directory").path().join("missing");
        assert!(DirectoryWatch::start(&missing, OsStr::new("mark"), &signal).is_err());
    }

    /// What is left when the system starts no thread: the handler was dropped.
    #[test]
    fn a_watcher_without_its_thread_is_an_error_and_harms_nothing() {
        let directory = tempfile::tempdir().expect("a directory");
        let signal = Arc::new(Signal::default());
        let mut watch =
            DirectoryWatch::start(directory.path(), OsStr::new("mark"), &signal).expect("it watches");
        watch.handler = std::sync::Weak::new();
        assert!(watch.add(directory.path()).is_err());
        signal.stop();
    }
}
