//! What is configured for the files that are checked, and what lies around them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use skills_agent::permission::SaidTrust;
use skills_schema::rules::Finding;

use crate::analysis::{Analysis, Configured};
use crate::checks::{self, Checking, Checks};
use crate::discovery::discovery;
use crate::environment::Environment;
use crate::surroundings::{Surroundings, View};

/// What all files of one run share; threads ask it at once.
#[derive(Debug)]
pub struct Project {
    checking: Checking,
    view: View,
    surroundings: Surroundings,
}

impl Project {
    /// The surroundings of the files at or below these absolute paths; the texts say what of the configuration could not be
    /// understood.
    pub fn of(places: &[PathBuf]) -> (Self, Vec<String>) {
        let environment = Environment::of_process();
        let mut folders: Vec<PathBuf> = places.iter().map(|place| checks::project_of(place)).collect();
        folders.sort_unstable();
        folders.dedup();
        let (checking, files) = Checking::read(&folders, &environment, &Checks::default());
        let problems = files.iter().flat_map(checks::Read::sentences).collect();
        let discovery = discovery(folders.clone(), &SaidTrust::default(), &checking, &environment);
        let view = View {
            folders,
            home: environment.home,
            catalog: Some(Arc::new(discovery.run())),
            ..View::default()
        };
        let project = Self {
            checking,
            view,
            surroundings: Surroundings::default(),
        };
        (project, problems)
    }

    /// How a file is checked.
    pub fn configured(&self, path: &Path) -> Configured {
        let (checks, relative) = self.checking.of(path);
        Configured {
            checks,
            relative,
            ..Configured::default()
        }
    }

    /// What is wrong with a file in view of what is around it.
    pub fn findings_around(&self, path: &Path, analysis: &Analysis) -> Vec<Finding> {
        self.surroundings.findings(path, analysis, &self.view)
    }
}
