use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::respond;
use super::{Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::host::{self, Answer, Choice, ChoiceKind, Question};
use crate::model::ToolSpec;
use crate::process::capture::plain;

/// The identifiers of the choices; their number is the most that are offered.
const IDS: &[&str] = &["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// Asks the person something that the model needs to know. An answer permits nothing.
pub(super) struct AskPerson;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    question: String,
    #[serde(default)]
    choices: Vec<String>,
}

impl Tool for AskPerson {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "ask_person",
            description: "Asks the person a question and gives their answer: one of the choices, or a text of their own. \
                Use it where only they can decide; it permits nothing by itself.",
            input_schema: json!({
                "type": "object",
                "properties": {
                    "question": {"type": "string", "description": "What to ask."},
                    "choices": {
                        "type": "array",
                        "items": {"type": "string"},
                        "maxItems": IDS.len(),
                        "description": "The answers to choose from; leave out for a free text.",
                    },
                },
                "required": ["question"],
                "additionalProperties": false,
            }),
        }
    }

    fn is_mutating(&self) -> bool {
        // One question at a time, and nothing beside it.
        true
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let Arguments { question, choices } = arguments::parse(&self.spec(), input)?;
            if question.trim().is_empty() {
                return Err(respond("question is empty; say what the person should answer"));
            }
            if choices.len() > IDS.len() {
                return Err(respond(format!("at most {} choices; ask in several steps", IDS.len())));
            }
            let labels: Vec<String> = choices.iter().map(|label| plain(label)).collect();
            let choice = |(id, label): (&&'static str, &String)| Choice {
                id,
                label: label.clone(),
                kind: ChoiceKind::AllowOnce,
            };
            let asked = Question {
                title: "The agent asks".to_owned(),
                detail: plain(&question),
                choices: IDS.iter().zip(&labels).map(choice).collect(),
                rules: String::new(),
                takes_text: true,
            };
            let answer = host::ask(&*context.host, asked, &context.cancel).await;
            let chosen = |id: &str| {
                IDS.iter()
                    .position(|known| *known == id)
                    .and_then(|index| labels.get(index))
            };
            let text = match &answer {
                Answer::Replied { id, text } if *id == Question::FREE_TEXT => Some(text.clone()),
                Answer::Chosen(id) | Answer::Replied { id, .. } => chosen(id).cloned(),
                Answer::Dismissed => None,
            };
            let text = text.ok_or_else(|| {
                respond("the person gave no answer; go on with what is safest, or say what you need and end the turn")
            })?;
            Ok(ToolOutput {
                summary: text.clone(),
                text,
                truncated: false,
            })
        }
        .boxed()
    }
}
