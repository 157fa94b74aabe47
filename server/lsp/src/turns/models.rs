//! Which model a turn asks, which there are, and the person's choice among them.

use std::sync::Arc;

use skills_agent::model::{Choice, Model, ModelSettings, Price};
use skills_agent::permission::Mode;
use skills_agent::turn::{ChosenModel, Models as ModelsOfSkills};
use tower_lsp::ls_types::MessageType;

use super::lent_model::Lender;
use super::sessions;
use crate::printable::printable;
use crate::protocol::{AgentModel, AgentStatus, AgentStatusParams, ListedModel};
use crate::refusal::Refusal;
use crate::showing;
use crate::state::Shared;

/// How many models are kept: each keeps its connections, and what its endpoint did not take.
const KEPT: usize = 8;

/// How many models a message offers.
const OFFERED: usize = 10;

/// A turn's model.
pub struct Chosen {
    /// The model.
    pub model: Arc<dyn Model>,
    /// What its tokens cost, where the person said so.
    pub price: Option<Price>,
    /// What could not be had, for the person.
    pub notes: Vec<String>,
    /// How many tokens it can read, where the settings say so.
    pub context_window: Option<u64>,
    settings: ModelSettings,
}

/// The model that the settings, the session (the current one without) and these choices mean together; one that was
/// used before where they are the same.
pub fn chosen(shared: &Arc<Shared>, session: Option<&str>, choices: &[Choice]) -> Result<Chosen, Refusal> {
    let environment = |name: &str| shared.environment.variable(name);
    let (settings, notes, kept, lends) = {
        let state = shared.state();
        let own = &state.agent.sessions.get(session)?.choice;
        let choices: Vec<_> = own.iter().chain(choices).cloned().collect();
        let (settings, notes) = state.settings.model.resolve(&environment, &choices);
        let kept = state.agent.models.iter().find(|(made_of, _)| *made_of == settings);
        let kept = kept.map(|(_, model)| model.clone());
        (settings, notes, kept, state.client.agent.lm)
    };
    let price = settings.price();
    let model = match kept {
        Some(model) => model,
        None => {
            let model = settings.model(&environment, lends.then(|| Lender::of(shared)));
            let model = model.map_err(Refusal::of)?;
            let kept = &mut shared.state().agent.models;
            kept.truncate(KEPT - 1);
            kept.insert(0, (settings.clone(), model.clone()));
            model
        }
    };
    Ok(Chosen {
        model,
        price,
        notes,
        context_window: settings.context_window,
        settings,
    })
}

/// The models that skills may ask for while a turn runs, below what the person chose for the turn, which comes last in
/// these choices.
pub fn of_skills(shared: &Arc<Shared>, session: &str, mut choices: Vec<Choice>) -> ModelsOfSkills {
    let (shared, session) = (shared.clone(), session.to_owned());
    let of_person = choices.pop();
    Arc::new(move |asked| {
        let all: Vec<_> = choices.iter().chain(asked).chain(&of_person).cloned().collect();
        let chosen = chosen(&shared, Some(&session), &all).map_err(|error| error.to_string())?;
        Ok(ChosenModel {
            model: chosen.model,
            price: chosen.price,
            context_tokens: chosen.context_window,
            notes: chosen.notes,
        })
    })
}

/// The model that a session's next turn (the current one's without) asks, for a person.
pub fn described(shared: &Arc<Shared>, session: Option<&str>) -> AgentModel {
    match chosen(shared, session, &[]) {
        Ok(Chosen { model, settings, .. }) => AgentModel {
            name: printable(settings.name().unwrap_or(&model.label())),
            label: printable(&model.label()),
            problem: model.problem(),
        },
        Err(problem) => AgentModel {
            problem: Some(printable(&problem.to_string())),
            ..AgentModel::default()
        },
    }
}

/// Tells the client what the current session's next turn asks from now on.
pub async fn tell(shared: &Arc<Shared>) {
    let busy = {
        let state = shared.state();
        if !state.client.agent.session_update {
            return;
        }
        let open = state.agent.sessions.get(None);
        open.is_ok_and(|open| open.session.running().is_some())
    };
    let model = described(shared, None);
    let kind = if model.problem.is_some() { "Warning" } else { "Normal" }.to_owned();
    let status = AgentStatusParams {
        kind,
        busy,
        message: None,
        model,
    };
    shared.client.send_notification::<AgentStatus>(status).await;
}

/// The models of the endpoint that the next turn asks; an error is for the person.
pub async fn list(shared: &Arc<Shared>) -> Result<Vec<ListedModel>, Refusal> {
    let Chosen { model, settings, .. } = chosen(shared, None, &[])?;
    let models = model.models().await.map_err(Refusal::of)?;
    let listed = models.into_iter().map(|model| {
        let is_current = Some(model.id.as_str()) == settings.name();
        ListedModel {
            context_window: settings.context_window.filter(|_| is_current).or(model.context_window),
            model_id: model.id,
            name: model.name,
            provider: model.provider,
            is_current,
        }
    });
    Ok(listed.collect())
}

/// Chooses an option of a session, by its identifier and value.
pub fn set_option(shared: &Arc<Shared>, session: &str, option: &str, value: String) -> Result<(), Refusal> {
    let session = Some(session);
    match option {
        "model" => choose(shared, session, Some(value), None).map(drop),
        "thought_level" => choose(shared, session, None, Some(value)).map(drop),
        "mode" => {
            let mode = Mode::of(&value).ok_or("the mode must be acceptEdits, ask or readOnly")?;
            shared.state().agent.sessions.get_mut(session)?.mode = Some(mode);
            tell_choice(shared, session);
            Ok(())
        }
        other => Err(format!("{other} is no option; there are model, thought_level and mode").into()),
    }
}

/// Tells clients what is chosen for a session (the current one without) from now on.
fn tell_choice(shared: &Arc<Shared>, session: Option<&str>) {
    sessions::tell_options(shared, session);
    let shared = shared.clone();
    tokio::spawn(async move { tell(&shared).await });
}

/// Chooses a session's model and effort from now on; gives what it is then.
pub fn choose(
    shared: &Arc<Shared>,
    session: Option<&str>,
    model: Option<String>,
    effort: Option<String>,
) -> Result<String, Refusal> {
    let before = shared.state().agent.sessions.get(session)?.choice.clone();
    let choice = match before.clone() {
        Some(before) => Choice::by_person(model.or(before.model), effort.or(before.effort)),
        None => Choice::by_person(model, effort),
    };
    shared.state().agent.sessions.get_mut(session)?.choice = Some(choice);
    let chosen = chosen(shared, session, &[]).and_then(|chosen| match chosen.notes.first() {
        None => Ok(chosen.model.label()),
        Some(note) => Err(note.clone().into()),
    });
    match chosen {
        Ok(_) => tell_choice(shared, session),
        Err(_) => shared.state().agent.sessions.get_mut(session)?.choice = before,
    }
    chosen
}

/// Shows the person the models that there are, to choose from where the client can ask.
pub fn offer(shared: &Arc<Shared>) {
    let shared = shared.clone();
    tokio::spawn(async move {
        let models = match list(&shared).await {
            Ok(models) => models,
            Err(error) => {
                let message = printable(&format!("skills: {error}"));
                return shared.client.show_message(MessageType::WARNING, message).await;
            }
        };
        let current = models.iter().find(|model| model.is_current);
        let current = current.map_or_else(|| "none of them".to_owned(), |model| printable(&model.name));
        let count = models.len();
        let names: Vec<_> = models
            .iter()
            .take(OFFERED)
            .map(|model| printable(&model.model_id))
            .collect();
        let message = format!("The model of this conversation (now: {current}); {count} are there");
        let asked = if count == 0 {
            showing::Choice::CannotAsk
        } else {
            showing::choose(&shared, message, &names).await
        };
        let model = match asked {
            showing::Choice::Of(at) => &models[at],
            showing::Choice::None => return,
            showing::Choice::CannotAsk => {
                let message = format!(
                    "skills: the endpoint has {count} models: {}; now: {current}",
                    names.join(", ")
                );
                return shared.client.show_message(MessageType::INFO, message).await;
            }
        };
        if let Err(error) = choose(&shared, None, Some(model.model_id.clone()), None) {
            shared
                .client
                .show_message(MessageType::WARNING, printable(&error.to_string()))
                .await;
        }
    });
}
