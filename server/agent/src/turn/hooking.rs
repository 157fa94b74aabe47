//! Hooks in a turn: registered when a skill is invoked and the person confirmed them, run where something happens.

use serde_json::{Value, json};
use skills_schema::hooks::{Action, Hook};
use skills_schema::syntax::SkillFile;

use super::{Running, RunsIn};
use crate::catalog::{Skill, Source};
use crate::event::EventKind;
use crate::hooks::{EVENTS, Ground, Means, Occasion, Surroundings, Verdict};
use crate::model::{Block, ToolUse};
use crate::permission::{Rule, shown_command};
use crate::tool_names;

impl Running<'_> {
    /// Registers the hooks of a skill, after the person saw the list. Without a yes the skill runs, and its hooks don't.
    pub(super) async fn register_hooks(&self, skill: &Skill) {
        let Ok(text) = skill.text() else { return };
        let hooks = Hook::all(&SkillFile::parse(text));
        if hooks.is_empty() {
            return;
        }
        let note = |text: String| self.emit(EventKind::Note(format!("the skill {}: {text}", skill.name)));
        let (known, others): (Vec<_>, Vec<_>) = hooks
            .into_iter()
            .partition(|hook| EVENTS.contains(&hook.event.as_str()) && !matches!(hook.action, Action::Other(_)));
        for hook in others {
            note(format!("this hook does not run here: {}", hook.shown()));
        }
        if !skill.is_trusted || matches!(skill.source, Source::Mcp | Source::Synced) {
            note("its hooks don't run, because its folder is not trusted".to_owned());
            return;
        }
        let list: Vec<_> = known.iter().map(Hook::shown).collect();
        if list.is_empty() {
            return;
        }
        let folder = self.folder(skill);
        let permissions = &self.engine.permissions;
        let sha256 = skill.sha256.to_string();
        let confirmed = permissions.confirm_hooks(self.asking(), folder, &skill.name, &sha256, &list);
        match confirmed.await {
            Ok(true) => {
                let access = permissions.path_rules(self.id, &self.engine.workspace);
                note(format!("hooks for this session: {}", list.join("; ")));
                let place = Surroundings {
                    skill: skill.name.clone(),
                    folder: skill.path.as_deref().and_then(|path| Some(path.parent()?.to_owned())),
                    project: folder.path.clone(),
                    ground: Ground {
                        shell: self.engine.shell.clone(),
                        workspace: self.engine.workspace.clone(),
                        rules: access,
                        others: self.others(),
                    },
                    permissions: (permissions.clone(), self.id.clone()),
                };
                self.engine.hooks.register(place, known);
            }
            Ok(false) => note("its hooks don't run: you did not allow them".to_owned()),
            Err(problem) => note(format!("its hooks don't run: {problem}")),
        }
    }

    /// Runs the hooks for what happened; the person is told what they say. `names` are what matchers are compared with.
    pub(super) async fn hook(&self, event: &'static str, names: &[&str], more: Value) -> Verdict {
        let hooks = &self.engine.hooks;
        if self.place == RunsIn::Hook || !hooks.any(event) {
            return Verdict::default();
        }
        let folder = self.engine.workspace.folders().first();
        let mut input = json!({
            "session_id": self.engine.skills.session,
            "hook_event_name": event,
            "cwd": folder.map(|folder| folder.path.clone()),
            "permission_mode": "default",
        });
        if let (Value::Object(input), Value::Object(more)) = (&mut input, more) {
            input.extend(more);
        }
        let tool = (names.first().copied().unwrap_or_default(), input["tool_input"].clone());
        let model = self.answering.model();
        let means = Means {
            covers: &|rule| Ok(Rule::parse(rule)?.covers_call(tool.0, &tool.1)),
            model: Some(&*model),
            agent: Some(&|question| self.look(question)),
            others: Some(self.others()),
            cancel: &self.cancel,
        };
        let verdict = hooks.fire(&Occasion { event, names, input }, &means).await;
        self.spend(verdict.usage);
        for note in &verdict.notes {
            self.emit(EventKind::Note(note.clone()));
        }
        verdict
    }

    /// The same for all calls of one answer, after the last of them.
    pub(super) async fn hook_batch(&self, calls: &[ToolUse], results: &[Block]) -> Verdict {
        let response = |id: &str| {
            results.iter().find_map(|block| match block {
                Block::ToolResult { id: of, content, .. } if of == id => Some(content.clone()),
                _ => None,
            })
        };
        let calls = calls.iter().map(|call| {
            let name = tool_names::of(&call.name);
            json!({
                "tool_use_id": call.id,
                "tool_name": name.get(1).unwrap_or(&call.name.as_str()),
                "tool_input": call.input.as_ref().ok(),
                "tool_response": response(&call.id),
            })
        });
        self.hook("PostToolBatch", &[], json!({"tool_calls": calls.collect::<Vec<_>>()}))
            .await
    }

    /// The same for the call of a tool, which is told by its name and its arguments as Claude Code has them too.
    pub(super) async fn hook_call(
        &self,
        event: &'static str,
        call: &str,
        tool: &str,
        arguments: &Value,
        answer: Option<&str>,
    ) -> Verdict {
        let names = tool_names::of(tool);
        let mut tool_input = arguments.clone();
        let argv: Option<Vec<String>> = arguments["argv"].as_array().map(|words| {
            let words = words.iter().filter_map(Value::as_str);
            words.map(str::to_owned).collect()
        });
        if let Some(argv) = argv {
            tool_input["command"] = json!(shown_command(&argv));
        }
        if let Some(Ok(target)) = arguments["path"]
            .as_str()
            .map(|path| self.engine.workspace.resolve(path))
        {
            tool_input["file_path"] = json!(target.path);
        }
        let mut more =
            json!({"tool_use_id": call, "tool_name": names.get(1).unwrap_or(&tool), "tool_input": tool_input});
        if let Some(answer) = answer {
            more["tool_response"] = json!({"text": answer});
        }
        self.hook(event, &names, more).await
    }
}
