//! Whether a URL is read.

use std::path::Path;

use super::question::Wish;
use super::rule::{Call, Called, Rule, Subject as Of};
use super::{Asking, Permissions};
use crate::event::TurnId;
use crate::host::ApplyError;
use crate::tools::names::Does;
use crate::workspace::Folder;

const FETCHING: Called<'_> = Called::Doing(&[Does::Fetch]);

impl Permissions {
    /// Lets a URL be read; `host` is its host in lower case. `true` where a person was asked.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] where the person or a rule says no.
    pub async fn before_url(
        &self,
        asking: Asking<'_>,
        folder: &Folder,
        host: &str,
        url: &str,
    ) -> Result<bool, ApplyError> {
        let call = Call {
            tool: FETCHING,
            subject: Of::Host(host),
        };
        self.not_denied(asking.turn, call, &format!("reading {url}"))?;
        let reason = match self.asks(call) {
            Some(rule) => format!("\nThe rule {} asks (setting permissions.ask).", rule.text()),
            None if self.allows(asking.turn, folder, call) => return Ok(false),
            None => String::new(),
        };
        let kept = Rule::parse(&format!("WebFetch(domain:{host})"))
            .ok()
            .filter(|_| reason.is_empty());
        let wish = Wish {
            title: format!("Read from {host}?"),
            detail: format!("{url}{reason}"),
            rules: kept.into_iter().collect(),
            exact: None,
            folder,
            what: format!("reading {url}"),
        };
        self.wish(asking, wish).await?;
        Ok(true)
    }

    /// Whether something may be sent to a host by a hook that the person confirmed: an error where a rule forbids it;
    /// `true` where a rule of the person names the host, so that even a private address of it is meant.
    ///
    /// # Errors
    /// [`ApplyError::Denied`] with the rule.
    pub(crate) fn check_host(&self, turn: &TurnId, project: &Path, host: &str) -> Result<bool, ApplyError> {
        let call = Call {
            tool: FETCHING,
            subject: Of::Host(host),
        };
        self.not_denied(turn, call, &format!("sending to {host}"))?;
        let allowing = self.allowing(turn, project);
        Ok(allowing.iter().any(|rule| rule.is_exact() && rule.covers(call)))
    }

    /// Whether a rule of the person names exactly this host, so that even a private address of it is meant.
    pub fn names_host(&self, asking: Asking<'_>, folder: &Folder, host: &str) -> bool {
        let call = Call {
            tool: FETCHING,
            subject: Of::Host(host),
        };
        let allowing = self.allowing(asking.turn, &folder.path);
        allowing.iter().any(|rule| rule.is_exact() && rule.covers(call))
    }
}
