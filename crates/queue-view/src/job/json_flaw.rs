//! How deep a JSON text is nested.

/// Whether a JSON text is nested no deeper than this. Of a text that is no JSON the answer may be
/// either. It looks at each byte once, and needs no memory, however deep the text is.
pub fn depth_is_at_most(text: &[u8], most: usize) -> bool {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut is_escaped = false;
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > most {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::depth_is_at_most;

    #[test]
    fn brackets_count_unless_they_are_in_text() {
        for (text, depth) in [
            ("1", 0),
            ("[]", 1),
            (r#"{"a":[{"b":1}]}"#, 3),
            (r#"["[[[["]"#, 1),
            (r#"["\"[[[["]"#, 1),
            (r#"["\\",[]]"#, 2),
            ("[[],[],[]]", 2),
        ] {
            assert!(depth_is_at_most(text.as_bytes(), depth), "{text}");
            assert!(depth == 0 || !depth_is_at_most(text.as_bytes(), depth - 1), "{text}");
        }
        assert!(!depth_is_at_most("[".repeat(10_000).as_bytes(), 64));
    }
}
