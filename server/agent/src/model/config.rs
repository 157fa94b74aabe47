//! Which model a configuration means.

use std::path::Path;
use std::sync::Arc;

use super::editor::{Editor, LanguageModel};
use super::key::ApiKey;
use super::remote::Remote;
use super::replay::Replay;
use super::wires::{self, WIRES};
use super::{Effort, Model, ModelError, Price, Prices};

/// The providers that are no wire over HTTP.
const OTHERS: [&str; 2] = ["editor", "replay"];

/// The `model` section of the configuration; what is `None` comes from the environment or has a default.
///
/// The caller sees to it that nothing of this comes from a workspace's files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelSettings {
    /// `anthropic` (default), `openai`, `openai-responses`, `editor` or `replay`.
    pub provider: Option<String>,
    /// The model's name; for `replay` the path of the recording.
    pub name: Option<String>,
    /// The endpoint, without `/v1/…`.
    pub base_url: Option<String>,
    /// The environment variable that holds the key. Default: the provider's own, such as `ANTHROPIC_API_KEY`.
    pub api_key_env: Option<String>,
    /// A command that prints the key; goes before the variable.
    pub api_key_command: Option<String>,
    /// How much the model is to think. Default: what the endpoint does by itself.
    pub effort: Option<Effort>,
    /// How many tokens the model can read, where the endpoint does not say so.
    pub context_window: Option<u64>,
    /// What models cost.
    pub prices: Prices,
}

impl ModelSettings {
    /// The provider's name.
    #[must_use]
    pub fn provider(&self) -> &str {
        self.provider.as_deref().unwrap_or(WIRES[0].provider)
    }

    /// The model's name; `None` where the provider has no default.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        let default = || Some(wires::of_provider(self.provider())?.model);
        self.name.as_deref().or_else(default)
    }

    /// What the model's tokens cost, where the person said so.
    #[must_use]
    pub fn price(&self) -> Option<Price> {
        Price::of(&self.prices, self.name()?)
    }

    /// The settings with the environment on top: `SKILLS_LS_MODEL_PROVIDER`, `…_NAME` and `…_BASE_URL`.
    pub(super) fn with_environment(&self, environment: &dyn Fn(&str) -> Option<String>) -> Self {
        let choose = |name: &str, setting: &Option<String>| set(environment, name).or_else(|| setting.clone());
        Self {
            provider: choose("SKILLS_LS_MODEL_PROVIDER", &self.provider),
            name: choose("SKILLS_LS_MODEL_NAME", &self.name),
            base_url: choose("SKILLS_LS_MODEL_BASE_URL", &self.base_url),
            ..self.clone()
        }
    }

    /// The model that is meant. The provider's own variable, such as `ANTHROPIC_BASE_URL`, is the default of the
    /// endpoint, the vendor's own address the last. `editor` is the model that the editor lends, if it does.
    ///
    /// The settings are those that [`ModelSettings::resolve`] gave.
    ///
    /// # Errors
    ///
    /// When the provider is unknown, a recording can't be read, the key's command is no command line, or the editor
    /// has no model. A missing key is an error of the first request, so that a server starts without one.
    pub fn model(
        &self,
        environment: &dyn Fn(&str) -> Option<String>,
        editor: Option<Arc<dyn LanguageModel>>,
    ) -> Result<Arc<dyn Model>, ModelError> {
        let provider = self.provider();
        if let Some(wire) = wires::of_provider(provider) {
            let name = self.name.as_deref().unwrap_or(wire.model);
            let base_url = self
                .base_url
                .clone()
                .or_else(|| set(environment, wire.base_url_variable));
            let base_url = base_url.as_deref().unwrap_or(wire.base_url);
            let key = self.key(wire.key_variable, environment)?;
            return Ok(Arc::new(Remote::new(wire, name, self.effort, base_url, key)));
        }
        match provider {
            "editor" => {
                let editor = editor.ok_or_else(|| {
                    ModelError::new(
                        "model.provider is `editor`, but this editor lends no model: set another model.provider, \
                         such as `anthropic`",
                    )
                })?;
                Ok(Arc::new(Editor::new(editor, self.name.clone())))
            }
            "replay" => {
                let path = self.name.as_ref().ok_or_else(|| {
                    ModelError::new("the provider `replay` needs a recording: set model.name to the path of one")
                })?;
                Ok(Arc::new(Replay::from_file(Path::new(path))?))
            }
            other => Err(ModelError::new(format!(
                "model.provider is `{other}`; known are `{}`",
                providers().collect::<Vec<_>>().join("`, `")
            ))),
        }
    }

    fn key(&self, variable: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<ApiKey, ModelError> {
        match &self.api_key_command {
            Some(line) => ApiKey::from_command(line),
            None => {
                let variable = self.api_key_env.as_deref().unwrap_or(variable);
                Ok(ApiKey::from_variable(variable, environment(variable)))
            }
        }
    }
}

/// Whether there is a provider of this name.
pub(super) fn is_provider(name: &str) -> bool {
    providers().any(|provider| provider == name)
}

fn providers() -> impl Iterator<Item = &'static str> {
    WIRES.iter().map(|wire| wire.provider).chain(OTHERS)
}

/// The value of a variable that is set to something.
fn set(environment: &dyn Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    let value = environment(name)?;
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}
