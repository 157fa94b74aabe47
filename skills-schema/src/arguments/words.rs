//! What a person typed behind a skill's name, word by word.

/// Words as a shell splits them: quotes group, a backslash takes the next character as it is. A quote that is never
/// closed ends with the text.
pub fn split(raw: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = raw.chars().peekable();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(open), char) if char == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(char);
                // An empty pair of quotes is an empty word.
                word.get_or_insert_default();
            }
            (None, char) if char.is_whitespace() => words.extend(word.take()),
            (None | Some('"'), '\\') => {
                let escapes = |next: &char| quote.is_none() || "\"\\$`".contains(*next);
                word.get_or_insert_default()
                    .push(chars.next_if(escapes).unwrap_or('\\'));
            }
            (_, char) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

/// A text that [`split`] splits into these words.
pub fn join<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = |word: &str| {
        let is_plain = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "'\"\\".contains(c));
        if is_plain {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_split_as_a_shell_splits_them() {
        for (raw, expected) in [
            ("a  b\tc", &["a", "b", "c"][..]),
            (r#""a b" 'c "d"' e"#, &["a b", r#"c "d""#, "e"]),
            (r#"a\ b "x\"y" 'x\y'"#, &["a b", "x\"y", r"x\y"]),
            ("pre'mid dle'post", &["premid dlepost"]),
            ("'' a", &["", "a"]),
            ("fix #123 $(rm) | x", &["fix", "#123", "$(rm)", "|", "x"]),
            ("it's open", &["its open"]),
            ("end\\", &["end\\"]),
            ("", &[]),
        ] {
            assert_eq!(split(raw), expected, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn joined_words_are_split_again(words in prop::collection::vec(r#"[a-z'"\\ $é]{0,6}"#, 0..5)) {
            prop_assert_eq!(split(&join(words.iter().map(String::as_str))), words);
        }
    }
}
