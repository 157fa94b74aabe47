//! Which model answers in a context, and what all answers of a turn cost.

use std::sync::Arc;

use parking_lot::Mutex;

use super::Running;
use super::engine::{ChosenModel, Engine};
use crate::event::EventKind;
use crate::model::{Choice, Model, Price, Usage};

/// The model of one context: of the conversation, or of a fork. A skill may change it for the rest of the turn.
#[derive(Clone)]
pub(super) struct Answering(Arc<Mutex<Now>>);

#[derive(Clone)]
struct Now {
    chosen: ChosenModel,
    choices: Vec<Choice>,
    /// The tokens that this context took, read and answered.
    taken: u64,
}

impl Answering {
    /// As the turn begins.
    pub(super) fn of(engine: &Engine) -> Self {
        Self(Arc::new(Mutex::new(Now {
            chosen: ChosenModel {
                model: engine.model.clone(),
                price: engine.price,
                context_tokens: engine.limits.context_tokens,
                notes: Vec::new(),
            },
            choices: Vec::new(),
            taken: 0,
        })))
    }

    /// For a context of its own that begins with the same model.
    pub(super) fn apart(&self) -> Self {
        Self(Arc::new(Mutex::new(Now {
            taken: 0,
            ..self.0.lock().clone()
        })))
    }

    /// The model that answers next.
    pub(super) fn model(&self) -> Arc<dyn Model> {
        self.0.lock().chosen.model.clone()
    }

    /// How many tokens it can read, where that is known.
    pub(super) fn context_tokens(&self) -> Option<u64> {
        self.0.lock().chosen.context_tokens
    }

    /// How many tokens the context took so far, read and answered.
    pub(super) fn taken(&self) -> u64 {
        self.0.lock().taken
    }
}

/// What all answers of a turn cost, those in forks included.
#[derive(Debug, Clone, Default)]
pub(super) struct Spent(Arc<Mutex<Sum>>);

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    usage: Usage,
    money: f64,
    /// Some tokens have no price, so that nobody knows the sum.
    is_unknown: bool,
}

impl Spent {
    /// The tokens, and the money where each of them has a price; `price` is that of tokens that may still come.
    pub(super) fn sum(&self, price: Option<Price>) -> (Usage, Option<f64>) {
        let sum = *self.0.lock();
        let is_known = !sum.is_unknown && (price.is_some() || sum.usage != Usage::default());
        (sum.usage, is_known.then_some(sum.money))
    }
}

impl Running<'_> {
    /// Counts what an answer cost.
    pub(super) fn spend(&self, usage: Usage) {
        let price = {
            let mut now = self.answering.0.lock();
            now.taken += usage.total();
            now.chosen.price
        };
        let mut sum = self.spent.0.lock();
        sum.usage += usage;
        match price {
            Some(price) => sum.money += price.cost(&usage),
            None => sum.is_unknown |= usage != Usage::default(),
        }
    }

    /// Has another model answer from now on in this context, where somebody asks for one.
    pub(super) fn choose(&self, choice: Choice) {
        if choice.model.is_none() && choice.effort.is_none() {
            return;
        }
        let (mut choices, before) = {
            let now = self.answering.0.lock();
            (now.choices.clone(), now.chosen.model.label())
        };
        choices.push(choice);
        match (self.engine.models)(&choices) {
            Ok(chosen) => {
                let label = chosen.model.label();
                for note in &chosen.notes {
                    self.emit(EventKind::Note(note.clone()));
                }
                if label != before {
                    self.emit(EventKind::Note(format!("{label} answers from here on")));
                }
                let mut now = self.answering.0.lock();
                (now.chosen, now.choices) = (chosen, choices);
            }
            Err(problem) => self.emit(EventKind::Note(format!("{before} goes on: {problem}"))),
        }
    }
}
