//! The whole terminal as a screen, for `queue top`.

use super::terminal::is_drawn_on;
use ratatui::DefaultTerminal;
use std::io::{self, IsTerminal};

/// The terminal of this process, drawn on by ratatui alone until this is dropped: then it is as it
/// was, and a panic puts it back too, before its message.
#[derive(Debug)]
pub(crate) struct Screen(DefaultTerminal);

impl Screen {
    pub(crate) fn begin() -> io::Result<Self> {
        let terminal = ratatui::try_init();
        if terminal.is_err() {
            // It may have begun.
            ratatui::restore();
        }
        terminal.map(Self)
    }

    pub(crate) const fn terminal(&mut self) -> &mut DefaultTerminal {
        &mut self.0
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // No one is left to tell if it fails.
        drop(self.0.show_cursor());
        drop(ratatui::try_restore());
    }
}

/// Whether there is a terminal for a screen and for keys.
pub(crate) fn is_screen() -> bool {
    io::stdin().is_terminal() && is_drawn_on()
}
