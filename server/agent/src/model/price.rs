//! What a model's tokens cost, as the person says it: no price is built in, because prices change.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Usage;

/// The prices of models, by name; a name that ends in `*` means all that begin like it.
pub type Prices = BTreeMap<String, Price>;

/// What a million tokens cost, in whatever currency the person counts.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Price {
    /// Tokens read.
    pub input: f64,
    /// Tokens answered.
    pub output: f64,
    /// Tokens read from a cache. Default: as `input`.
    pub cache_read: Option<f64>,
    /// Tokens written to a cache. Default: as `input`.
    pub cache_write: Option<f64>,
}

impl Price {
    /// The price of a model: its own, else that of the longest beginning with `*`.
    #[must_use]
    pub fn of(prices: &Prices, model: &str) -> Option<Self> {
        let matches = |name: &str| name.strip_suffix('*').is_some_and(|start| model.starts_with(start));
        let family = || {
            prices
                .iter()
                .filter(|(name, _)| matches(name))
                .max_by_key(|(name, _)| name.len())
        };
        prices.get(model).or_else(|| family().map(|(_, price)| price)).copied()
    }

    /// What the tokens cost.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "no turn has 2^52 tokens")]
    pub fn cost(&self, usage: &Usage) -> f64 {
        let parts = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read.unwrap_or(self.input)),
            (usage.cache_write, self.cache_write.unwrap_or(self.input)),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price / 1e6).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_the_models_own_or_its_familys() {
        let price = |input| Price {
            input,
            output: 2.0,
            cache_read: Some(0.5),
            cache_write: None,
        };
        let prices: Prices = [("gpt-*", 1.0), ("gpt-5*", 2.0), ("gpt-5-mini", 3.0)]
            .map(|(name, input)| (name.to_owned(), price(input)))
            .into();
        let cases = [
            ("gpt-4", Some(1.0)),
            ("gpt-5", Some(2.0)),
            ("gpt-5-mini", Some(3.0)),
            ("o9", None),
        ];
        for (model, expected) in cases {
            assert_eq!(Price::of(&prices, model).map(|price| price.input), expected, "{model}");
        }
        let usage = Usage {
            input: 1_000_000,
            cache_write: 2_000_000,
            cache_read: 4_000_000,
            output: 500_000,
        };
        assert_eq!(price(3.0).cost(&usage), 3.0 + 6.0 + 2.0 + 1.0);
    }
}
