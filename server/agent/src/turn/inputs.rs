//! What a skill can't run without is asked of the person before anything of it runs.

use skills_schema::arguments::{self, Input};

use super::Running;
use crate::catalog::Skill;
use crate::host::{self, Answer, Choice, ChoiceKind, Question};

/// The answer that ends the invocation.
const STOP: &str = "stop";

impl Running<'_> {
    /// The words to add to what was typed, one `name=value` for each input; `None` where the person gave no answer.
    pub(super) async fn ask_for(&self, skill: &Skill, missing: &[Input]) -> Option<String> {
        let mut words = Vec::new();
        for input in missing {
            let question = Question {
                title: format!("The skill {} needs {}", skill.name, input.name),
                detail: match input.description.as_str() {
                    "" => format!("What is {}?", input.name),
                    description => description.to_owned(),
                },
                choices: vec![Choice {
                    id: STOP,
                    label: "Don't run it".to_owned(),
                    kind: ChoiceKind::RejectOnce,
                }],
                rules: String::new(),
                takes_text: true,
            };
            match host::ask(&*self.engine.host, question, &self.cancel).await {
                Answer::Replied { id, text } if id == Question::FREE_TEXT && !text.trim().is_empty() => {
                    words.push(format!("{}={}", input.name, text.trim()));
                }
                _ => return None,
            }
        }
        Some(arguments::join(words.iter().map(String::as_str)))
    }
}
