use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::respond;
use super::{Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::catalog::Unreadable;
use crate::model::ToolSpec;
use crate::permission::SkillRequest;
use crate::workspace::{Workspace, sensitive};

/// The skills of a session, as its model may use them.
pub trait Skills: Send + Sync {
    /// A skill that the model may invoke.
    ///
    /// # Errors
    /// Why it may not, for the model.
    fn find(&self, name: &str) -> Result<OfferedSkill, NotInvoked>;

    /// Whether a skill works in a context of its own, so that several may at once.
    fn forks(&self, name: &str) -> bool;

    /// The folder with the files of a skill.
    ///
    /// # Errors
    /// Why there is none, for the model.
    fn folder(&self, name: &str) -> Result<PathBuf, NotInvoked>;

    /// Its text for the model, and all that an invocation means beside it: tools that it may use, hooks, model, a context
    /// of its own.
    ///
    /// # Errors
    /// Why it can't be invoked, for the model.
    fn invoke<'a>(
        &'a self,
        context: &'a ToolContext,
        name: &'a str,
        arguments: &'a str,
    ) -> BoxFuture<'a, Result<String, NotInvoked>>;
}

/// Why a skill can't be invoked, for the model.
#[derive(Debug, thiserror::Error)]
pub enum NotInvoked {
    /// It is the person's alone.
    #[error("only a person may run the skill {0} (disable-model-invocation); ask them to type /{0}")]
    PersonsAlone(String),
    /// None of this name is offered; those that are.
    #[error("unknown skill {0:?}; the skills are: {names}", names = .1.join(", "))]
    Unknown(String, Vec<String>),
    /// It is one file, so that there is no folder to read.
    #[error("the skill {0} has no files")]
    NoFiles(String),
    /// Its text can't be had.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// Its files can't be written to where they can be read.
    #[error(transparent)]
    NotWritten(#[from] io::Error),
    /// It was stopped: by the person, or with its turn.
    #[error("{0}")]
    Stopped(&'static str),
    /// It failed.
    #[error("{0}")]
    Failed(String),
}

/// A skill that the model may invoke.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfferedSkill {
    /// What it asks for beyond its text, for the question; empty where nothing.
    pub wants: Vec<String>,
}

/// Invokes a skill.
pub(super) struct InvokeSkill(pub(super) Arc<dyn Skills>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(alias = "skill")]
    name: String,
    #[serde(default, alias = "args")]
    arguments: String,
}

impl Tool for InvokeSkill {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "skill",
            description: "Invokes a skill by its name: its instructions come back and are to be followed. Use it before \
                a task that a listed skill is about.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "The skill's name."},
                    "arguments": {"type": "string", "description": "What the skill is given."},
                },
                "required": ["name"],
                "additionalProperties": false,
            }),
        }
    }

    fn runs_beside_others(&self, input: &Value) -> bool {
        let Arguments { name, .. } = match arguments::parse(&self.spec(), input.clone()) {
            Ok(arguments) => arguments,
            Err(_) => return false,
        };
        self.0.forks(&name)
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let Arguments { name, arguments } = arguments::parse(&self.spec(), input)?;
            let skill = self.0.find(&name).map_err(respond)?;
            let folder = &context.workspace.folders()[0];
            let request = SkillRequest {
                name: &name,
                arguments: &arguments,
                wants: &skill.wants,
                folder,
            };
            let (asking, permissions) = (context.asking(), &context.permissions);
            permissions.before_skill(asking, request).await.map_err(respond)?;
            let text = self.0.invoke(context, &name, &arguments).await.map_err(respond)?;
            Ok(ToolOutput {
                summary: format!("skill {name} ({} bytes)", text.len()),
                text,
                truncated: false,
            })
        }
        .boxed()
    }
}

/// Reads a file that comes with a skill.
pub(super) struct ReadSkillFile(pub(super) Arc<dyn Skills>);

/// The longest file that is read, in bytes.
const MAX_BYTES: u64 = 256 << 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileArguments {
    skill: String,
    path: String,
}

impl Tool for ReadSkillFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_skill_file",
            description: "Reads a text file that comes with a skill, by its path in the skill's folder, also where that \
                folder lies outside the workspace.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "skill": {"type": "string", "description": "The skill's name."},
                    "path": {"type": "string", "description": "Path in the skill's folder."},
                },
                "required": ["skill", "path"],
                "additionalProperties": false,
            }),
        }
    }

    fn is_mutating(&self) -> bool {
        false
    }

    fn summary(&self, input: &Value) -> String {
        format!(
            "{}: {}",
            arguments::shown(input, "skill"),
            arguments::shown(input, "path")
        )
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let FileArguments { skill, path } = arguments::parse(&self.spec(), input)?;
            let folder = self.0.folder(&skill).map_err(respond)?;
            if sensitive::is_secret(Path::new(&path)) {
                return Err(respond(format!("{path} looks like keys or passwords and is not read")));
            }
            let place = folder.join(&path);
            let place = place.canonicalize().unwrap_or(place);
            let permissions = &context.permissions;
            let may_read = match context.workspace.resolve_path(&place) {
                Ok(target) => permissions.before_read(context.asking(), &target).await.map(drop),
                Err(_) => permissions.check_read_outside(&context.turn, &place, &path),
            };
            may_read.map_err(respond)?;
            let named = format!("{skill}: {path}");
            let workspace = context.workspace.clone();
            let reading = tokio::task::spawn_blocking(move || read(&folder, &path, &workspace));
            let text = reading
                .await
                .map_err(|error| ToolError::Fatal(format!("reading failed: {error}")))?;
            let text = text.map_err(|error| respond(format!("read failed: {named}: {error}")))?;
            Ok(ToolOutput {
                summary: format!("{named} ({} bytes)", text.len()),
                text,
                truncated: false,
            })
        }
        .boxed()
    }
}

/// Below a handle of the folder, so that neither `..` nor a link leads out of it.
fn read(folder: &Path, path: &str, workspace: &Workspace) -> std::io::Result<String> {
    use std::io::{Error, Read};
    let folder = cap_std::fs::Dir::open_ambient_dir(folder, cap_std::ambient_authority())?;
    // A pipe would block for ever when it is opened.
    if let Some(other) = crate::workspace::other_than_file(&folder.metadata(path)?) {
        return Err(Error::other(format!("it is {other}")));
    }
    let file = folder.open_with(path, &crate::workspace::reading())?;
    if crate::workspace::other_than_file(&file.metadata()?).is_some() || file.metadata()?.len() > MAX_BYTES {
        return Err(Error::other(format!(
            "only files of at most {MAX_BYTES} bytes are read"
        )));
    }
    if workspace.is_linked_secret(&file.metadata()?) {
        return Err(Error::other(
            "it is another name of a file that holds keys or passwords",
        ));
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
