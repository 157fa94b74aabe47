//! Which model a conversation, a skill or a turn asks for, on top of the settings.

use super::wires::{self, WIRES};
use super::{Effort, ModelSettings};

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chooser {
    /// The person, for a conversation or a turn.
    Person,
    /// A skill, by its name: its file may have come with a repository, so it chooses no provider.
    Skill(String),
    /// An agent that works for a skill, by its name: it chooses no provider either.
    Agent(String),
}

/// What somebody asks for; what is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Who asks.
    pub by: Chooser,
    /// A model's name; an alias of its provider such as `sonnet`; `inherit`, which changes nothing; `default`, which
    /// takes the settings' own; from a person also `provider:` with or without a name.
    pub model: Option<String>,
    /// `low`, `medium`, `high`, `xhigh`, `max` or a number of tokens; `inherit` changes nothing.
    pub effort: Option<String>,
}

impl Choice {
    /// A choice of the person.
    #[must_use]
    pub fn by_person(model: Option<String>, effort: Option<String>) -> Self {
        Self {
            by: Chooser::Person,
            model,
            effort,
        }
    }
}

impl ModelSettings {
    /// The settings under which a request is made: the environment goes before the settings, and the choices before
    /// both, the last one first: of the conversation, of the skill, of the turn. The texts are for the person: what
    /// could not be had.
    ///
    /// A choice never changes where a provider is reached. With another provider the settings' endpoint and key are
    /// left behind, because they belong to the first.
    #[must_use]
    pub fn resolve(&self, environment: &dyn Fn(&str) -> Option<String>, choices: &[Choice]) -> (Self, Vec<String>) {
        let settings = self.with_environment(environment);
        let mut resolved = settings.clone();
        resolved.unalias();
        let mut notes = Vec::new();
        for choice in choices {
            if let Some(model) = wish(choice.model.as_deref())
                && let Err(problem) = resolved.choose(&settings, &choice.by, model)
            {
                notes.push(problem);
            }
            if let Some(effort) = wish(choice.effort.as_deref()) {
                match Effort::of(effort) {
                    Some(effort) => resolved.effort = Some(effort),
                    None => notes.push(format!(
                        "{} asks for the effort `{effort}`, which there is none of: write low, medium, high, xhigh, \
                         max or a number of tokens",
                        choice.by
                    )),
                }
            }
        }
        (resolved, notes)
    }

    fn choose(&mut self, settings: &Self, by: &Chooser, model: &str) -> Result<(), String> {
        if model == "default" {
            *self = self.with_place_of(settings);
            self.unalias();
            return Ok(());
        }
        if *by == Chooser::Person
            && let Some((provider, name)) = model.split_once(':')
            && super::config::is_provider(provider)
        {
            let elsewhere = Self {
                provider: Some(provider.to_owned()),
                prices: self.prices.clone(),
                ..Self::default()
            };
            let is_settings_own = provider == settings.provider();
            *self = self.with_place_of(if is_settings_own { settings } else { &elsewhere });
            if !name.is_empty() {
                self.name = Some(name.to_owned());
            }
            self.unalias();
            return Ok(());
        }
        let of_provider = wires::of_provider(self.provider());
        let alias = of_provider.and_then(|wire| wire.aliases.iter().find(|(alias, _)| *alias == model));
        if let Some((_, meant)) = alias {
            self.name = Some((*meant).to_owned());
        } else if *by == Chooser::Person {
            self.name = Some(model.to_owned());
        } else if self.is_elsewhere(model) {
            let provider = self.provider();
            return Err(format!(
                "{by} asks for the model `{model}`, which {provider} does not have; it goes on as it is"
            ));
        } else if self.provider() != "replay" {
            // A recording is one model's, whatever a skill wants.
            self.name = Some(model.to_owned());
        }
        Ok(())
    }

    /// Other settings as a whole, endpoint and key included, but with the effort of these.
    fn with_place_of(&self, other: &Self) -> Self {
        Self {
            effort: self.effort,
            ..other.clone()
        }
    }

    /// Whether a name is known to mean a model of another provider.
    fn is_elsewhere(&self, model: &str) -> bool {
        let others = WIRES.iter().filter(|wire| wire.provider != self.provider());
        let mut aliases = others.flat_map(|wire| wire.aliases);
        // Gateways have the models of many.
        aliases.any(|(alias, meant)| *alias == model || (*meant == model && self.base_url.is_none()))
    }

    /// The name that an alias means.
    fn unalias(&mut self) {
        let wire = wires::of_provider(self.provider());
        let aliases = wire.map(|wire| wire.aliases).unwrap_or_default();
        if let Some((_, name)) = aliases.iter().find(|(alias, _)| Some(*alias) == self.name.as_deref()) {
            self.name = Some((*name).to_owned());
        }
    }
}

/// What is asked for, unless nothing is.
fn wish(text: Option<&str>) -> Option<&str> {
    text.map(str::trim)
        .filter(|text| !text.is_empty() && *text != "inherit")
}

impl std::fmt::Display for Chooser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Person => f.write_str("this conversation"),
            Self::Skill(name) => write!(f, "the skill {name}"),
            Self::Agent(name) => write!(f, "the agent {name}"),
        }
    }
}
