//! Whether a skill is invoked by the model, and what its text may ask for.

use serde_json::Value;

use super::question::{ALLOW, REJECT, Wish, choice, denied, framed, question, says};
use super::rule::{Call, Called, Rule, Subject as Of};
use super::{Asking, Mode, Permissions};
use crate::event::TurnId;
use crate::host::{ApplyError, ChoiceKind};
use crate::tool_names::Does;
use crate::workspace::Folder;

/// A skill that the model wants to invoke.
#[derive(Clone, Copy)]
pub struct SkillRequest<'a> {
    /// Its name.
    pub name: &'a str,
    /// What the model gives it.
    pub arguments: &'a str,
    /// What it asks for beyond its text: tools, hooks, a model, a shell, commands; empty where nothing, so that it runs
    /// without a question.
    pub wants: &'a [String],
    /// The folder of the workspace.
    pub folder: &'a Folder,
}

impl Permissions {
    /// Lets the model invoke a skill; `true` where a person was asked.
    ///
    /// A skill that asks for nothing beyond its text goes through, as in Claude Code 2.1.19.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person or a rule says no.
    pub async fn before_skill(&self, asking: Asking<'_>, request: SkillRequest<'_>) -> Result<bool, ApplyError> {
        let SkillRequest {
            name,
            arguments,
            wants,
            folder,
        } = request;
        let text = format!("{name} {arguments}");
        let text = text.trim_end();
        let call = |text| Call {
            tool: Called::Doing(&[Does::Invoke]),
            subject: Of::Text(text),
        };
        let title = format!("the skill {name}");
        // Whoever forbids a skill forbids it with whatever arguments.
        self.not_denied(asking.turn, call(name), &title)?;
        self.not_denied(asking.turn, call(text), &title)?;
        let reason = match self.asks(call(name)).or_else(|| self.asks(call(text))) {
            Some(rule) => format!("The rule {} asks (setting permissions.ask).", rule.text()),
            None if wants.is_empty() || self.allows(asking.turn, folder, call(text)) => return Ok(false),
            None => String::new(),
        };
        let kept = |text: String| Rule::parse(&text).ok().filter(|_| reason.is_empty());
        let rules = kept(format!("Skill({name}:*)"));
        // Arguments come from the model: what could be read as another rule is not offered.
        let is_plain = !text.contains(|char: char| char.is_control() || "(),".contains(char));
        let exact = kept(format!("Skill({text})")).filter(|rule| is_plain && rule.is_exact());
        let wish = Wish {
            title: format!("Let the model run the skill {name}?"),
            reason,
            detail: [vec![text.to_owned()], wants.to_vec()].concat().join("\n"),
            rules: rules.into_iter().collect(),
            exact,
            folder,
            what: title,
        };
        self.wish(asking, wish).await?;
        Ok(true)
    }

    /// Asks whether a skill may use the tools that its `allowed-tools` names without further questions, in this turn.
    ///
    /// Nothing is asked again for the same list and the same text (`sha256`) in this session; a no leaves all questions
    /// in place. Rules that deny or ask, protected files and patterns stand above the list.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the folder is not trusted, or a rule can't be read.
    pub async fn confirm_tools(
        &self,
        asking: Asking<'_>,
        folder: &Folder,
        skill: &str,
        sha256: &str,
        allowed_tools: &[String],
    ) -> Result<bool, ApplyError> {
        let rules: Result<Vec<Rule>, _> = allowed_tools.iter().map(|text| Rule::parse(text)).collect();
        let rules = match rules {
            Ok(rules) => rules,
            Err(problem) => return denied(&format!("allowed-tools of skill {skill}: {problem}")),
        };
        if rules.is_empty() {
            return Ok(false);
        }
        self.trust(asking, folder).await?;
        let _one_at_a_time = self.answers.lock().await;
        let confirmed = if self.grants.is_confirmed(skill, sha256, allowed_tools) {
            true
        } else {
            let choices = vec![
                choice(REJECT, "Ask each time", ChoiceKind::RejectOnce),
                choice(ALLOW, "Allow in this turn", ChoiceKind::AllowOnce),
            ];
            let title = format!("Let the skill {skill} use these tools without asking?");
            says(asking, question(title, allowed_tools.join("\n"), choices), ALLOW).await
        };
        if confirmed {
            self.grants.confirm(skill, sha256, allowed_tools);
            let mut of_turn = self.of_turn.lock();
            of_turn.entry(asking.turn.clone()).or_default().allow.extend(rules);
        }
        Ok(confirmed)
    }

    /// Asks whether a skill's hooks may run in this session; each line of the list says what runs when.
    ///
    /// Nothing is asked again for the same list and the same text (`sha256`) in this session.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the folder is not trusted, or the session only reads.
    pub async fn confirm_hooks(
        &self,
        asking: Asking<'_>,
        folder: &Folder,
        skill: &str,
        sha256: &str,
        list: &[String],
    ) -> Result<bool, ApplyError> {
        if self.mode == Mode::ReadOnly {
            return denied("the session is read-only (setting permissions.mode)");
        }
        self.trust(asking, folder).await?;
        let _one_at_a_time = self.answers.lock().await;
        let mut key = vec!["hooks".to_owned()];
        key.extend_from_slice(list);
        if self.grants.is_confirmed(skill, sha256, &key) {
            return Ok(true);
        }
        let choices = vec![
            choice(REJECT, "Run the skill without them", ChoiceKind::RejectOnce),
            choice(ALLOW, "Allow in this session", ChoiceKind::AllowOnce),
        ];
        let title = format!("Let the skill {skill} run these hooks?");
        let confirmed = says(asking, question(title, list.join("\n"), choices), ALLOW).await;
        if confirmed {
            self.grants.confirm(skill, sha256, &key);
        }
        Ok(confirmed)
    }

    /// Asks about a call because a hook wants it, whatever is allowed.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person says no.
    pub async fn confirm_call(
        &self,
        asking: Asking<'_>,
        tool: &str,
        why: &str,
        input: &Value,
    ) -> Result<(), ApplyError> {
        let choices = vec![
            choice(REJECT, "Reject", ChoiceKind::RejectOnce),
            choice(ALLOW, "Allow once", ChoiceKind::AllowOnce),
        ];
        let shown = serde_json::to_string_pretty(input).unwrap_or_else(|_| input.to_string());
        let question = question(format!("Allow this call of {tool}?"), framed(why, &shown), choices);
        let _one_at_a_time = self.answers.lock().await;
        match says(asking, question, ALLOW).await {
            true => Ok(()),
            false => denied(&format!("the call of {tool} was not allowed; go on without it")),
        }
    }

    /// Takes the tools that a skill's `disallowed-tools` names away from a turn. Nobody is asked: it only forbids. What
    /// can't be understood takes its whole tool away; a tool that nobody knows takes none, because other systems have others.
    ///
    /// # Errors
    /// What is wrong with the rules, one line each; the others count.
    pub fn disallow_tools(&self, turn: &TurnId, disallowed_tools: &[String]) -> Result<(), String> {
        let (mut rules, mut problems) = (Vec::new(), Vec::new());
        for (rule, problem) in disallowed_tools.iter().map(|text| Rule::guarding(text)) {
            match problem {
                Some(_) if rule.is_about_everything() => {
                    problems.push(format!("`{}` names no tool, so it takes none away", rule.text()));
                }
                problem => {
                    problems.extend(problem);
                    rules.push(rule);
                }
            }
        }
        self.deny(turn, rules);
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems.join("\n")),
        }
    }

    /// Denies what these rules cover until the turn ends.
    pub(crate) fn deny(&self, turn: &TurnId, rules: Vec<Rule>) {
        self.of_turn.lock().entry(turn.clone()).or_default().deny.extend(rules);
    }
}
