//! What the patterns of rules match: strictly, where a rule allows, and widely, where it forbids or asks.

use globset::{GlobBuilder, GlobMatcher};

use super::{command_line, shell_syntax};
use crate::catalog::ignoring;
use crate::network;

/// Short names of subcommands: what forbids the long one forbids them.
const SHORT: &[(&str, &str, &[&str])] = &[
    ("bun", "install", &["i"]),
    ("cargo", "build", &["b"]),
    ("cargo", "run", &["r"]),
    ("cargo", "test", &["t"]),
    ("docker", "rm", &["remove"]),
    ("npm", "exec", &["x"]),
    (
        "npm",
        "install",
        &[
            "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "add",
        ],
    ),
    ("npm", "run", &["run-script", "rum", "urn"]),
    ("npm", "test", &["t", "tst"]),
    ("npm", "uninstall", &["un", "r", "rm", "remove", "unlink"]),
    ("pnpm", "install", &["i", "add"]),
    ("pnpm", "remove", &["rm", "uninstall", "un"]),
];

/// Programs that take the beginning of a subcommand for all of it.
const ABBREVIATING: &[&str] = &[
    "bundle", "composer", "fossil", "gem", "gradle", "gradlew", "hg", "ip", "npm", "rails", "tmux",
];

/// `git:*` and `git *` mean the word and what follows it; `*` elsewhere is any text.
pub(super) fn text(pattern: &str, text: &str) -> bool {
    if let Some(prefix) = prefix(pattern) {
        let rest = text.strip_prefix(prefix);
        return rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    }
    wildcard(pattern, text)
}

/// What a command must start with, where the pattern says no more.
fn prefix(pattern: &str) -> Option<&str> {
    let prefix = pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *"))?;
    (!prefix.contains('*')).then_some(prefix)
}

fn wildcard(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, between)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in between {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// Whether a command may be what a pattern means, however it is spelt: with its program's folder, with options and their
/// values between the words, with short names of subcommands, with quotes or without.
pub(super) fn words_widely(pattern: &str, words: &[String]) -> bool {
    let mut named = words.to_vec();
    if let Some(program) = named.first_mut() {
        *program = command_line::program(program).into_owned();
    }
    // `git-push` is a program of its own.
    if let Some((program, subcommand)) = named.first().and_then(|first| first.split_once('-'))
        && SUBCOMMANDS_AS_PROGRAMS.contains(&program)
    {
        let subcommand = subcommand.to_owned();
        named.splice(..1, [program.to_owned(), subcommand]);
    }
    let forms = [
        command_line::quoted(words),
        words.join(" "),
        command_line::quoted(&named),
        named.join(" "),
    ];
    forms.iter().any(|form| text(pattern, form)) || follows(pattern, &named)
}

/// Programs whose subcommands are programs too.
const SUBCOMMANDS_AS_PROGRAMS: &[&str] = &["git", "cargo"];

/// Whether the words of a pattern are found in a command in this order, with nothing but options and their values between.
/// An option of the pattern may stand anywhere behind.
fn follows(pattern: &str, words: &[String]) -> bool {
    let (stem, is_prefix) = match prefix(pattern) {
        Some(prefix) => (prefix, true),
        None => (pattern, false),
    };
    let mut tokens: Vec<String> = stem.split_whitespace().map(str::to_owned).collect();
    if !stem.contains('*') {
        let script = shell_syntax::split(stem);
        if let ([words], false) = (script.commands.as_slice(), script.is_uncertain) {
            tokens.clone_from(words);
        }
    }
    let (Some(program), Some(first)) = (tokens.first_mut(), words.first()) else {
        return false;
    };
    *program = command_line::program(program).into_owned();
    // `cargo +nightly` is one too.
    let is_option = |word: &str| word.len() > 1 && word.starts_with(['-', '+']);
    // For each number of tokens that are found: whether that can be, after a word that is an option or is none.
    let mut now = vec![[false; 2]; tokens.len() + 1];
    now[0][0] = true;
    for (at, word) in words.iter().enumerate() {
        let mut next = vec![[false; 2]; tokens.len() + 1];
        let after = usize::from(is_option(word));
        for (found, [plain, behind_option]) in now.iter().enumerate() {
            if !plain && !behind_option {
                continue;
            }
            let Some(token) = tokens.get(found) else {
                // All are found: what is left counts only where the pattern ends.
                if is_prefix {
                    return true;
                }
                continue;
            };
            if is_meant(token, word, first) {
                next[found + 1][after] = true;
            }
            let skips = is_option(word) || *behind_option || is_option(token);
            if at > 0 && skips || token == "*" {
                next[found][after] = true;
            }
            if token == "*" {
                next[found + 1][after] = true;
            }
        }
        now = next;
    }
    let left = tokens.iter().rev().take_while(|token| *token == "*").count();
    now.iter().rev().take(left + 1).any(|[plain, option]| *plain || *option)
}

/// Whether a word of a pattern means a word of a command.
fn is_meant(token: &str, word: &str, program: &str) -> bool {
    if token.contains('*') && wildcard(token, word) || token == word {
        return true;
    }
    if let Some(letter) = token.strip_prefix('-').filter(|letter| letter.chars().count() == 1) {
        // One of several in one word: `-rf`.
        return word.starts_with('-') && !word.starts_with("--") && word.contains(letter);
    }
    if token.starts_with("--") {
        // Programs take the beginning of a long option for all of it.
        let name = word.split('=').next().unwrap_or(word);
        return name.len() > 2 && token.starts_with(name);
    }
    if ABBREVIATING.contains(&program) && !word.is_empty() && token.starts_with(word) {
        return true;
    }
    SHORT
        .iter()
        .any(|(of, long, short)| *of == program && *long == token && short.contains(&word))
}

/// A pattern of paths, as in `.gitignore`: without a slash at any depth, else from the workspace's folder; `//` begins an
/// absolute path and `~/` one in the home folder, as in Claude Code.
#[derive(Debug)]
pub(super) struct Paths {
    strict: GlobMatcher,
    /// In whatever case of letters: what it names, and the folder of which it names all.
    wide: [GlobMatcher; 2],
    is_everything: bool,
    is_absolute: bool,
}

impl Paths {
    /// `None` where the pattern can't be read: an exception from others, or a variable, says nothing here.
    pub(super) fn of(pattern: &str) -> Option<Self> {
        if !ignoring::is_plain(pattern)
            || pattern.starts_with('!')
            || pattern.starts_with("$HOME")
            || pattern.contains("${")
        {
            return None;
        }
        let is_folder = pattern.len() > 1 && pattern.ends_with('/');
        let named = pattern.trim_end_matches('/');
        let below = named.trim_start_matches("./").trim_start_matches('/');
        let rooted = match named.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", globset::escape(&std::env::home_dir()?.to_string_lossy())),
            None if named.starts_with("//") => format!("/{below}"),
            None if pattern.contains('/') => below.to_owned(),
            None => format!("**/{below}"),
        };
        let build = |glob: &str, is_wide: bool| {
            let mut builder = GlobBuilder::new(glob);
            let glob = builder.literal_separator(true).case_insensitive(is_wide).build();
            glob.ok().map(|glob| glob.compile_matcher())
        };
        let stem = rooted.strip_suffix("/**").unwrap_or(&rooted);
        let strict = match is_folder {
            true => build(&format!("{rooted}/**"), false)?,
            false => build(&rooted, false)?,
        };
        Some(Self {
            strict,
            wide: [build(&rooted, true)?, build(stem, true)?],
            is_everything: matches!(stem, "" | "*" | "**" | "**/*" | "**/**"),
            is_absolute: rooted.starts_with('/'),
        })
    }

    /// Whether it names this path: from the workspace's folder, or absolute.
    pub(super) fn name(&self, path: &str) -> bool {
        self.is_absolute == path.starts_with('/') && self.strict.is_match(path)
    }

    /// The same in whatever case of letters, with all that is below what it names, and with the folder of which it names
    /// all.
    pub(super) fn reach(&self, path: &str) -> bool {
        // The folders above the workspace's may have any names.
        if self.is_absolute != path.starts_with('/') {
            return false;
        }
        let mut rest = path.trim_end_matches('/');
        while !rest.is_empty() {
            if self.wide.iter().any(|glob| glob.is_match(rest)) {
                return true;
            }
            rest = rest.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        self.is_everything
    }
}

/// Before a host that is meant although its address is private, perhaps with a port.
pub(super) const PRIVATE: &str = "private:";

/// The whole name, because `trusted.io.evil.com` begins with a trusted one; in its one form, however it is written.
pub(super) fn host(pattern: &str, host: &str, port: u16) -> bool {
    if let Some(named) = pattern.strip_prefix(PRIVATE) {
        let named = network::authority(named);
        return named.is_some_and(|(name, only)| name == host && only.is_none_or(|only| only == port));
    }
    let pattern = pattern.strip_prefix("domain:").unwrap_or(pattern);
    let normal = |name: &str| network::normal(name).unwrap_or_else(|| name.to_lowercase());
    match pattern.strip_prefix("*.") {
        Some(parent) => host
            .strip_suffix(&normal(parent))
            .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
        None => host == normal(pattern),
    }
}

/// Whether a pattern names a host, or with `*.` those below one.
pub(super) fn is_host(pattern: &str) -> bool {
    if let Some(named) = pattern.strip_prefix(PRIVATE) {
        return network::authority(named).is_some();
    }
    let name = pattern.strip_prefix("domain:").unwrap_or(pattern);
    network::normal(name.strip_prefix("*.").unwrap_or(name)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn patterns_that_allow() {
        for (pattern, line, expected) in [
            ("ls:*", "ls", true),
            ("ls:*", "ls -l", true),
            ("ls *", "ls -l", true),
            ("ls:*", "lsof", false),
            ("git * main", "git push main", true),
            ("git * main", "git push mainly", false),
            ("*rm*", "x rm y", true),
            ("npm test", "npm test", true),
            ("npm test", "npm test x", false),
            ("git push:*", "git -C . push", false),
        ] {
            assert_eq!(text(pattern, line), expected, "{pattern} {line}");
        }
        for (pattern, it, expected) in [
            ("src/**", "src/a/b.rs", true),
            ("/src/*", "src/b.rs", true),
            ("src/*", "src/a/b.rs", false),
            ("*.rs", "src/a/b.rs", true),
            ("src/**", "srcs/a", false),
            ("src/", "src/a/b.rs", true),
            ("[", "[", false),
            (&"{".repeat(100_000), "{", false),
            (&format!("{}a{}", "{".repeat(300), "}".repeat(300)), "a", false),
        ] {
            let found = Paths::of(pattern).is_some_and(|paths| paths.name(it));
            assert_eq!(found, expected, "{pattern} {it}");
        }
        for (pattern, it, expected) in [
            ("domain:trusted.io", "trusted.io", true),
            ("domain:Trusted.io.", "trusted.io", true),
            ("trusted.io", "trusted.io.evil.com", false),
            ("domain:trusted.io", "nottrusted.io", false),
            ("domain:*.trusted.io", "a.trusted.io", true),
            ("*.trusted.io", "atrusted.io", false),
            ("*.trusted.io", "trusted.io", false),
            ("domain:b\u{fc}cher.example", "xn--bcher-kva.example", true),
            ("domain:0x7f.1", "127.0.0.1", true),
            ("private:Intranet.example.", "intranet.example", true),
            ("private:intranet.example:443", "intranet.example", true),
            ("private:intranet.example:80", "intranet.example", false),
            ("private:*.example", "intranet.example", false),
            ("private:*", "intranet.example", false),
            ("private:[fd00::1]:443", "fd00::1", true),
        ] {
            assert_eq!(host(pattern, it, 443), expected, "{pattern} {it}");
        }
    }

    #[test]
    fn patterns_that_forbid_see_a_command_however_it_is_spelt() {
        for (pattern, line, expected) in [
            ("git push:*", "git push", true),
            ("git push:*", "git -C . push", true),
            ("git push:*", "git --no-pager push origin", true),
            ("git push:*", "git -c a=b push", true),
            ("git push:*", "git --git-dir=x --work-tree y push", true),
            ("git push:*", "git --git-dir x push", true),
            ("git push:*", "/usr/bin/git -P push", true),
            ("git push:*", "/usr/lib/git-core/git-push origin", true),
            ("git push:*", "GIT.EXE push", true),
            ("git push:*", "git log push", false),
            ("git push:*", "git commit -m push", false),
            ("git push:*", "git stash push", false),
            ("git push", "git -C . push", true),
            ("git push", "git push origin", false),
            ("git push --force:*", "git push origin main --force", true),
            ("git push --force:*", "git push origin main", false),
            ("git push -f:*", "git push -uf origin", true),
            ("git reset --hard:*", "git reset --har HEAD~1", true),
            ("git reset --hard:*", "git reset --h=x", true),
            ("git reset --hard:*", "git reset --soft", false),
            ("git reset --hard:*", "git reset -- file", false),
            ("npm publish:*", "npm publ", true),
            ("npm publish:*", "npm install", false),
            ("gem push:*", "gem pu x.gem", true),
            ("git push:*", "git pu", false),
            ("git push * main", "git --no-pager push origin main", true),
            ("git push * main", "git --no-pager push origin x", false),
            ("npm publish:*", "npm --registry x publish", true),
            ("npm install:*", "npm --prefix x i left-pad", true),
            ("npm run deploy:*", "npm run -s deploy", true),
            ("docker push:*", "docker --context x push y", true),
            ("kubectl delete:*", "kubectl -n prod delete pod x", true),
            ("gh repo delete:*", "gh repo -R a/b delete", true),
            ("aws s3 rm:*", "aws --profile p s3 --no-cli-pager rm x", true),
            ("cargo publish:*", "cargo +nightly publish", true),
            ("rm:*", "rmdir x", false),
            ("rm -rf:*", "rm -rf x", true),
            ("./deploy.sh:*", "./deploy.sh now", true),
        ] {
            assert_eq!(words_widely(pattern, &words(line)), expected, "{pattern} · {line}");
        }
        // What is written with quotes is one word.
        let named = ["git", "commit", "-m", "a b"].map(str::to_owned);
        assert!(words_widely("git commit -m 'a b'", &named));
    }

    #[test]
    fn patterns_that_forbid_reach_folders_and_all_that_is_in_them() {
        for (pattern, it, expected) in [
            ("s/**", "s/t.txt", true),
            ("s/**", "s", true),
            ("s/**", "S/T.txt", true),
            ("s/**", "so/t.txt", false),
            ("s/**", "a/s/t.txt", false),
            ("./s/", "s/t.txt", true),
            ("secrets", "a/secrets/b/c", true),
            ("secrets", "a/secrets.md", false),
            ("s/*.txt", "s", false),
            ("s/*.txt", "s/a.txt", true),
            ("/**", "a", true),
            ("/**", "", true),
            ("**/*", "", true),
            ("/**", "/etc/x", false),
            ("*.pem", "a/b.pem", true),
            ("//etc/shadow", "/etc/shadow", true),
            ("//etc/**", "/etc", true),
            ("//etc/**", "etc/x", false),
            ("//**", "/etc/x", true),
            ("home", "/home/a/w/b.txt", false),
        ] {
            let found = Paths::of(pattern).is_some_and(|paths| paths.reach(it));
            assert_eq!(found, expected, "{pattern} {it}");
        }
    }

    #[test]
    fn long_commands_are_compared_in_no_time() {
        let long: Vec<String> = std::iter::once("git".to_owned())
            .chain(vec!["-a".to_owned(); 20_000])
            .collect();
        assert!(!words_widely("git push --force * x:*", &long));
    }
}
