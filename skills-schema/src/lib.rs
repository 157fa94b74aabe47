//! What a skill is. Pure: text in, facts out.
//!
//! [`syntax::SkillFile::parse`] reads any text into a tree with byte ranges; [`fields::FIELDS`] says what each
//! frontmatter field means to each reader; [`rules::check`] finds what is wrong and offers repairs; the other modules
//! are one editor feature or one meaning each. Nothing here reads a file, keeps time or runs anything, and broken
//! input is data, never an error.
//!
//! ```
//! use skills_schema::{facts::Facts, rules, syntax::SkillFile};
//!
//! let file = SkillFile::parse("---\nname: deploy\ndescription: Use when: always\n---\n".into());
//! let findings = rules::check(&file, &Facts::of_path(".agents/skills/deploy/SKILL.md"));
//! assert_eq!(findings[0].code, "unquoted-colon");
//! ```
//!
//! # Where to add what
//!
//! - a field: its row in [`fields::FIELDS`]; who reads it: a line in the reader's file. Completion, hover, types and JSON
//!   Schemas follow.
//! - a rule: a file in [`rules`], its line in [`rules::RULES`], and a page beside it, which is its documentation and
//!   its test.
//! - a reader of skills: a file in `readers`, which has all that is known of it, and its name in [`reader::Dialect`].
//! - an editor's feature: a module here, from a file and its [`facts::Facts`] to byte ranges.
//!
//! `UPDATE_EXPECT=1 cargo test -p skills-schema` writes the marks of the rules' pages and `schema/*.json`.

pub mod arguments;
pub mod completion;
pub mod dialect;
pub mod difference;
pub mod facts;
pub mod fields;
pub mod fixes;
pub mod folding;
pub mod glob;
pub mod hidden;
pub mod hints;
pub mod hooks;
pub mod hover;
mod kind;
pub mod levels;
pub mod links;
pub mod listing;
pub mod manifest;
mod nearest;
mod paths;
mod pattern;
pub mod permission_rule;
pub mod reader;
mod readers;
pub mod rename;
pub mod requires;
pub mod rules;
pub mod schema;
pub mod selection;
pub mod semantic_tokens;
mod severity;
pub mod shown;
pub mod skill;
pub mod skill_names;
pub mod subagent;
pub mod subject;
pub mod symbols;
pub mod syntax;
pub mod template;
pub mod trigger;
pub mod verdict;
pub mod vocabulary;

pub use text_size::{TextRange, TextSize};
