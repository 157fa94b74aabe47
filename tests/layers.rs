//! Each crate reads from bottom to top: what a module imports lies below it, and no files import each other in a circle.
//!
//! And what is known of one system that reads skills stands in that system's file.
//!
//! The order is that of the tables in ARCHITECTURE.md. Imports are read from the sources: `use` and paths. `mod` lines are
//! aside, as is what a module takes from those inside of it; what a file only hands on with `pub use` counts for where it
//! comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use skills_schema::dialect::Dialect;

const ARCHITECTURE: &str = include_str!("../ARCHITECTURE.md");
const CONTRIBUTING: &str = include_str!("../CONTRIBUTING.md");

/// The crates: the folder of each, and its name in ARCHITECTURE.md.
const CRATES: [(&str, &str); 3] = [
    ("skills-schema/src", "skills-schema"),
    ("server/agent/src", "server/agent"),
    ("server/lsp/src", "server/lsp"),
];

/// The modules of a crate's root from bottom to top, as the table below its name in ARCHITECTURE.md has them. A module
/// that is on no layer fails, and so does an import of one that stands later.
fn layers(name: &str) -> Vec<Vec<&'static str>> {
    let section = ARCHITECTURE.split(&format!("\n**{name}**\n")).nth(1).unwrap();
    let rows = section.lines().skip(1).take_while(|line| line.starts_with('|')).skip(2);
    let modules = |row: &'static str| in_backticks(row.split('|').nth(2).unwrap()).collect();
    rows.map(modules).collect()
}

/// The words of a line that stand in backticks.
fn in_backticks(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A file of a crate, by the path of its module: `catalog::skill`; the root is the empty path.
type File = String;

#[derive(Default)]
struct Sources {
    /// What each file imports, as whole paths, with the line.
    imports: BTreeMap<File, Vec<(String, usize)>>,
    /// What a file hands on: the name, and the whole path that it stands for.
    handed_on: BTreeMap<String, String>,
}

impl Sources {
    fn of(folder: &Path) -> Self {
        let mut sources = Self::default();
        let mut names = Vec::new();
        below(folder, &mut names);
        for path in names {
            let relative = path.strip_prefix(folder).unwrap().with_extension("");
            let parts: Vec<_> = relative.iter().map(|part| part.to_str().unwrap()).collect();
            if parts[0] == "bin" || parts[0] == "main" {
                continue;
            }
            let file = if parts == ["lib"] {
                String::new()
            } else {
                parts.join("::")
            };
            sources.read(&file, &fs::read_to_string(&path).unwrap());
        }
        sources
    }

    fn read(&mut self, file: &str, text: &str) {
        let imports = self.imports.entry(file.to_owned()).or_default();
        let text = without_tests_and_comments(text);
        let mut uses = Vec::new();
        let mut rest = text.clone();
        for statement in statements(&text) {
            let (is_public, tree) = statement.tree(&text);
            let line = text[..statement.begin].matches('\n').count() + 1;
            for (path, name) in expand(&tree) {
                let Some(path) = absolute(file, &path) else { continue };
                if is_public {
                    let name = if file.is_empty() {
                        name.clone()
                    } else {
                        format!("{file}::{name}")
                    };
                    self.handed_on.insert(name, path.clone());
                } else {
                    imports.push((path.clone(), line));
                }
                uses.push((name, path));
            }
            let blank: String = text[statement.begin..statement.end]
                .chars()
                .map(|char| if char == '\n' { '\n' } else { ' ' })
                .collect();
            rest.replace_range(statement.begin..statement.end, &blank);
        }
        // Paths in the code: from the crate, from above, from a module of this file's own.
        for (path, line) in paths(&rest) {
            let first = path.split("::").next().unwrap_or_default();
            if matches!(first, "crate" | "super" | "self") {
                imports.extend(absolute(file, &path).map(|path| (path, line)));
            } else if let Some((_, used)) = uses.iter().find(|(name, _)| name == first) {
                // Of a module that is in scope: which of its names is meant, handed on or its own.
                imports.push((format!("{used}{}", &path[first.len()..]), line));
            } else {
                let own = if file.is_empty() {
                    path.clone()
                } else {
                    format!("{file}::{path}")
                };
                imports.push((own, line));
            }
        }
    }

    /// The file in which something is defined; `None` where it is of no file of the crate.
    fn file_of(&self, path: &str) -> Option<File> {
        let mut path = path.to_owned();
        for _ in 0..8 {
            let mut file = path.as_str();
            while !self.imports.contains_key(file) {
                file = file.rsplit_once("::").map_or("", |(above, _)| above);
            }
            let name = path[file.len()..]
                .trim_start_matches("::")
                .split("::")
                .next()
                .unwrap_or_default();
            let whole = if file.is_empty() {
                name.to_owned()
            } else {
                format!("{file}::{name}")
            };
            match self.handed_on.get(&whole) {
                Some(behind) => path = format!("{behind}{}", &path[whole.len()..]),
                None if file.is_empty() => return None,
                None => return Some(file.to_owned()),
            }
        }
        None
    }

    /// Each file with the files that it imports, and where.
    fn arrows(&self) -> BTreeMap<File, BTreeMap<File, usize>> {
        let mut arrows: BTreeMap<File, BTreeMap<File, usize>> = BTreeMap::new();
        for (file, imports) in self.imports.iter().filter(|(file, _)| !file.is_empty()) {
            let found = arrows.entry(file.clone()).or_default();
            for (path, line) in imports {
                let is_inside = |other: &File| {
                    other
                        .strip_prefix(file.as_str())
                        .is_some_and(|rest| rest.starts_with("::"))
                };
                let other = self.file_of(path).filter(|other| other != file && !is_inside(other));
                if let Some(other) = other {
                    found.entry(other).or_insert(*line);
                }
            }
        }
        arrows
    }
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            below(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
}

/// The text with tests, comments and literals replaced by spaces; lines stay.
fn without_tests_and_comments(text: &str) -> String {
    let text = text.find("#[cfg(test)]\nmod ").map_or(text, |at| &text[..at]);
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let code = line
            .find("//")
            .map_or(line, |at| if line[..at].contains('"') { line } else { &line[..at] });
        let mut is_literal = false;
        let mut before = ' ';
        for char in code.chars() {
            if char == '"' && before != '\\' && before != '\'' {
                is_literal = !is_literal;
            }
            out.push(if is_literal && char != '\n' { ' ' } else { char });
            before = char;
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

/// A `use` statement's place in the text.
struct Statement {
    begin: usize,
    end: usize,
}

impl Statement {
    /// Whether it hands on, and what it names, without spaces.
    fn tree(&self, text: &str) -> (bool, String) {
        let text = &text[self.begin..self.end];
        let (before, tree) = text.split_once("use ").unwrap_or_default();
        let tree = tree.trim_end_matches(';').replace(" as ", "@");
        (before.contains("pub"), tree.split_whitespace().collect())
    }
}

fn statements(text: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = line.trim_start();
        let is_use = code.starts_with("use ") || (code.starts_with("pub") && code.contains(" use "));
        if is_use && found.last().is_none_or(|last: &Statement| last.end <= at) {
            let end = text[at..].find(';').map_or(text.len(), |end| at + end + 1);
            found.push(Statement { begin: at, end });
        }
        at += line.len();
    }
    found
}

/// The paths of a tree, `a::{b, c as d}`, with the names that they have here.
fn expand(tree: &str) -> Vec<(String, String)> {
    let Some(open) = tree.find('{') else {
        let (path, name) = tree
            .split_once('@')
            .unwrap_or_else(|| (tree, tree.rsplit("::").next().unwrap_or(tree)));
        if let Some(module) = path.strip_suffix("::self") {
            let name = if name == "self" {
                module.rsplit("::").next().unwrap_or(module)
            } else {
                name
            };
            return vec![(module.to_owned(), name.to_owned())];
        }
        return vec![(path.to_owned(), name.to_owned())];
    };
    let (prefix, inner) = (&tree[..open], tree[open + 1..].trim_end_matches(['\n', ' ']));
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (at, char) in inner.char_indices().chain([(inner.len(), ',')]) {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if from < at {
                    found.extend(expand(&format!("{prefix}{}", &inner[from..at])));
                }
                from = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// A path from the crate's root; `None` where it leads to another crate.
fn absolute(file: &str, path: &str) -> Option<String> {
    let mut base: Vec<&str> = file.split("::").filter(|part| !part.is_empty()).collect();
    let mut rest = path.split("::").peekable();
    match rest.peek().copied() {
        Some("crate") => {
            rest.next();
            base.clear();
        }
        Some("self") => {
            rest.next();
        }
        Some("super") => {
            while rest.next_if_eq(&"super").is_some() {
                base.pop();
            }
        }
        // Of this file's own modules, or of another crate, which no file is called like.
        _ => {}
    }
    base.extend(rest);
    Some(base.join("::"))
}

/// The paths `a::b` of a text, with their lines.
fn paths(text: &str) -> Vec<(String, usize)> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == ':';
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for word in line.split(|char| !is_part(char)).filter(|word| word.contains("::")) {
            let word = word.trim_matches(':');
            if word.contains("::") && !word.starts_with(|first: char| first.is_ascii_digit()) {
                found.push((word.to_owned(), index + 1));
            }
        }
    }
    found
}

/// The files that lie in circles, circle by circle.
fn circles(arrows: &BTreeMap<File, BTreeMap<File, usize>>) -> Vec<BTreeSet<File>> {
    let reached = |from: &File| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&File> = vec![from];
        while let Some(file) = open.pop() {
            for other in arrows.get(file).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(other.clone()) {
                    open.push(other);
                }
            }
        }
        seen
    };
    let all: BTreeMap<&File, BTreeSet<File>> = arrows.keys().map(|file| (file, reached(file))).collect();
    let mut found: Vec<BTreeSet<File>> = Vec::new();
    for (file, others) in &all {
        if found.iter().any(|circle| circle.contains(*file)) || !others.contains(*file) {
            continue;
        }
        let back = others
            .iter()
            .filter(|other| all.get(other).is_some_and(|there| there.contains(*file)));
        found.push(back.cloned().collect());
    }
    found
}

#[test]
fn no_arrow_runs_up_and_no_circle_comes_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut problems = Vec::new();
    for (folder, name) in CRATES {
        let arrows = Sources::of(&root.join(folder)).arrows();
        let layers = layers(name);
        let layer = |file: &str| {
            let module = file.split("::").next().unwrap_or(file);
            layers.iter().position(|layer| layer.contains(&module))
        };
        for (file, others) in &arrows {
            let Some(own) = layer(file) else {
                problems.push(format!("{folder}: {file} is on no layer; name it in ARCHITECTURE.md"));
                continue;
            };
            for (other, line) in others {
                if layer(other).is_some_and(|other| other > own) {
                    let path = format!("{folder}/{}.rs:{line}", file.replace("::", "/"));
                    problems.push(format!("{path} imports {other}, which lies above it"));
                }
            }
        }
        for circle in circles(&arrows) {
            let ties = circle.iter().flat_map(|file| {
                let within = arrows[file].iter().filter(|(other, _)| circle.contains(*other));
                within.map(move |(other, line)| format!("\n  {file}:{line} -> {other}"))
            });
            let ties: String = ties.collect();
            problems.push(format!("{folder}: {} files lie in a circle:{ties}", circle.len()));
        }
        for module in layers.iter().flatten() {
            if !arrows.contains_key(*module) {
                problems.push(format!("{folder}: ARCHITECTURE.md names {module}, which is not there"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Files that may name a system beside its own file in `readers`, and why.
const NAMING: &[(&str, &str)] = &[
    ("skills-schema/src/reader.rs", "the list of all"),
    (
        "skills-schema/src/readers.rs",
        "their files, and which of them is the specification",
    ),
    (
        "skills-schema/src/glob.rs",
        "the dialects of globs are called after systems",
    ),
    (
        "skills-schema/src/manifest/openai_yaml.rs",
        "the fields of Codex's own file",
    ),
    (
        "server/agent/src/catalog/always_on.rs",
        "what files of instructions are called",
    ),
    (
        "server/lsp/src/cli/agents.rs",
        "programs that start the server, and their configuration",
    ),
];

/// Words that are systems' names and much else.
const COMMON: &[&str] = &["mcp", "pi", "claude", "vscode", "skills-ls", "unified"];

#[test]
fn one_system_is_named_in_its_own_file_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for (folder, _) in CRATES {
        below(&root.join(folder), &mut files);
    }
    let readers = Dialect::ALL.map(Dialect::reader);
    let mut problems = Vec::new();
    for path in files {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        if name.starts_with("skills-schema/src/readers/") || NAMING.iter().any(|(file, _)| *file == name) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let text = text.find("#[cfg(test)]\nmod ").map_or(&*text, |at| &text[..at]);
        for (index, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            for reader in readers {
                let variant = format!("Dialect::{:?}", reader.dialect);
                let is_variant = reader.dialect != Dialect::Unified && has_word(line, &variant);
                let is_name = !COMMON.contains(&reader.name) && line.contains(&format!("\"{}\"", reader.name));
                let is_title = !COMMON.contains(&reader.title) && literals(line).any(|it| has_word(it, reader.title));
                if is_variant || is_name || is_title {
                    problems.push(format!("{name}:{}: {}", index + 1, reader.title));
                }
            }
        }
    }
    let way_out = "make it data of the reader in skills-schema/src/readers";
    assert!(problems.is_empty(), "{way_out}:\n{}", problems.join("\n"));
}

/// The literals of a line.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}

/// Whether a text has a word that is no part of a path or of another word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "./_-".contains(c);
    text.match_indices(word).any(|(at, _)| {
        let behind = &text[at + word.len()..];
        let goes_on = behind.starts_with(is_part) && !behind.starts_with(". ");
        !text[..at].ends_with(is_part) && !goes_on
    })
}

/// What the pages for contributors name in backticks: each path is there, and each `module::item` in that module's file.
#[test]
fn the_pages_for_contributors_name_what_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for (folder, _) in CRATES {
        below(&root.join(folder), &mut files);
    }
    let is_in = |module: &str, item: &str| {
        let is_file = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem == module);
        let is_type = module.starts_with(char::is_uppercase);
        let mut found = files.iter().filter(|path| is_type || is_file(path));
        found.any(|path| {
            let text = fs::read_to_string(path).unwrap();
            has_word(&text, item) && (!is_type || has_word(&text, module))
        })
    };
    let is_there = |name: &str| match name.rsplit_once("::") {
        Some((module, item)) if !name.contains(' ') => {
            let module = module.rsplit("::").next().unwrap_or(module);
            module == "skills_schema" || is_in(module, item)
        }
        // The names of messages and the files of the examples aside.
        _ => name.split(' ').all(|word| {
            let is_path = word.contains('/') && !word.contains("my_") && !word.starts_with('+');
            let is_message = word.starts_with("skills/") || word.starts_with("session/");
            !is_path || is_message || root.join(word).exists()
        }),
    };
    let mut problems = Vec::new();
    for (page, text) in [("ARCHITECTURE.md", ARCHITECTURE), ("CONTRIBUTING.md", CONTRIBUTING)] {
        for (index, line) in text.lines().enumerate() {
            let missing = in_backticks(line).filter(|name| !is_there(name) && !name.contains("my_"));
            problems.extend(missing.map(|name| format!("{page}:{}: {name} is not there", index + 1)));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
