//! Characters that a name may not have: a terminal obeys them, or shows another text for them.

/// True of control characters, and of what changes lines or the direction of text.
pub fn is_hidden(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}');
    let isolates = matches!(c, '\u{2066}'..='\u{2069}');
    c.is_control() || turns || isolates || matches!(c, '\u{2028}' | '\u{2029}')
}
