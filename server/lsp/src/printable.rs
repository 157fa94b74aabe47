//! Texts from files and models, made harmless for terminals and for whoever decides by what they read.

/// A text on one line: what would move the cursor, or hide or turn text around, is shown as an escape.
pub fn printable(text: &str) -> String {
    escaped(text, &[])
}

/// The same for a text of several lines.
pub fn printable_lines(text: &str) -> String {
    escaped(text, &['\n', '\t'])
}

fn escaped(text: &str, allowed: &[char]) -> String {
    let hides = |char: char| {
        char.is_control()
            || matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
            || matches!(char, '\u{e0000}'..='\u{e007f}')
    };
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if hides(char) && !allowed.contains(&char) {
            shown.extend(char.escape_unicode());
        } else {
            shown.push(char);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_or_moves_text_is_shown() {
        for (text, line, lines) in [
            ("plain é 技能 🦀", "plain é 技能 🦀", "plain é 技能 🦀"),
            ("a\n\tb", "a\\u{a}\\u{9}b", "a\n\tb"),
            ("\u{1b}[2J\r", "\\u{1b}[2J\\u{d}", "\\u{1b}[2J\\u{d}"),
            (
                "gpj.\u{202e}exe\u{200b}",
                "gpj.\\u{202e}exe\\u{200b}",
                "gpj.\\u{202e}exe\\u{200b}",
            ),
        ] {
            assert_eq!(
                (printable(text).as_str(), printable_lines(text).as_str()),
                (line, lines)
            );
        }
    }
}
