//! What a person says into a turn that runs: it is told to the model before its next request.

use std::collections::VecDeque;

use parking_lot::Mutex;

/// What waits to be said into one turn.
#[derive(Debug, Default)]
pub struct Steering {
    state: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    waiting: VecDeque<String>,
    /// The turn takes no more: what is said now belongs to the next one.
    closed: bool,
}

impl Steering {
    /// Leaves a text for the turn. `false` where the turn takes no more; nothing is kept then.
    pub fn push(&self, text: &str) -> bool {
        let mut state = self.state.lock();
        if !state.closed {
            state.waiting.push_back(text.to_owned());
        }
        !state.closed
    }

    /// What waits, oldest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<String> {
        self.state.lock().waiting.iter().cloned().collect()
    }

    /// Takes what waits.
    pub fn take(&self) -> Vec<String> {
        self.state.lock().waiting.drain(..).collect()
    }

    /// Takes what waits; where nothing does, the turn ends and takes no more. One step, so that no text is lost between.
    pub fn take_or_close(&self) -> Vec<String> {
        let mut state = self.state.lock();
        state.closed = state.waiting.is_empty();
        state.waiting.drain(..).collect()
    }

    /// Takes what waits, and takes no more.
    pub fn close(&self) -> Vec<String> {
        let mut state = self.state.lock();
        state.closed = true;
        state.waiting.drain(..).collect()
    }
}
