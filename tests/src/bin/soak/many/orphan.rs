//! The end of a process whose parent has ended.

use crate::failed::Failed;
use std::{io, thread::Builder};

/// Ends this process once the other end of its standard input is closed, as by the end of its
/// parent.
pub(crate) fn end_with_parent() -> Result<(), Failed> {
    let orphaned = || {
        drop(io::copy(&mut io::stdin(), &mut io::sink()));
        std::process::exit(0);
    };
    Builder::new().name("orphan-watch".to_owned()).spawn(orphaned)?;
    Ok(())
}
