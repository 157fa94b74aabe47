//! All wires over HTTP: the one table.

use super::wire::Wire;
use super::{anthropic, openai_chat, openai_responses};

/// All wires over HTTP. The first is the default.
pub static WIRES: [&Wire; 3] = [&anthropic::WIRE, &openai_chat::WIRE, &openai_responses::WIRE];

/// The environment variables that hold the vendors' keys.
pub(crate) fn key_variables() -> impl Iterator<Item = &'static str> {
    WIRES.into_iter().map(|wire| wire.key_variable)
}

/// The wire that a provider's name means.
#[must_use]
pub fn of_provider(provider: &str) -> Option<&'static Wire> {
    WIRES.into_iter().find(|wire| wire.provider == provider)
}
