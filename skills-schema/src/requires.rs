//! What a skill needs beside itself.

use crate::{nearest::nearest, syntax::declared::Item};

/// How deep requirements may go, as Wolffish 1.0.263 has it.
pub const MAX_DEPTH: usize = 3;
/// How many skills one may need in all.
pub const MAX_SKILLS: usize = 100;

/// What a skill needs, and what is wrong with that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// The names, each once, what is needed before what needs it; without the skill itself.
    pub names: Vec<String>,
    /// What can't be had.
    pub problems: Vec<Problem>,
}

/// A requirement that can't be had. Each has the way from the skill to it: a name that needs the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// There is no such skill; perhaps the one with that similar name is meant.
    Missing {
        /// The way to it.
        chain: Vec<String>,
        /// The most similar name there is.
        near: Option<String>,
    },
    /// It needs itself.
    Cycle {
        /// The way around; the last name is the one that begins the circle.
        chain: Vec<String>,
    },
    /// It is deeper than [`MAX_DEPTH`].
    TooDeep {
        /// The way to it.
        chain: Vec<String>,
    },
    /// There are more than [`MAX_SKILLS`].
    TooMany,
}

impl Problem {
    /// What is wrong, and what to do.
    pub fn message(&self) -> String {
        match self {
            Problem::Missing { chain, near } => {
                let name = chain.last().map_or("", String::as_str);
                let near = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "add it, or take it out of `requires`".to_owned(),
                };
                format!("there is no skill `{name}` ({}); {near}", chain.join(" → "))
            }
            Problem::Cycle { chain } => format!("circular `requires`: `{}`; remove one of them", chain.join(" → ")),
            Problem::TooDeep { chain } => format!(
                "`requires` over {MAX_DEPTH} steps deep: `{}`; require the last one sooner",
                chain.join(" → ")
            ),
            Problem::TooMany => format!("more than {MAX_SKILLS} skills are needed; require fewer"),
        }
    }
}

/// What a skill needs, all the way down. `requires` gives what a skill of a name asks for, `None` where there is none
/// of that name; `names` are all there are, for similar ones.
pub fn resolve<'a>(name: &str, requires: impl Fn(&str) -> Option<&'a [Item]>, names: &[&str]) -> Requirements {
    let mut walk = Walk {
        requires: &requires,
        names,
        chain: vec![name.to_owned()],
        found: Requirements::default(),
    };
    walk.follow(name);
    walk.found
}

struct Walk<'w, 'a> {
    requires: &'w dyn Fn(&str) -> Option<&'a [Item]>,
    names: &'w [&'w str],
    /// The way from the first skill to the one that is looked at.
    chain: Vec<String>,
    found: Requirements,
}

impl Walk<'_, '_> {
    fn follow(&mut self, name: &str) {
        for required in (self.requires)(name).unwrap_or_default() {
            if self.found.names.len() + self.found.problems.len() >= MAX_SKILLS {
                if self.found.problems.last() != Some(&Problem::TooMany) {
                    self.found.problems.push(Problem::TooMany);
                }
                return;
            }
            let required = required.text.as_str();
            let start = self.chain.iter().position(|it| it == required);
            self.chain.push(required.to_owned());
            if let Some(start) = start {
                let chain = self.chain[start..].to_vec();
                self.found.problems.push(Problem::Cycle { chain });
            } else if (self.requires)(required).is_none() {
                let near = nearest(required, self.names.iter().copied()).map(str::to_owned);
                let chain = self.chain.clone();
                self.found.problems.push(Problem::Missing { chain, near });
            } else if self.chain.len() > MAX_DEPTH + 1 {
                let chain = self.chain.clone();
                self.found.problems.push(Problem::TooDeep { chain });
            } else if !self.found.names.iter().any(|it| it == required) {
                self.follow(required);
                self.found.names.push(required.to_owned());
            }
            self.chain.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use text_size::TextRange;

    use super::*;

    fn resolved(skills: &[(&str, &[&str])]) -> (Vec<String>, Vec<String>) {
        let name = |text: &&str| Item {
            text: (*text).to_owned(),
            range: TextRange::default(),
        };
        let skills: BTreeMap<&str, Vec<Item>> = skills
            .iter()
            .map(|(skill, requires)| (*skill, requires.iter().map(name).collect()))
            .collect();
        let names: Vec<&str> = skills.keys().copied().collect();
        let found = resolve("a", |name| skills.get(name).map(Vec::as_slice), &names);
        (found.names, found.problems.iter().map(Problem::message).collect())
    }

    #[test]
    fn what_is_needed_comes_before_what_needs_it() {
        let (names, problems) = resolved(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &["d"]), ("d", &[])]);
        assert_eq!(names, ["d", "c", "b"]);
        assert!(problems.is_empty());
    }

    #[test]
    fn what_cannot_be_had_is_said_with_the_way_to_it() {
        type Skills<'a> = &'a [(&'a str, &'a [&'a str])];
        let cases: &[(Skills, &[&str], &str)] = &[
            (&[("a", &["shel"]), ("shell", &[])], &[], "did you mean `shell`?"),
            (&[("a", &["nothing"])], &[], "there is no skill `nothing` (a → nothing)"),
            (&[("a", &["a"])], &[], "a → a"),
            (&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])], &["c", "b"], "b → c → b"),
            (
                &[("a", &["b"]), ("b", &["c"]), ("c", &["d"]), ("d", &["e"]), ("e", &[])],
                &["d", "c", "b"],
                "over 3 steps deep: `a → b → c → d → e`",
            ),
        ];
        for (skills, expected, message) in cases {
            let (names, problems) = resolved(skills);
            assert_eq!(names, *expected);
            assert!(problems.len() == 1 && problems[0].contains(message), "{problems:?}");
        }
    }

    #[test]
    fn a_thousand_requirements_end_soon() {
        let names: Vec<String> = (0..1_000).map(|number| format!("skill-{number}")).collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut skills: Vec<(&str, &[&str])> = all.iter().map(|name| (*name, all.as_slice())).collect();
        skills.push(("a", all.as_slice()));
        let (names, problems) = resolved(&skills);
        assert!(names.len() <= MAX_SKILLS && problems.len() <= MAX_SKILLS + 1);
        assert!(
            problems.last().is_some_and(|it| it.contains("more than 100")),
            "{problems:?}"
        );
    }
}
