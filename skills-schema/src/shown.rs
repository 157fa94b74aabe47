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

/// The longest message of a finding, in characters: editors show hardly more in a line.
pub const MESSAGE: usize = 80;

/// A message of at most [`MESSAGE`] characters, as far as shortening what it quotes in backticks can do it. Of a path the
/// end stays, of anything else the beginning.
pub fn fit(message: String) -> String {
    let mut over = message.chars().count().saturating_sub(MESSAGE);
    if over == 0 {
        return message;
    }
    let mut parts: Vec<Cow<'_, str>> = message.split('`').map(Cow::Borrowed).collect();
    let quoted = 1..parts.len().saturating_sub(1);
    while over > 0 {
        let longest = quoted.clone().step_by(2).max_by_key(|at| parts[*at].chars().count());
        let Some(part) = longest.map(|at| &mut parts[at]) else {
            break;
        };
        let count = part.chars().count();
        let kept = count.saturating_sub(over + 1).max(QUOTED);
        if kept + 1 >= count {
            break;
        }
        over = over.saturating_sub(count - 1 - kept);
        *part = match part.char_indices().nth(count - kept) {
            Some((start, _)) if part.contains('/') => format!("…{}", &part[start..]).into(),
            _ => shortened(part, kept).into_owned().into(),
        };
    }
    parts.join("`")
}

/// So much of a quoted text stays at least, in characters.
const QUOTED: usize = 16;

/// The first and the last characters of a text, and between them how many are left out: `a… 4,213 more characters …z`.
/// Whoever decides by what they read sees where it begins and where it ends.
pub fn ends(text: &str, characters: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= characters {
        return text.into();
    }
    let first = characters * 2 / 3;
    let (start, rest) = text.split_at(text.char_indices().nth(first).map_or(text.len(), |(at, _)| at));
    let left_out = count - characters;
    let end = rest.char_indices().nth(left_out).map_or("", |(at, _)| &rest[at..]);
    format!("{start}… {} more characters …{end}", number(left_out)).into()
}

/// The same for lines: the first and the last, and a line between them that says how many are left out.
pub fn end_lines(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() <= most {
        return lines;
    }
    let (first, left_out) = (most * 2 / 3, lines.len() - most);
    let between = format!("… {} more lines …", number(left_out));
    lines.splice(first..first + left_out, [between]);
    lines
}

/// A number as people read it: `4,213`.
pub fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// How many characters a token of a language model has, about: of English and code.
pub const CHARACTERS_PER_TOKEN: usize = 4;

/// About how many tokens of a language model a text is.
pub fn estimated_tokens(text: &str) -> usize {
    text.chars().count().div_ceil(CHARACTERS_PER_TOKEN)
}

/// A number with a comma between thousands.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_shortened_where_it_quotes() {
        let long = "x".repeat(300);
        let name = fit(format!("`name` differs from folder `{long}`"));
        assert_eq!(name, format!("`name` differs from folder `{}…`", "x".repeat(50)));
        let path = fit(format!(
            "`/home/{long}/deploy/SKILL.md` replaces this skill; rename one"
        ));
        assert!(
            path.starts_with("`…xx") && path.contains("/deploy/SKILL.md` replaces"),
            "{path}"
        );
        assert_eq!(path.chars().count(), MESSAGE);
        assert_eq!(fit("short".to_owned()), "short");
        assert!(fit(format!("`{long}` and `{long}`")).chars().count() <= MESSAGE);
        assert_eq!(fit(long.clone()), long);
        assert_eq!(fit(format!("`{long}")), format!("`{long}"));
    }

    #[test]
    fn what_fits_is_shown_whole_and_what_does_not_says_so() {
        assert_eq!(one_line(" a\n\t b\u{3000}c\r\n"), "a b c");
        assert_eq!(shortened("äbc", 3), "äbc");
        assert_eq!(shortened("äbcd", 3), "äbc…");
        assert_eq!(shortened("ä bcd", 2), "ä…");
        assert_eq!(shortened("", 0), "");
        assert_eq!(ends("äbcdef", 6), "äbcdef");
        assert_eq!(ends("äbcdefghij", 6), "äbcd… 4 more characters …ij");
        assert_eq!(ends(&"x".repeat(5_000), 0), "… 5,000 more characters …");
        let lines = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(end_lines(lines("abc"), 3), ["a", "b", "c"]);
        assert_eq!(end_lines(lines("abcdef"), 3), ["a", "b", "… 3 more lines …", "f"]);
        let numbers = [0, 999, 1_000, 1_234_567].map(number);
        assert_eq!(numbers, ["0", "999", "1,000", "1,234,567"]);
    }
}
