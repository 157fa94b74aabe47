//! What a skill says to the model when it is invoked.
//!
//! Commands in the body stay text: rendering runs nothing.

/// The text of an invocation: the body with its placeholders replaced, and the arguments at the end where no
/// placeholder took any.
///
/// `raw` is what the person typed after the skill's name; `names` are the arguments that the skill declares. The
/// placeholders are those of Claude Code 2.1.210: `$ARGUMENTS`, `$ARGUMENTS[N]` and `$N` counted from 0, and
/// `$name` for a declared name. A number without an argument stays as it is, a declared name becomes empty, one
/// backslash keeps a placeholder. Replaced text is not looked at again.
pub fn invocation(body: &str, raw: &str, names: &[String]) -> String {
    let raw = raw.trim();
    let body = body.trim_matches(['\n', '\r']);
    let arguments = Arguments {
        raw,
        words: split(raw),
        names,
    };
    let (mut text, replaced) = arguments.substituted(body);
    if !raw.is_empty() && !replaced {
        text.push_str("\n\nARGUMENTS: ");
        text.push_str(raw);
    }
    text
}

/// Words as a shell splits them: quotes group, a backslash takes the next character as it is. A quote that is
/// never closed ends with the text.
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

struct Arguments<'a> {
    raw: &'a str,
    words: Vec<String>,
    names: &'a [String],
}

/// A placeholder at the start of a text.
struct Placeholder<'a> {
    /// Its bytes.
    length: usize,
    /// What replaces it; `None` where it stays.
    value: Option<&'a str>,
}

impl Arguments<'_> {
    /// The text in one pass from left to right, and whether a placeholder was replaced.
    fn substituted(&self, body: &str) -> (String, bool) {
        let mut out = String::with_capacity(body.len());
        let mut replaced = false;
        let mut rest = body;
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            let Some(placeholder) = self.placeholder(from) else {
                out.push_str(before);
                out.push('$');
                rest = &from[1..];
                continue;
            };
            let backslashes = before.len() - before.trim_end_matches('\\').len();
            let escaped = backslashes % 2 == 1;
            out.push_str(if escaped { &before[..at - 1] } else { before });
            match placeholder.value.filter(|_| !escaped) {
                Some(value) => {
                    out.push_str(value);
                    replaced = true;
                }
                None => out.push_str(&from[..placeholder.length]),
            }
            rest = &from[placeholder.length..];
        }
        out.push_str(rest);
        (out, replaced)
    }

    /// The placeholder that a text, which begins with `$`, begins with.
    fn placeholder(&self, text: &str) -> Option<Placeholder<'_>> {
        let after = &text[1..];
        let named = self.names.iter().enumerate().filter(|(_, name)| !name.is_empty());
        let named = named.filter(|(_, name)| {
            after
                .strip_prefix(name.as_str())
                .is_some_and(|rest| !rest.starts_with('[') && ends_here(rest))
        });
        if let Some((index, name)) = named.max_by_key(|(_, name)| name.len()) {
            let value = self.words.get(index).map_or("", String::as_str);
            return Some(Placeholder {
                length: 1 + name.len(),
                value: Some(value),
            });
        }
        if let Some(rest) = after.strip_prefix("ARGUMENTS") {
            if let Some((digits, _)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
                && is_number(digits)
            {
                let length = 1 + "ARGUMENTS[]".len() + digits.len();
                return Some(Placeholder {
                    length,
                    value: self.word(digits),
                });
            }
            return ends_here(rest).then_some(Placeholder {
                length: 1 + "ARGUMENTS".len(),
                value: Some(self.raw),
            });
        }
        let digits = &after[..after.len() - after.trim_start_matches(|char: char| char.is_ascii_digit()).len()];
        let is_placeholder = is_number(digits) && ends_here(&after[digits.len()..]);
        is_placeholder.then(|| Placeholder {
            length: 1 + digits.len(),
            value: self.word(digits),
        })
    }

    fn word(&self, digits: &str) -> Option<&str> {
        self.words.get(digits.parse::<usize>().ok()?).map(String::as_str)
    }
}

fn is_number(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a name that stands before this text ends there.
fn ends_here(rest: &str) -> bool {
    !rest.starts_with(|char: char| char.is_ascii_alphanumeric() || char == '_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn placeholders() {
        let cases: &[(&str, &str, &[&str], &str)] = &[
            ("Fix $ARGUMENTS", "123", &[], "Fix 123"),
            (
                "$0|$1|$ARGUMENTS",
                r#""hello world" second"#,
                &[],
                r#"hello world|second|"hello world" second"#,
            ),
            ("$ARGUMENTS[1] $ARGUMENTS[0]", "a b", &[], "b a"),
            ("$0 $2", "one", &[], "one $2"),
            ("$0 $ARGUMENTS[7]", "one", &[], "one $ARGUMENTS[7]"),
            ("$issue:$branch.", "7", &["issue", "branch"], "7:."),
            ("$unknown $issue", "7", &["issue"], "$unknown 7"),
            ("$issues $issue[0] $issue", "7", &["issue"], "$issues $issue[0] 7"),
            ("$a-b $a", "1 2", &["a", "a-b"], "2 1"),
            (r"costs \$1.00 for $0", "x", &[], "costs $1.00 for x"),
            (r"\$1.00", "", &[], "$1.00"),
            (r"\\$0", "a", &[], r"\\a"),
            (r"\$ARGUMENTS \$name $0", "a", &["name"], "$ARGUMENTS $name a"),
            (r"\$HOME $0", "a", &[], r"\$HOME a"),
            ("$0 $1", "$1 $ARGUMENTS", &[], "$1 $ARGUMENTS"),
            ("$1st $0x $0", "a b", &[], "$1st $0x a"),
            ("$ARGUMENTS_FILE $0", "a", &[], "$ARGUMENTS_FILE a"),
            ("$ARGUMENTS[x]", "a", &[], "a[x]"),
            ("$$0 $", "a", &[], "$a $"),
            ("`$0` and ```sh\n$0\n```", "a", &[], "`a` and ```sh\na\n```"),
            ("${0} ${ARGUMENTS} $0", "a", &[], "${0} ${ARGUMENTS} a"),
            ("$99999999999999999999999 $0", "a", &[], "$99999999999999999999999 a"),
            ("é$0é", "ü", &[], "éüé"),
        ];
        for (body, raw, names, expected) in cases {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(invocation(body, raw, &names), *expected, "{body} <- {raw}");
        }
    }

    #[test]
    fn arguments_that_nobody_took_stand_at_the_end() {
        for (body, raw, expected) in [
            ("\nBody.\n", "feature-123", "Body.\n\nARGUMENTS: feature-123"),
            ("Body.\n", "  ", "Body."),
            ("$5", "a", "$5\n\nARGUMENTS: a"),
            (r"\$0", "a", "$0\n\nARGUMENTS: a"),
            ("Run !`date $0`", "now", "Run !`date now`"),
        ] {
            assert_eq!(invocation(body, raw, &[]), expected, "{body}");
        }
    }

    #[test]
    fn words() {
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
        fn any_text_is_rendered(body in r"[\\$0-9A-Za-z\[\] é]{0,30}", raw in r#"[a-z$'"\\ é]{0,12}"#) {
            let names = ["a".to_owned(), "é".to_owned()];
            invocation(&body, &raw, &names);
        }

        #[test]
        fn a_text_without_placeholders_stays(body in "[a-z!`$ ]{0,30}[a-z]") {
            prop_assert_eq!(invocation(&body, "", &[]), body);
        }
    }
}
