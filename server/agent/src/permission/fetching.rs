//! Whether a URL is read.

use std::path::Path;

use super::question::{Wish, denied};
use super::rule::{Call, Called, Rule, Subject as Of};
use super::{Asking, Permissions};
use crate::event::TurnId;
use crate::host::ApplyError;
use crate::network::{self, Place};
use crate::tool_names::Does;
use crate::workspace::Folder;

const FETCHING: Called<'_> = Called::Doing(&[Does::Fetch]);

fn call(place: &Place) -> Call<'_> {
    Call {
        tool: FETCHING,
        subject: Of::Host(place.host(), place.port()),
    }
}

impl Permissions {
    /// Lets a URL be read; `true` where a person was asked. Nothing is looked up before: a name can carry away what the
    /// agent knows.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person or a rule says no, or the host is a private address that no rule opens.
    pub(crate) async fn before_url(
        &self,
        asking: Asking<'_>,
        folder: &Folder,
        place: &Place,
    ) -> Result<bool, ApplyError> {
        let (url, host, call) = (place.url(), place.host(), call(place));
        self.not_denied(asking.turn, call, &format!("reading {url}"))?;
        if let Some(address) = place.private().filter(|_| !self.opens(&folder.path, place)) {
            return denied(&self.told(&folder.path, place, network::is_private(host, address)));
        }
        let reason = match self.asks(call) {
            Some(rule) => format!("The rule {} asks (setting permissions.ask).", rule.text()),
            None if self.allows(asking.turn, folder, call) => return Ok(false),
            None => String::new(),
        };
        let kept = Rule::parse(&format!("WebFetch(domain:{host})"))
            .ok()
            .filter(|_| reason.is_empty() && place.private().is_none());
        let wish = Wish {
            title: format!("Read from {host}?"),
            reason,
            detail: url.to_string(),
            rules: kept.into_iter().collect(),
            exact: None,
            folder,
            what: format!("reading {url}"),
        };
        self.wish(asking, wish).await?;
        Ok(true)
    }

    /// Lets something be sent to a host by a hook that the person confirmed.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] with the rule that forbids it.
    pub(crate) fn check_host(&self, turn: &TurnId, place: &Place) -> Result<(), ApplyError> {
        self.not_denied(turn, call(place), &format!("sending to {}", place.host()))
    }

    /// Whether a rule `WebFetch(private:HOST)` that the person wrote opens this host although its address is private. A
    /// list of a skill opens nothing.
    pub(crate) fn opens(&self, folder: &Path, place: &Place) -> bool {
        let kept = self.grants.of(folder);
        let mut written = self.rules.allow.iter().chain(&kept);
        written.any(|rule| rule.is_private() && rule.covers(call(place)))
    }

    /// The refusal of a private address, which tells those whose rule would have allowed it.
    pub(crate) fn told(&self, folder: &Path, place: &Place, refusal: String) -> String {
        let kept = self.grants.of(folder);
        let mut written = self.rules.allow.iter().chain(&kept);
        match written.find(|rule| rule.is_exact() && rule.covers(call(place))) {
            Some(rule) => format!("{refusal}; {} is for public addresses alone", rule.text()),
            None => refusal,
        }
    }
}
