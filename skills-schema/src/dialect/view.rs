//! Which profile of a reader counts, where its documents and its newest product differ.

use std::{collections::BTreeMap, str::FromStr};

use super::{Dialect, Profile, UnknownDialect, runtime::Runtime};

/// A reader as options name it: `openhands`, or `openhands@current`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// The reader.
    pub dialect: Dialect,
    /// Which profile of it; `None` leaves that to what is asked.
    pub profile: Option<Profile>,
}

/// The accounts that a person chose, at most one a reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profiles(BTreeMap<Dialect, Profile>);

impl View {
    /// How skills are activated, listed and rendered in this view; by default as documented.
    pub fn runtime(self) -> &'static Runtime {
        Runtime::of(self.dialect, self.profile.unwrap_or(Profile::Documented))
    }

    /// The accounts of a reader that there are.
    fn profiles(dialect: Dialect) -> impl Iterator<Item = Profile> {
        let versions = dialect.reader().accounts.iter().map(|row| row.profile);
        [Profile::Documented, Profile::Current]
            .into_iter()
            .chain(versions.filter(|profile| matches!(profile, Profile::Version(_))))
    }
}

impl Profiles {
    /// Chooses an account by the names of the reader and of the account.
    pub fn set(&mut self, dialect: &str, profile: &str) -> Result<(), UnknownView> {
        let View { dialect, profile } = format!("{dialect}@{profile}").parse()?;
        self.0.extend(profile.map(|profile| (dialect, profile)));
        Ok(())
    }

    /// These accounts where one is chosen, the others elsewhere.
    pub fn over(&self, base: &Profiles) -> Profiles {
        Profiles(
            base.0
                .iter()
                .chain(&self.0)
                .map(|(dialect, profile)| (*dialect, *profile))
                .collect(),
        )
    }

    /// The profile of a reader; `None` where none is chosen.
    pub fn of(&self, dialect: Dialect) -> Option<Profile> {
        self.0.get(&dialect).copied()
    }

    /// The same view, with the account that was chosen where it names none.
    pub fn view(&self, view: impl Into<View>) -> View {
        let view = view.into();
        View {
            profile: view.profile.or_else(|| self.of(view.dialect)),
            ..view
        }
    }
}

impl From<Dialect> for View {
    fn from(dialect: Dialect) -> View {
        View { dialect, profile: None }
    }
}

impl FromStr for View {
    type Err = UnknownView;

    fn from_str(text: &str) -> Result<View, UnknownView> {
        let (name, profile) = match text.split_once('@') {
            None => (text, None),
            Some((name, profile)) => (name, Some(profile)),
        };
        let dialect = name.parse::<Dialect>()?;
        let known = |profile: &str| View::profiles(dialect).find(|it| it.name() == profile);
        let unknown = |profile: &str| UnknownView::Profile(dialect, profile.to_owned());
        let profile = profile
            .map(|profile| known(profile).ok_or_else(|| unknown(profile)))
            .transpose()?;
        Ok(View { dialect, profile })
    }
}

/// What names no reader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownView {
    /// There is no such dialect.
    #[error(transparent)]
    Dialect(#[from] UnknownDialect),
    /// The dialect has no such profile.
    #[error(
        "`{0}` has no profile `{1}`; use one of {known}",
        known = View::profiles(*.0).map(Profile::name).collect::<Vec<_>>().join(", ")
    )]
    Profile(Dialect, String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_named_with_its_profile() {
        for row in Runtime::all() {
            let view: View = row.to_string().parse().unwrap();
            assert!(std::ptr::eq(view.runtime(), row), "{row}");
        }
        for (text, expected) in [
            ("openhands@documented", "openhands"),
            ("thndrs@current", "thndrs"),
            ("claude@current", "claude"),
        ] {
            assert_eq!(text.parse::<View>().unwrap().runtime().to_string(), expected);
        }
        for dialect in Dialect::ALL {
            assert_eq!(dialect.runtime().dialect, dialect);
        }
    }

    #[test]
    fn an_account_of_a_reader_stands_behind_its_name() {
        let view = |text: &str| text.parse::<View>().map(|view| (view.dialect, view.profile));
        assert_eq!(view("openhands"), Ok((Dialect::OpenHands, None)));
        assert_eq!(
            view("openhands@current"),
            Ok((Dialect::OpenHands, Some(Profile::Current)))
        );
        assert_eq!(
            view("claude@documented"),
            Ok((Dialect::Claude, Some(Profile::Documented)))
        );
        assert_eq!(
            view("wolffish@2026-07"),
            Ok((Dialect::Wolffish, Some(Profile::Version("2026-07"))))
        );
        for (text, way_out) in [
            ("wolffish@2019", "documented, current, 2026-07"),
            ("claude@", "documented, current, 2.1.209"),
            ("thndrs@2", "use one of documented, current"),
            ("cascade@current", "agentskills, claude, openhands"),
            ("", "agentskills, claude, openhands"),
        ] {
            let message = view(text).unwrap_err().to_string();
            assert!(message.contains(way_out), "{text}: {message}");
        }
    }

    #[test]
    fn an_account_is_chosen_once_for_all_that_name_none() {
        let mut person = Profiles::default();
        assert_eq!(person.set("openhands", "current"), Ok(()));
        assert_eq!(person.set("claude", "2.1.209"), Ok(()));
        let mut editor = Profiles::default();
        assert_eq!(editor.set("claude", "current"), Ok(()));
        let chosen = editor.over(&person);
        assert_eq!(chosen.of(Dialect::Claude), Some(Profile::Current));
        assert_eq!(chosen.of(Dialect::OpenHands), Some(Profile::Current));
        assert_eq!(chosen.of(Dialect::Thndrs), None);
        let named: View = "openhands@documented".parse().unwrap();
        assert_eq!(chosen.view(named), named);
        assert_eq!(chosen.view(Dialect::OpenHands).profile, Some(Profile::Current));
        for (dialect, profile, way_out) in [
            ("claude", "1.0", "documented, current, 2.1.209"),
            ("cascade", "current", "agentskills, claude, openhands"),
        ] {
            let message = editor.set(dialect, profile).unwrap_err().to_string();
            assert!(message.contains(way_out), "{message}");
        }
    }
}
