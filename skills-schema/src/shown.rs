//! Texts as people are shown them: on one line, and not too long.

use std::borrow::Cow;

/// The words of a text, with one space between them.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// The first characters of a text, and `…` where there are more.
pub fn shortened(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_shown_whole_and_what_does_not_says_so() {
        assert_eq!(one_line(" a\n\t b\u{3000}c\r\n"), "a b c");
        assert_eq!(shortened("äbc", 3), "äbc");
        assert_eq!(shortened("äbcd", 3), "äbc…");
        assert_eq!(shortened("ä bcd", 2), "ä…");
        assert_eq!(shortened("", 0), "");
    }
}
