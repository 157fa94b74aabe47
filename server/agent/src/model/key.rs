//! The key of a model endpoint: from the environment or from a command, never in a log.

use std::fmt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;

use super::ModelError;

/// How long a key's command may take; it may have to ask the person for a password.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// A key and where it comes from. Its `Debug` form shows the source only.
pub struct ApiKey {
    source: Source,
    /// What the command printed; not asked again until [`ApiKey::forget`].
    printed: Mutex<Option<Arc<str>>>,
}

enum Source {
    Variable { name: String, value: Option<Arc<str>> },
    Command { argv: Vec<String> },
}

impl ApiKey {
    /// The key in an environment variable; `value` is what the variable holds, if it is set.
    #[must_use]
    pub fn from_variable(name: impl Into<String>, value: Option<String>) -> Self {
        let value = value
            .map(|value| value.trim().into())
            .filter(|value: &Arc<str>| !value.is_empty());
        Self {
            source: Source::Variable {
                name: name.into(),
                value,
            },
            printed: Mutex::default(),
        }
    }

    /// The key that a command prints, such as `pass show anthropic`. It runs on first use, without a shell:
    /// spaces separate the arguments, quotes keep them together, nothing else is special.
    ///
    /// # Errors
    ///
    /// When the command is empty or a quote is not closed.
    pub fn from_command(line: &str) -> Result<Self, ModelError> {
        let argv = split(line).ok_or_else(|| {
            ModelError::new("model.apiKeyCommand is no command line: it is empty, or a quote in it is not closed")
        })?;
        Ok(Self {
            source: Source::Command { argv },
            printed: Mutex::default(),
        })
    }

    /// What to do where there is no key at all, because the variable is not set.
    pub(super) fn unset(&self) -> Option<String> {
        match &self.source {
            Source::Variable { name, value: None } => Some(no_key(name)),
            _ => None,
        }
    }

    /// The key itself.
    ///
    /// # Errors
    ///
    /// When the variable is not set, or the command fails, prints nothing or takes longer than a minute.
    pub async fn get(&self) -> Result<Arc<str>, ModelError> {
        match &self.source {
            Source::Variable { value: Some(value), .. } => Ok(value.clone()),
            Source::Variable { name, value: None } => Err(ModelError::new(no_key(name))),
            Source::Command { argv } => {
                // Held while the command runs, so that two turns don't ask the person twice.
                let mut printed = self.printed.lock().await;
                if let Some(key) = &*printed {
                    return Ok(key.clone());
                }
                let failed =
                    |why| ModelError::new(format!("the key's command {self} {why}; check model.apiKeyCommand"));
                let key: Arc<str> = print(argv).await.map_err(failed)?.into();
                Ok(printed.insert(key).clone())
            }
        }
    }

    /// A message without the key, as far as it is known.
    pub(super) fn redacted(&self, message: String) -> String {
        let printed = self.printed.try_lock().ok().and_then(|printed| printed.clone());
        let key = match &self.source {
            Source::Variable { value, .. } => value.clone(),
            Source::Command { .. } => printed,
        };
        match key {
            Some(key) => hidden(&key, message),
            None => message,
        }
    }

    /// Drops what the command printed, so that it runs again: a short-lived key may have expired.
    pub async fn forget(&self) {
        *self.printed.lock().await = None;
    }
}

/// Where the key comes from, for messages.
impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Variable { name, .. } => f.write_str(name),
            // The arguments may hold a key.
            Source::Command { argv } => write!(f, "`{}`", argv[0]),
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApiKey({self}: ***)")
    }
}

fn no_key(variable: &str) -> String {
    format!(
        "no key for the model: set the environment variable {variable} (any text will do where the endpoint needs none), \
         name another with model.apiKeyEnv, or set model.apiKeyCommand"
    )
}

async fn print(argv: &[String]) -> Result<String, String> {
    let mut command = tokio::process::Command::new(&argv[0]);
    command
        .args(&argv[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        // What it says of itself may hold the key.
        .stderr(Stdio::null())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn().map_err(|error| format!("can't be started ({error})"))?;
    #[cfg(unix)]
    let _group = child.id().map(KillGroup);
    let output = tokio::time::timeout(COMMAND_TIMEOUT, child.wait_with_output()).await;
    let output = output.map_err(|_| format!("took longer than {} s", COMMAND_TIMEOUT.as_secs()))?;
    let output = output.map_err(|error| format!("failed ({error})"))?;
    if !output.status.success() {
        return Err(format!("failed ({}); run it in a terminal to see why", output.status));
    }
    match String::from_utf8(output.stdout).as_deref().map(str::trim) {
        Ok("") => Err("printed nothing".into()),
        Ok(key) => Ok(key.to_owned()),
        Err(_) => Err("printed something that is no text".into()),
    }
}

/// Ends a command's whole process group: a cancelled turn leaves no process behind.
#[cfg(unix)]
struct KillGroup(u32);

#[cfg(unix)]
impl Drop for KillGroup {
    fn drop(&mut self) {
        let group = i32::try_from(self.0).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            // It fails where the group has ended by itself, which is the usual case.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

fn split(line: &str) -> Option<Vec<String>> {
    let mut argv = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in line.chars() {
        match quote {
            Some(open) if character == open => quote = None,
            None if matches!(character, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            None if character.is_whitespace() => argv.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    argv.extend(word);
    (quote.is_none() && argv.first().is_some_and(|program| !program.is_empty())).then_some(argv)
}

/// A message without a key. A short key is no secret, but may be part of any word: servers that need none are given one
/// such as `x`.
pub(super) fn hidden(key: &str, message: String) -> String {
    if key.len() < 8 {
        return message;
    }
    message.replace(key, "***")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_split_without_a_shell() {
        let cases: &[(&str, Option<&[&str]>)] = &[
            ("pass show anthropic", Some(&["pass", "show", "anthropic"])),
            ("  op  read 'op://a b/c' ", Some(&["op", "read", "op://a b/c"])),
            ("echo \"it's\" a''b ''", Some(&["echo", "it's", "ab", ""])),
            ("echo $HOME; rm *", Some(&["echo", "$HOME;", "rm", "*"])),
            (r"C:\tools\key.exe -x", Some(&[r"C:\tools\key.exe", "-x"])),
            ("", None),
            ("''", None),
            ("echo 'open", None),
        ];
        for (line, expected) in cases {
            let expected = expected.map(|argv| argv.iter().map(ToString::to_string).collect::<Vec<_>>());
            assert_eq!(split(line), expected, "{line}");
        }
    }

    #[tokio::test]
    async fn a_variable_gives_its_trimmed_text_or_says_how_to_set_it() {
        let key = ApiKey::from_variable("A_KEY", Some(" secret\n".into()));
        assert_eq!(&*key.get().await.unwrap(), "secret");
        assert_eq!(format!("{key:?} {key}"), "ApiKey(A_KEY: ***) A_KEY");
        for value in [None, Some(" ".to_owned())] {
            let error = ApiKey::from_variable("A_KEY", value).get().await.unwrap_err();
            assert!(error.message.contains("set the environment variable A_KEY"), "{error}");
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_command_runs_once_until_its_key_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let counter = folder.path().join("n");
        let line = format!("sh -c 'echo x >> {0}; wc -l < {0}'", counter.display());
        let key = ApiKey::from_command(&line).unwrap();
        assert!(!counter.exists(), "it runs on first use, not before");
        for _ in 0..2 {
            assert_eq!(&*key.get().await.unwrap(), "1");
        }
        key.forget().await;
        assert_eq!(&*key.get().await.unwrap(), "2");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_failing_command_says_so_and_nothing_that_it_said_or_was_given() {
        let cases = [
            (
                "sh -c 'echo sk-0123456789 >&2; exit 3'",
                "`sh` failed (exit status: 3); run it in a terminal",
            ),
            ("true", "printed nothing"),
            ("/nowhere/at-all", "can't be started"),
        ];
        for (line, expected) in cases {
            let error = ApiKey::from_command(line).unwrap().get().await.unwrap_err();
            assert!(
                error.message.contains(expected)
                    && error.message.contains("model.apiKeyCommand")
                    && !error.message.contains("sk-"),
                "{error}"
            );
        }
    }
}
