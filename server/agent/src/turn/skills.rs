//! The tools by which the model of a turn invokes skills and reads their files.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use skills_schema::syntax::SkillFile;

use super::answering::{Answering, Spent};
use super::{Control, Engine, Invoke, Running, RunsIn, TurnInput, brought};
use crate::activation::known::Text;
use crate::catalog::Skill;
use crate::event::Outcome;
use crate::tools::{self, NotInvoked, OfferedSkill, Skills, Tool, ToolContext};

/// The most names in an answer to a wrong one.
const MAX_NAMES: usize = 50;

/// The tools for skills; none where there are no skills at all.
pub(super) fn tools(engine: &Engine, costs: &(Answering, Spent), place: RunsIn) -> Vec<Arc<dyn Tool>> {
    if engine.skills.library.catalog().skills.is_empty() {
        return Vec::new();
    }
    let offered = Offered {
        engine: engine.clone(),
        costs: costs.clone(),
        place,
    };
    tools::of_skills(&(Arc::new(offered) as Arc<dyn Skills>))
}

/// The skills that the model of a turn may use.
struct Offered {
    engine: Engine,
    costs: (Answering, Spent),
    place: RunsIn,
}

impl Offered {
    fn skill(&self, name: &str) -> Result<Arc<Skill>, NotInvoked> {
        let skills = &self.engine.skills;
        let catalog = skills.library.catalog();
        match catalog.get(name) {
            Some(skill) if skills.is_offered(skill) => Ok(skill.clone()),
            Some(skill) if skill.metadata.disable_model_invocation => Err(NotInvoked::PersonsAlone(name.to_owned())),
            _ => {
                let offered = catalog.skills.iter().filter(|skill| skills.is_offered(skill));
                let names: Vec<_> = offered.map(|skill| skill.name.to_string()).take(MAX_NAMES).collect();
                Err(NotInvoked::Unknown(name.to_owned(), names))
            }
        }
    }
}

impl Offered {
    /// What a skill in a context of its own answered.
    async fn fork(&self, running: &Running<'_>, invoke: Invoke) -> Result<String, NotInvoked> {
        let turn = TurnInput {
            id: running.id.clone(),
            prompt: String::new(),
            skills: vec![invoke.clone()],
            context: Vec::new(),
            notes: Vec::new(),
        };
        let forked = running.fork(&invoke, turn, Arc::default()).await;
        let name = &invoke.skill.name;
        match (forked.outcome, forked.text) {
            (Outcome::Finished, text) if text.is_empty() => Ok(format!("The skill {name} ended without a word.")),
            (Outcome::Finished, text) => Ok(format!("The skill {name} answered:\n{text}")),
            (Outcome::Cancelled, _) => Err(NotInvoked::Stopped("the person stopped it")),
            (Outcome::Failed(why) | Outcome::Limited(why), text) => Err(NotInvoked::Failed(format!(
                "the skill {name} did not come to its end: {why}\n{text}"
            ))),
        }
    }
}

impl Skills for Offered {
    fn find(&self, name: &str) -> Result<OfferedSkill, NotInvoked> {
        let skill = self.skill(name)?;
        let wants = wants(&skill)?;
        Ok(OfferedSkill { wants })
    }

    fn forks(&self, name: &str) -> bool {
        self.place == RunsIn::Conversation && self.skill(name).is_ok_and(|skill| skill.metadata.forks)
    }

    fn folder(&self, name: &str) -> Result<PathBuf, NotInvoked> {
        let skills = &self.engine.skills;
        let catalog = skills.library.catalog();
        let skill = match catalog.get(name) {
            Some(skill) if skills.is_told(skill) => skill.clone(),
            _ => self.skill(name)?,
        };
        let folder = match (skill.as_bundled(), &skills.private) {
            (Some(bundled), Some(private)) => bundled.extract(private)?,
            _ => skill.path.as_deref().and_then(|path| Some(path.parent()?.to_owned())),
        };
        let is_alone = skill.kind != skills_schema::facts::FileKind::Skill;
        folder
            .filter(|_| !is_alone)
            .ok_or_else(|| NotInvoked::NoFiles(name.to_owned()))
    }

    fn invoke<'a>(
        &'a self,
        context: &'a ToolContext,
        name: &'a str,
        arguments: &'a str,
    ) -> BoxFuture<'a, Result<String, NotInvoked>> {
        async move {
            let control = Control {
                cancel: context.cancel.clone(),
                ..Control::default()
            };
            let running = Running::new(&context.turn, &self.engine, control, self.costs.clone(), self.place);
            let invoke = Invoke {
                skill: self.skill(name)?,
                arguments: arguments.to_owned(),
            };
            if self.forks(name) {
                return self.fork(&running, invoke).await;
            }
            // For the rest of the turn, as Claude Code 2.1 documents it.
            running.choose(invoke.model());
            let texts: Vec<Text> = running.invoke(&invoke).await.map_err(|outcome| match outcome {
                Outcome::Failed(reason) => NotInvoked::Failed(reason),
                _ => NotInvoked::Stopped("the turn was stopped"),
            })?;
            Ok(brought(texts).collect::<Vec<_>>().join("\n\n"))
        }
        .boxed()
    }
}

/// What a skill asks for beyond its text, a line each. An error says why its text can't be had.
fn wants(skill: &Skill) -> Result<Vec<String>, NotInvoked> {
    let metadata = &skill.metadata;
    let file = SkillFile::parse(skill.text()?);
    let mut wants = Vec::new();
    if !metadata.allowed_tools.is_empty() {
        wants.push(format!("allowed-tools: {}", metadata.allowed_tools.join(", ")));
    }
    if file.entry("hooks").is_some() {
        wants.push("hooks: it runs commands when something happens".to_owned());
    }
    let is_own = |value: &&String| *value != "inherit";
    wants.extend(
        metadata
            .model
            .iter()
            .filter(is_own)
            .map(|model| format!("model: {model}")),
    );
    if let Some(shell) = &metadata.shell.interpreter {
        wants.push(format!("shell: {shell}"));
    }
    if skill.runtime.commands.is_some() {
        let commands = file.markdown().commands.iter();
        wants.extend(commands.map(|command| format!("runs {}", file.slice(command.range))));
    }
    Ok(wants)
}
