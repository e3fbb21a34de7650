//! What a terminal shows after what a program has written to it.

/// The characters of a screen, each in a column. It knows what `queue top` writes: places,
/// clearing, and looks, which it leaves out.
///
/// A program that draws writes only what changed since the last frame: neither a blank nor a letter
/// that stood there before. So a test that looks for words among the bytes may wait for ever.
#[derive(Debug, Default)]
pub(crate) struct ScreenCells {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
    /// A sequence that has begun, without its escape.
    sequence: Option<String>,
    /// Bytes of a character whose rest is still to come.
    rest: Vec<u8>,
}

impl ScreenCells {
    /// Takes what was written.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(_) => self.rest.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = String::from_utf8_lossy(&self.rest[..whole]).into_owned();
        self.rest.drain(..whole);
        for character in text.chars() {
            self.take(character);
        }
    }

    /// The lines, without blanks at their ends.
    pub(crate) fn text(&self) -> String {
        let line = |row: &Vec<char>| row.iter().collect::<String>().trim_end().to_owned();
        self.rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn take(&mut self, character: char) {
        match (&mut self.sequence, character) {
            (None, '\u{1b}') => self.sequence = Some(String::new()),
            (None, '\r') => self.column = 0,
            (None, '\n') => self.row += 1,
            (None, character) => self.put(character),
            (Some(sequence), character) => {
                sequence.push(character);
                // `[`, parameters, and a letter that ends it.
                if sequence.len() > 1 && matches!(character, '@'..='~') || !sequence.starts_with('[') {
                    let sequence = self.sequence.take().unwrap_or_default();
                    self.obey(&sequence);
                }
            }
        }
    }

    fn obey(&mut self, sequence: &str) {
        if let Some(place) = sequence.strip_prefix('[').and_then(|rest| rest.strip_suffix('H')) {
            let mut places = place.split(';').map(|place| place.parse().unwrap_or(1_usize));
            let mut place = || places.next().unwrap_or(1).saturating_sub(1);
            (self.row, self.column) = (place(), place());
        } else if matches!(sequence, "[2J" | "[?1049h" | "[?1049l") {
            self.rows.clear();
        }
    }

    fn put(&mut self, character: char) {
        if self.rows.len() <= self.row {
            self.rows.resize_with(self.row + 1, Vec::new);
        }
        let row = &mut self.rows[self.row];
        if row.len() <= self.column {
            row.resize(self.column + 1, ' ');
        }
        row[self.column] = character;
        self.column += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::ScreenCells;

    #[test]
    fn what_is_drawn_in_pieces_is_read_whole() {
        let mut cells = ScreenCells::default();
        cells.write(b"\x1b[?1049h\x1b[1;1H\x1b[1mQUEUE  \xe5\xad");
        cells.write(b"\x97\x1b[2;3HReading.\x1b[38;5;1;49m\x1b[?25l");
        assert_eq!(cells.text(), "QUEUE  \u{5b57}\n  Reading.");
        cells.write(b"\x1b[1;2Hno \x1b[1;6Hmore\x1b[2");
        assert_eq!(cells.text().lines().next(), Some("Qno Emore"));
        cells.write(b"J\x1b[1;1Hend");
        assert_eq!(cells.text(), "end");
    }
}
