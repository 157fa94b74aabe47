//! A skill that is invoked: its text for the model, with its commands run where the person said yes to each.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;
use skills_schema::arguments::Input;
use skills_schema::syntax::SkillFile;

use super::Running;
use crate::activation::briefing;
use crate::activation::known::{By, SKILL, Text, version};
use crate::catalog::Skill;
use crate::catalog::bundled::{Bundled, Context, Prompt};
use crate::event::{EventKind, InvokedSkill, Outcome};
use crate::host::ApplyError;
use crate::model::Choice;
use crate::model::choice::Chooser;
use crate::permission::{Asking, CommandRequest, Patterns};
use crate::process::attended::Others;
use crate::process::commands::Confined;
use crate::record;
use crate::render::{self, Decision, Gate, Invocation, Origin, RenderError, Rendered};
use crate::workspace::Folder;

/// A skill that a person runs.
#[derive(Debug, Clone)]
pub struct Invoke {
    /// The skill.
    pub skill: Arc<Skill>,
    /// What was typed behind its name.
    pub arguments: String,
}

impl Invoke {
    /// The model and the effort that the skill asks for.
    #[must_use]
    pub fn model(&self) -> Choice {
        let metadata = &self.skill.metadata;
        Choice {
            by: Chooser::Skill(self.skill.name.clone()),
            model: metadata.model.clone(),
            effort: metadata.effort.clone(),
        }
    }

    /// The skill's identity, for the record.
    #[must_use]
    pub fn identity(&self) -> InvokedSkill {
        InvokedSkill {
            name: self.skill.name.clone(),
            path: self.skill.path.clone(),
            sha256: self.skill.sha256.to_string(),
            bytes: self.skill.bytes,
        }
    }
}

impl Running<'_> {
    /// The texts of the skill and of those that it needs; the outcome where the turn can't go on without it.
    pub(super) async fn invoke(&self, invoke: &Invoke) -> Result<Vec<Text>, Outcome> {
        let skill = &invoke.skill;
        let skills = &self.engine.skills;
        let failed = |reason: String| Outcome::Failed(format!("the skill {} can't run: {reason}", skill.name));
        let needed = briefing::required(skills, skill);
        needed
            .notes
            .into_iter()
            .for_each(|note| self.emit(EventKind::Note(note)));
        self.grant(skill).await;
        self.register_hooks(skill).await;
        let text = match skill.as_bundled() {
            Some(bundled) => self.bundled(bundled, invoke).await,
            None => self.rendered(invoke, None).await,
        };
        let text = text.map_err(|stop| match stop {
            Stop::Cancelled => Outcome::Cancelled,
            Stop::Reason(reason) => failed(reason),
        })?;
        skills.was_invoked(skill);
        if let Some(usage) = skills.usage.clone()
            && let name = skill.name.clone()
            && let Err(error) = record::beside(move || usage.count(&name, SystemTime::now())).await
        {
            self.emit(EventKind::Note(format!(
                "the use of {} was not counted: {error}",
                skill.name
            )));
        }
        let mut texts = needed.texts;
        texts.push(Text {
            kind: SKILL,
            name: skill.name.clone(),
            path: skill.path.clone(),
            imports: Vec::new(),
            version: version(&skill.sha256),
            by: By::Invoked,
            reason: format!("Follow the skill {:?} above for this task.", skill.name),
            text,
        });
        Ok(texts)
    }

    /// The tools that the skill may use in this turn without a question, where the person confirms the list, and those
    /// that it takes away. Without the person's yes the skill runs, and each of its calls asks.
    async fn grant(&self, skill: &Skill) {
        let permissions = &self.engine.permissions;
        let note = |problem: String| self.emit(EventKind::Note(format!("the skill {}: {problem}", skill.name)));
        if let Err(problem) = permissions.disallow_tools(self.id, &skill.metadata.disallowed_tools) {
            note(format!("disallowed-tools: {problem}"));
        }
        let tools = &skill.metadata.allowed_tools;
        if tools.is_empty() || !skill.is_trusted {
            return;
        }
        let folder = self.folder(skill);
        let sha256 = skill.sha256.to_string();
        let confirmed = permissions.confirm_tools(self.asking(), folder, &skill.name, &sha256, tools);
        if let Err(problem) = confirmed.await {
            note(format!("its allowed-tools count for nothing: {problem}"));
        }
    }

    /// The prompt of a skill that is compiled in, with its files where it has some.
    async fn bundled(&self, bundled: &'static Bundled, invoke: &Invoke) -> Result<String, Stop> {
        let skills = &self.engine.skills;
        let folder = match &skills.private {
            Some(private) => bundled.extract(private).map_err(|error| {
                Stop::Reason(format!("its files can't be written to {}: {error}", private.display()))
            })?,
            None => None,
        };
        let text = match bundled.prompt {
            Prompt::Text => self.rendered(invoke, folder.as_deref()).await?,
            Prompt::Code(prompt) => {
                let text = invoke.skill.text().map_err(Stop::because)?;
                let context = Context {
                    instructions: invoke.skill.instructions(&text).to_owned(),
                    session: skills.session.clone(),
                };
                prompt(&invoke.arguments, &context).map_err(Stop::because)?
            }
        };
        Ok(folder.map(|folder| Bundled::preamble(&folder)).unwrap_or_default() + &text)
    }

    async fn rendered(&self, invoke: &Invoke, folder: Option<&Path>) -> Result<String, Stop> {
        let skill = &invoke.skill;
        let text = skill.text().map_err(Stop::because)?;
        let file = SkillFile::parse(text);
        let folder_of_workspace = self.folder(skill);
        let invocation = Invocation {
            name: &skill.name,
            file: &file,
            runtime: skill.runtime,
            arguments: &invoke.arguments,
            folder: folder.or(skill.path.as_deref().and_then(Path::parent)),
            project: &folder_of_workspace.path,
            session: Some(&self.engine.skills.session),
            effort: skill.metadata.effort.as_deref(),
            origin: Origin::of(skill),
        };
        // Asked before anything runs: a skill without what it needs would run its commands for nothing.
        let missing = render::preview(&invocation).missing;
        let mut typed = invoke.arguments.clone();
        if !missing.is_empty() {
            match self.ask_for(skill, &missing).await {
                Some(given) => typed = format!("{typed} {given}"),
                None if self.cancel.is_cancelled() => return Err(Stop::Cancelled),
                None => return Err(needs(skill, &missing)),
            }
        }
        let invocation = Invocation {
            arguments: &typed,
            ..invocation
        };
        let gate = Asked {
            running: self,
            skill,
            folder: folder_of_workspace,
        };
        let rendered = render::render(&invocation, &gate, &self.cancel).await;
        let rendered = rendered.map_err(|error| match error {
            RenderError::Cancelled => Stop::Cancelled,
            error => Stop::Reason(error.to_string()),
        })?;
        let mut loaded = rendered.references.iter().filter(|reference| reference.bytes > 0);
        if let Some(kept) = loaded.find(|reference| self.is_kept_back(&reference.path)) {
            return Err(Stop::Reason(format!(
                "its file {} is denied by a rule (setting permissions.deny)",
                kept.path.display()
            )));
        }
        self.record(&rendered);
        Ok(rendered.text)
    }

    /// Tells what came with the skill, and what did not.
    fn record(&self, rendered: &Rendered) {
        for command in rendered.commands.iter().filter(|command| command.ran) {
            self.emit(EventKind::Note(format!("ran `{}`", command.text)));
        }
        for reference in &rendered.references {
            let path = reference.path.display();
            self.emit(EventKind::Note(match &reference.stopped {
                Some(reason) => format!("{path} did not come along whole: {reason}"),
                None => format!("{path} came along ({} bytes)", reference.bytes),
            }));
        }
    }

    /// The folder that the skill's commands run in: the workspace's folder that it lies in, else the first.
    pub(super) fn folder(&self, skill: &Skill) -> &Folder {
        let folders = self.engine.workspace.folders();
        let own = folders.iter().find(|folder| skill.root.starts_with(&folder.path));
        own.unwrap_or(&folders[0])
    }

    /// Who writes while a command of this turn runs.
    pub(super) fn others(&self) -> Others {
        Others::new(&self.engine.host, &self.engine.changes, self.id)
    }

    pub(super) fn asking(&self) -> Asking<'_> {
        Asking {
            host: &*self.engine.host,
            turn: self.id,
            cancel: &self.cancel,
        }
    }
}

/// Why there is no text.
enum Stop {
    Cancelled,
    /// For the person.
    Reason(String),
}

impl Stop {
    fn because(error: impl std::fmt::Display) -> Self {
        Self::Reason(error.to_string())
    }
}

/// What is missing, and how to give it.
fn needs(skill: &Skill, missing: &[Input]) -> Stop {
    let described = missing.iter().map(|input| match input.description.as_str() {
        "" => format!("`{}`", input.name),
        description => format!("`{}` ({description})", input.name),
    });
    Stop::Reason(format!(
        "it needs {}; give it behind the name: /{} …",
        described.collect::<Vec<_>>().join(" and "),
        skill.name
    ))
}

/// Lets each command through as if the model wanted it: patterns and rules forbid, allow or ask.
struct Asked<'a> {
    running: &'a Running<'a>,
    skill: &'a Skill,
    folder: &'a Folder,
}

impl Asked<'_> {
    async fn judge(&self, command: &str) -> Result<Confined, ApplyError> {
        let engine = self.running.engine;
        let asking = self.running.asking();
        let argv = ["sh", "-c", command].map(str::to_owned);
        let input = json!({"argv": argv});
        let patterns = Patterns::of(&engine.skills.library.catalog());
        let permissions = &engine.permissions;
        permissions.check_command(asking.turn, &argv)?;
        permissions.before_call(asking, &patterns, "run_shell", &input).await?;
        // Found out only where there is a command: it takes a moment the first time.
        let note = engine.shell.note().await;
        let request = CommandRequest {
            argv: &argv,
            folder: self.folder,
            cwd: &self.folder.path,
            detail: &format!("If you allow it, it has the network.\n{}", note),
            is_sandboxed: true,
            wants_network: false,
            changes: &engine.changes,
            skill: Some(&self.skill.name),
        };
        let mut leave = permissions.before_command(asking, request).await?;
        leave.opens_network |= leave.is_answered;
        let access = permissions.path_rules(asking.turn, &engine.workspace);
        let (workspace, others) = (&engine.workspace, self.running.others());
        Ok(engine.shell.confine(workspace, &argv, leave, access, others).await)
    }
}

impl Gate for Asked<'_> {
    fn decide<'a>(&'a self, command: &'a str) -> BoxFuture<'a, Decision> {
        let decided = self.judge(command).map(|judged| match judged {
            Ok(confined) => Decision::Run(Box::new(confined)),
            Err(refusal) => Decision::Refuse(refusal.to_string()),
        });
        decided.boxed()
    }
}
