//! Which model a configuration means.

use std::path::Path;
use std::sync::Arc;

use super::anthropic::{self, Anthropic};
use super::key::ApiKey;
use super::replay::Replay;
use super::retry::Patience;
use super::{Model, ModelError};

/// The `model` section of the configuration; what is `None` comes from the environment or has a default.
///
/// The caller sees to it that nothing of this comes from a workspace's files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// `anthropic` (default) or `replay`.
    pub provider: Option<String>,
    /// The model's name; for `replay` the path of the recording.
    pub name: Option<String>,
    /// The endpoint, without `/v1/messages`.
    pub base_url: Option<String>,
    /// The environment variable that holds the key. Default: `ANTHROPIC_API_KEY`.
    pub api_key_env: Option<String>,
    /// A command that prints the key; goes before the variable.
    pub api_key_command: Option<String>,
}

impl ModelSettings {
    /// The model that is meant. The environment goes before the settings: `SKILLS_LS_MODEL_PROVIDER`, `…_NAME` and
    /// `…_BASE_URL`. `ANTHROPIC_BASE_URL` is the default of the endpoint, the vendor's own address the last.
    ///
    /// # Errors
    ///
    /// When the provider is unknown, a recording can't be read, or the key's command is no command line. A missing key
    /// is an error of the first request, so that a server starts without one.
    pub fn model(&self, environment: &dyn Fn(&str) -> Option<String>) -> Result<Arc<dyn Model>, ModelError> {
        let variable = |name: &str| {
            environment(name)
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        let choose = |name: &str, setting: &Option<String>| variable(name).or_else(|| setting.clone());
        let provider = choose("SKILLS_LS_MODEL_PROVIDER", &self.provider);
        let name = choose("SKILLS_LS_MODEL_NAME", &self.name);
        let base_url = choose("SKILLS_LS_MODEL_BASE_URL", &self.base_url);
        match provider.as_deref().unwrap_or("anthropic") {
            "anthropic" => {
                let name = name.unwrap_or_else(|| anthropic::DEFAULT_NAME.to_owned());
                let base_url = base_url.or_else(|| variable("ANTHROPIC_BASE_URL"));
                let base_url = base_url.as_deref().unwrap_or(anthropic::DEFAULT_BASE_URL);
                let key = self.key("ANTHROPIC_API_KEY", environment)?;
                Ok(Arc::new(Anthropic::new(name, base_url, key, Patience::default())))
            }
            "replay" => {
                let path = name.ok_or_else(|| {
                    ModelError::new("the provider `replay` needs a recording: set model.name to the path of one")
                })?;
                Ok(Arc::new(Replay::from_file(Path::new(&path))?))
            }
            other => Err(ModelError::new(format!(
                "model.provider is `{other}`; known are `anthropic` and `replay`"
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
