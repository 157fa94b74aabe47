//! Divides the text of a shell into its commands, as far as that is certain.

/// The commands of a script.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// The words of each command.
    pub(super) commands: Vec<Vec<String>>,
    /// The files that redirections write, as far as they are plain words.
    pub(super) written: Vec<String>,
    /// Whether more may run than these words say: substitutions, redirections, patterns, nesting, open quotes.
    pub(super) is_uncertain: bool,
}

/// Where a redirection harms nobody.
const HARMLESS_TARGETS: &[&str] = &["/dev/null", "&1", "&2"];

/// Divides a script. Never fails: what it does not understand is uncertain, and then taken apart crudely too, so that
/// a rule that forbids something finds it at any depth.
pub(super) fn split(script: &str) -> Script {
    let mut reader = Reader {
        text: script,
        rest: script,
        word: None,
        words: Vec::new(),
        is_target: false,
        script: Script::default(),
    };
    reader.read();
    let mut found = reader.script;
    if found.is_uncertain {
        found.commands.extend(crude(script));
    }
    found
}

struct Reader<'a> {
    /// All of it.
    text: &'a str,
    /// What is not read yet.
    rest: &'a str,
    /// `None` between words; an empty word is one too.
    word: Option<String>,
    words: Vec<String>,
    /// Whether the next word names a file that is written.
    is_target: bool,
    script: Script,
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' => self.end_word(),
                '\n' | ';' | '|' => self.end_command(),
                '&' => {
                    self.script.is_uncertain |= self.rest.starts_with('>');
                    self.end_command();
                }
                '(' | ')' => {
                    self.script.is_uncertain = true;
                    self.end_command();
                }
                '\'' => self.single_quoted(),
                '"' => self.double_quoted(),
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(c) => self.push(c),
                    None => self.script.is_uncertain = true,
                },
                '<' | '>' => self.redirection(c),
                '$' | '`' | '*' | '?' | '[' | ']' | '{' | '}' => self.push_uncertain(c),
                '~' | '#' | '!' | '=' if self.word.is_none() => self.push_uncertain(c),
                c if c.is_control() => self.push_uncertain(c),
                c => self.push(c),
            }
        }
        self.end_command();
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn single_quoted(&mut self) {
        let word = self.word.get_or_insert_default();
        if let Some((text, rest)) = self.rest.split_once('\'') {
            word.push_str(text);
            self.rest = rest;
        } else {
            word.push_str(self.rest);
            self.rest = "";
            self.script.is_uncertain = true;
        }
    }

    fn double_quoted(&mut self) {
        self.word.get_or_insert_default();
        loop {
            match self.next() {
                Some('"') => return,
                Some('\\') => match self.next() {
                    Some('\n') => {}
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.push(c),
                    Some(c) => {
                        self.push('\\');
                        self.push(c);
                    }
                    None => self.script.is_uncertain = true,
                },
                Some(c @ ('$' | '`')) => self.push_uncertain(c),
                Some(c) => self.push(c),
                None => {
                    self.script.is_uncertain = true;
                    return;
                }
            }
        }
    }

    fn redirection(&mut self, c: char) {
        if let Some(number) = self.word.as_ref().filter(|_| self.ends_in_number()) {
            // Of longer ones some shells take the last digit alone.
            self.script.is_uncertain |= number.len() > 1;
            self.word = None;
        }
        self.end_word();
        // `>>` adds to a file; `<<` is followed by a text, whose end is the word behind it.
        let rest = self.rest.strip_prefix('>').filter(|_| c == '>').unwrap_or(self.rest);
        let rest = rest.trim_start_matches([' ', '\t']);
        let after = HARMLESS_TARGETS.iter().find_map(|target| rest.strip_prefix(target));
        match after.filter(|after| after.is_empty() || after.starts_with([' ', '\t', '\n', ';', '|'])) {
            Some(after) => self.rest = after,
            None => {
                self.is_target = c == '>';
                self.script.is_uncertain = true;
            }
        }
    }

    /// Whether the word before this redirection is the number of a stream: digits without any quotes.
    fn ends_in_number(&self) -> bool {
        let read = &self.text[..self.text.len() - self.rest.len()];
        let word = read
            .trim_end_matches(['<', '>'])
            .rsplit([' ', '\t', '\n', ';', '|', '&', '(', ')'])
            .next();
        word.is_some_and(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    fn push_uncertain(&mut self, c: char) {
        self.script.is_uncertain = true;
        self.push(c);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if std::mem::take(&mut self.is_target) {
            self.script.written.push(word.clone());
        }
        self.words.push(word);
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.script.commands.push(std::mem::take(&mut self.words));
        }
    }
}

/// Every piece that could be a command, without quotes, at whatever depth.
fn crude(script: &str) -> impl Iterator<Item = Vec<String>> {
    let script = script.replace("\\\n", "").replace(['"', '\'', '\\'], "");
    let separators = [';', '|', '&', '\n', '(', ')', '`', '{', '}', '<', '>'];
    let pieces: Vec<Vec<String>> = script
        .split(separators)
        .map(|piece| piece.split_whitespace().map(str::to_owned).collect())
        .filter(|words: &Vec<String>| !words.is_empty())
        .collect();
    pieces.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(script: &Script) -> Vec<String> {
        script.commands.iter().map(|words| words.join("·")).collect()
    }

    #[test]
    fn certain_scripts_are_their_commands() {
        for (script, expected) in [
            ("git status", &["git·status"][..]),
            ("a; b && c || d | e & f", &["a", "b", "c", "d", "e", "f"]),
            ("a\nb", &["a", "b"]),
            ("a \\\nb", &["a·b"]),
            ("echo 'x; rm y' \"z && w\" a\\ b", &["echo·x; rm y·z && w·a b"]),
            ("make 2>&1 >/dev/null | tail -5", &["make", "tail·-5"]),
            ("echo \"\" ''", &["echo··"]),
            ("kill \"1\">/dev/null ''2>/dev/null 3 2>/dev/null", &["kill·1·2·3"]),
            ("", &[]),
        ] {
            let found = split(script);
            assert_eq!(
                (shown(&found), found.is_uncertain),
                (expected.iter().map(|it| (*it).to_owned()).collect(), false),
                "{script}"
            );
        }
    }

    #[test]
    fn what_may_hide_a_command_is_uncertain_and_still_found() {
        for script in [
            "echo $(rm x)",
            "echo `rm x`",
            "echo \"$(rm x)\"",
            "cat <(rm x)",
            "echo ${a:-$(rm x)}",
            "(rm x)",
            "{ rm x; }",
            "echo \"a `rm x`\"",
            "echo 'open $( rm x",
        ] {
            let found = split(script);
            assert!(found.is_uncertain, "{script}");
            assert!(
                shown(&found).iter().any(|command| command == "rm·x"),
                "{script}: {found:?}"
            );
        }
        for script in [
            "rm${IFS}x",
            "echo ${x@P}",
            "echo ${x:=y}",
            "echo ${!x}",
            "touch {a,b}",
            "rm *",
            "cat ~/x",
            "echo x > f",
            "cat < f",
            "cat <<E\nx\nE",
            "x &> f",
            "echo 'open",
            "echo \"open",
            "a # b",
            "=ls",
            "echo x >/dev/nullx",
            "a\\",
            "cat << /dev/null\ncat '\n/dev/null\nrm x\ncat '",
            "cat <<&1\n&1",
            "cat 12>/dev/null",
        ] {
            assert!(split(script).is_uncertain, "{script}");
        }
    }
}
