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
//! CONTRIBUTING.md says where a change goes.

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
