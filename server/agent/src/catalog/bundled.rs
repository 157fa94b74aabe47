//! The skills that are compiled in.
//!
//! Each is a row: a text like that of any other skill, or code that makes the prompt, and files beside it that are
//! written to a private folder when they are first needed.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use getrandom::fill;

/// One bundled skill.
#[derive(Debug)]
pub struct Bundled {
    /// What it is called by.
    pub name: &'static str,
    /// What a `SKILL.md` would say.
    pub text: &'static str,
    /// The files beside it: their paths with `/`, and their texts.
    pub files: &'static [(&'static str, &'static str)],
    /// How its prompt is made.
    pub prompt: Prompt,
    /// What its arguments have repeated while the session is open; `None` for a skill that repeats nothing.
    pub repeats: Option<Repeats>,
    /// Whether it is there.
    is_enabled: fn(&Conditions) -> bool,
}

/// How the prompt of a bundled skill is made.
#[derive(Debug, Clone, Copy)]
pub enum Prompt {
    /// From its text, as that of any other skill.
    Text,
    /// By code, from the arguments as they were typed; an error is for the person.
    Code(fn(arguments: &str, context: &Context) -> Result<String, NotRepeated>),
}

/// Reads from a skill's arguments what is to be repeated; an error is for the person.
pub type Repeats = fn(arguments: &str) -> Result<Repeat, NotRepeated>;

/// Why a prompt can't be repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRepeated {
    /// A turn takes longer than this interval.
    #[error("an interval of {0} is too short: use 1m or more")]
    Short(String),
    /// There is only an interval.
    #[error("say what is to be repeated: /loop 10m look whether the build is green")]
    Nothing,
    /// What is to be repeated repeats something.
    #[error("a loop can't repeat a loop: say what is to be repeated")]
    Loop,
}

/// A prompt that is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// How often.
    pub every: Duration,
    /// The same as it was written, such as `10m`.
    pub interval: String,
    /// What is said each time.
    pub prompt: String,
}

/// What the code of a bundled skill may know of where it runs.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The instructions of its own text.
    pub instructions: String,
    /// The session's identifier.
    pub session: String,
}

/// What bundled skills depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Those that the person does not want.
    pub disabled: BTreeSet<String>,
    /// Whether the session can run a prompt again later.
    pub schedules: bool,
}

/// The rows.
static BUNDLED: &[Bundled] = &[
    text("simplify", include_str!("bundled/simplify.md")),
    text("debug", include_str!("bundled/debug.md")),
    Bundled {
        files: &[("references/evidence.md", include_str!("bundled/verify/evidence.md"))],
        ..text("verify", include_str!("bundled/verify.md"))
    },
    text("stuck", include_str!("bundled/stuck.md")),
    text("remember", include_str!("bundled/remember.md")),
    Bundled {
        files: &[("references/writing.md", include_str!("bundled/skillify/writing.md"))],
        ..text("skillify", include_str!("bundled/skillify.md"))
    },
    Bundled {
        prompt: Prompt::Code(repeated),
        repeats: Some(repeat),
        is_enabled: |conditions| conditions.schedules,
        ..text("loop", include_str!("bundled/loop.md"))
    },
];

const fn text(name: &'static str, text: &'static str) -> Bundled {
    Bundled {
        name,
        text,
        files: &[],
        prompt: Prompt::Text,
        repeats: None,
        is_enabled: |_| true,
    }
}

/// The skills that are there under these conditions.
pub(super) fn enabled(conditions: &Conditions) -> impl Iterator<Item = &'static Bundled> {
    let wanted = |bundled: &&Bundled| !conditions.disabled.contains(bundled.name) && (bundled.is_enabled)(conditions);
    BUNDLED.iter().filter(wanted)
}

impl Bundled {
    /// Writes the files beside it to a new folder of a name that nobody can guess; gives the folder, or `None` where
    /// there are no files. Only the person can read them.
    ///
    /// # Errors
    /// Where the folder or a file can't be written; a file that is there already is never replaced or followed.
    pub fn extract(&self, private: &Path) -> io::Result<Option<PathBuf>> {
        if self.files.is_empty() {
            return Ok(None);
        }
        let mut nonce = [0; 16];
        fill(&mut nonce).map_err(io::Error::other)?;
        let nonce: String = nonce.iter().map(|byte| format!("{byte:02x}")).collect();
        let folder = private.join(format!("{}-{nonce}", self.name));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        for (path, text) in self.files {
            let mut parent = folder.clone();
            let mut names: Vec<_> = path.split('/').collect();
            let file = names.pop().unwrap_or_default();
            for name in names {
                parent.push(name);
                match builder.create(&parent) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                    _ => {}
                }
            }
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            {
                use std::os::unix::fs::OpenOptionsExt;
                options
                    .mode(0o600)
                    .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
            }
            options.open(parent.join(file))?.write_all(text.as_bytes())?;
        }
        Ok(Some(folder))
    }

    /// What stands before the prompt of a skill whose files were written to a folder.
    pub fn preamble(folder: &Path) -> String {
        format!("Base directory for this skill: {}\n\n", folder.display())
    }
}

/// How often a prompt is repeated where nothing is said.
const DEFAULT_INTERVAL: &str = "10m";
/// The shortest interval in seconds: a turn takes longer than less.
const SHORTEST: u64 = 60;
/// The longest interval in seconds: no session is open for longer than a year.
const LONGEST: u64 = 365 * 86_400;

/// The prompt of `loop`.
fn repeated(arguments: &str, context: &Context) -> Result<String, NotRepeated> {
    let Repeat {
        every,
        interval,
        prompt,
    } = repeat(arguments)?;
    let (instructions, seconds) = (context.instructions.trim(), every.as_secs());
    Ok(format!(
        "{instructions}\n\nInterval: {interval} ({seconds} seconds)\nPrompt to repeat:\n\n{prompt}"
    ))
}

/// What `loop` is asked for: an interval, which may be missing, and what is to be repeated. An error is for the person.
fn repeat(arguments: &str) -> Result<Repeat, NotRepeated> {
    let arguments = arguments.trim();
    let (first, rest) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
    let (interval, prompt) = match seconds(first) {
        Some(seconds) if seconds < SHORTEST => {
            return Err(NotRepeated::Short(first.to_owned()));
        }
        Some(_) => (first, rest.trim()),
        None => (DEFAULT_INTERVAL, arguments),
    };
    if prompt.is_empty() {
        return Err(NotRepeated::Nothing);
    }
    if prompt.split_whitespace().next() == Some("/loop") {
        return Err(NotRepeated::Loop);
    }
    Ok(Repeat {
        every: Duration::from_secs(seconds(interval).unwrap_or(SHORTEST).min(LONGEST)),
        interval: interval.to_owned(),
        prompt: prompt.to_owned(),
    })
}

/// The seconds of `30s`, `10m`, `2h` or `1d`.
fn seconds(interval: &str) -> Option<u64> {
    let unit = match interval.chars().next_back()? {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let number = &interval[..interval.len() - 1];
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = number.parse().ok().filter(|_| is_number)?;
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_once_and_for_the_owner_alone() {
        let private = tempfile::tempdir().expect("a folder");
        let verify = BUNDLED
            .iter()
            .find(|bundled| bundled.name == "verify")
            .expect("it is there");
        let first = verify.extract(private.path()).expect("written").expect("it has files");
        let second = verify.extract(private.path()).expect("written").expect("it has files");
        assert_ne!(first, second, "nobody can make the folder before");
        let file = first.join("references/evidence.md");
        assert_eq!(std::fs::read_to_string(&file).expect("text"), verify.files[0].1);
        #[cfg(unix)]
        for (path, mode) in [(&first, 0o700), (&first.join("references"), 0o700), (&file, 0o600)] {
            use std::os::unix::fs::PermissionsExt;
            let permissions = std::fs::metadata(path).expect("it is there").permissions();
            assert_eq!(permissions.mode() & 0o777, mode, "{}", path.display());
        }
        assert_eq!(BUNDLED[0].extract(private.path()).expect("nothing to do"), None);
    }

    #[test]
    fn what_is_repeated_and_how_often() {
        let context = Context::default();
        for (arguments, expected) in [
            (
                "5m look at the build",
                Ok("Interval: 5m (300 seconds)\nPrompt to repeat:\n\nlook at the build"),
            ),
            (
                "2h /verify all",
                Ok("Interval: 2h (7200 seconds)\nPrompt to repeat:\n\n/verify all"),
            ),
            (
                "look at the build",
                Ok("Interval: 10m (600 seconds)\nPrompt to repeat:\n\nlook at the build"),
            ),
            ("m x", Ok("Interval: 10m (600 seconds)\nPrompt to repeat:\n\nm x")),
            ("10s x", Err("an interval of 10s is too short: use 1m or more")),
            (
                "99999999999999999999d x",
                Ok("Prompt to repeat:\n\n99999999999999999999d x"),
            ),
            ("5m", Err("say what is to be repeated")),
            ("", Err("say what is to be repeated")),
            ("5m /loop 5m x", Err("a loop can't repeat a loop")),
        ] {
            match (repeated(arguments, &context), expected) {
                (Ok(prompt), Ok(expected)) => assert!(prompt.ends_with(expected), "{arguments}: {prompt}"),
                (Err(error), Err(expected)) => assert!(error.to_string().starts_with(expected), "{arguments}: {error}"),
                other => panic!("{arguments}: {other:?}"),
            }
        }
    }
}
