//! What one interface of models over HTTP has of its own: a row of data and pure functions. [`super::remote`] does the
//! rest for all of them alike.

use serde_json::Value;

use super::retry::Decoder;
use super::{Effort, Request};

/// One interface of models.
#[derive(Debug)]
pub struct Wire {
    /// What `model.provider` calls it.
    pub provider: &'static str,
    /// The vendor's own endpoint.
    pub(super) base_url: &'static str,
    /// The environment variable that names another endpoint.
    pub(super) base_url_variable: &'static str,
    /// The environment variable that holds the key.
    pub(super) key_variable: &'static str,
    /// The model that is asked where none is configured.
    pub(super) model: &'static str,
    /// The short names that skills and people use, and what they mean.
    pub(super) aliases: &'static [(&'static str, &'static str)],
    /// Where requests go, below the endpoint.
    pub(super) path: &'static str,
    /// Where the list of models is, below the endpoint.
    pub(super) models_path: &'static str,
    /// The header that carries the key, and what stands before it there.
    pub(super) key_header: (&'static str, &'static str),
    /// Further headers.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// Makes the body of a request.
    pub(super) body: fn(&Request, &Target<'_>) -> Value,
    /// Reads one answer.
    pub(super) decoder: fn() -> Box<dyn Decoder>,
    /// Whether the decoder also takes an answer that comes whole, as one event.
    pub(super) takes_whole_answers: bool,
    /// What is given up when an endpoint refuses it.
    pub(super) concessions: &'static [Concession],
}

/// Who is asked, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    /// The model's name.
    pub(super) name: &'a str,
    /// How much it is to think.
    pub(super) effort: Option<Effort>,
    /// Whether it is the vendor's own endpoint. Others are sent no more than they need: they may refuse what is newer.
    pub(super) is_vendor: bool,
}

/// Something that a request can do without. What is given up once is not asked of that model again.
#[derive(Debug)]
pub(super) struct Concession {
    /// What is done then, for the person: `asking without …`.
    pub(super) instead: &'static str,
    /// Whether a refusal, in lower case, is about this.
    pub(super) is_meant: fn(&str) -> bool,
    /// Takes it out of a body, by what the refusal said in lower case. A body that had none of it stays as it is.
    pub(super) give_up: fn(&mut Value, &str),
}

/// Takes a key out of an object.
pub(super) fn remove(body: &mut Value, key: &str) {
    if let Some(object) = body.as_object_mut() {
        object.remove(key);
    }
}

/// Takes a key out of every object in a value.
pub(super) fn remove_everywhere(value: &mut Value, key: &str) {
    match value {
        Value::Object(object) => {
            object.remove(key);
            object.values_mut().for_each(|value| remove_everywhere(value, key));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| remove_everywhere(value, key)),
        _ => {}
    }
}
