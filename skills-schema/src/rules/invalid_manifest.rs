//! `invalid-manifest`

use std::collections::HashMap;

use text_size::{TextRange, TextSize};

use crate::{
    dialect::Outcome,
    facts::{Facts, FileKind},
    fields::{Field, Place, Type, type_name},
    fixes::{Edit, Fix},
    links::stored_link,
    manifest::{Manifest, json_error},
    rules::{Report, Rule, Severity, nearest},
    syntax::{Entry, Node, NodeKind, Scalar, SkillFile, Style},
};

/// A file beside skills that its readers refuse, or read otherwise than it says.
pub(super) const RULE: Rule = Rule {
    code: "invalid-manifest",
    summary: "an invalid `agents/openai.yaml`, `plugin.json` or `mcp.json`",
    outcome: |_| Outcome::Misreads,
    kinds: &[FileKind::CodexMetadata, FileKind::Plugin, FileKind::PluginServers],
    documentation: include_str!("invalid_manifest.md"),
    check,
    ..Rule::DEFAULT
};

fn check(file: &SkillFile, facts: &Facts<'_>, report: &mut Report) {
    let manifest = Manifest::of(facts.kind).filter(|manifest| manifest.is_meant(file));
    let Some(manifest) = manifest.filter(|_| !file.text.trim().is_empty()) else {
        return;
    };
    if let Some(target) = stored_link(&file.text).filter(|_| manifest.is_json) {
        let range = TextRange::up_to(TextSize::of(target));
        let message = format!("symlink stored as text; restore it, or copy `{target}`");
        report.add_at(Severity::Warning, range, message);
        return;
    }
    let mut check = Check { file, manifest, report };
    if let Some((range, error)) = json_error(&file.text).filter(|_| manifest.is_json) {
        check.violation(range, &error);
        return;
    }
    for error in file.errors() {
        check.violation(error.range, &error.message);
    }
    for name in manifest.required {
        if file.entry(name).is_none() {
            check.missing(name);
        }
    }
    check.entries(file.entries(), manifest.place(), true);
    for problem in (manifest.problems)(file) {
        check.report.add_at(problem.severity, problem.range, problem.message);
    }
}

struct Check<'a> {
    file: &'a SkillFile,
    manifest: &'static Manifest,
    report: &'a mut Report,
}

impl Check<'_> {
    fn violation(&mut self, range: TextRange, what: &str) {
        let message = format!("{what}: {}", self.manifest.costs);
        self.report.add_at(self.manifest.severity, range, message);
    }

    fn missing(&mut self, name: &str) {
        let first = self.file.text.split(['\n', '\r']).next().unwrap_or_default();
        let message = format!("there is no `{name}`: {}", self.manifest.costs);
        let range = TextRange::up_to(TextSize::of(first));
        let finding = self.report.add_at(self.manifest.severity, range, message);
        let field = self.manifest.place().step(name).and_then(|place| place.field);
        let word = field.and_then(|field| field.choices().next());
        let open = self.file.text.find('{');
        if let (Some((word, _)), Some(open)) = (word, open) {
            let at = TextSize::of(&self.file.text[..=open]);
            let rest = if self.file.entries().is_empty() { "\n" } else { "," };
            let edit = Edit::insert(at, format!("\n  \"{name}\": \"{word}\"{rest}"));
            finding.fix(Fix::unsafe_(format!("Add `{name}`"), vec![edit]));
        }
    }

    fn entries(&mut self, all: &[Entry], place: Place, is_top: bool) {
        let mut seen: HashMap<&str, TextRange> = HashMap::with_capacity(all.len());
        for entry in all {
            let key = entry.key.value.as_str();
            if let Some(first) = seen.insert(key, entry.key.range) {
                let message = format!("`{key}` stands twice");
                let finding = self.report.add_at(Severity::Warning, entry.key.range, message);
                finding.relate(first, "first one here");
            }
            match place.step(key) {
                Some(place) => self.node(&entry.value, key, place),
                None => self.unknown(entry, all, place, is_top),
            }
        }
    }

    fn unknown(&mut self, entry: &Entry, all: &[Entry], place: Place, is_top: bool) {
        let key = entry.key.value.as_str();
        let is_free = |name: &&str| !all.iter().any(|it| it.key.value == **name);
        let names = place.fields().iter().map(|field| field.name);
        let near = nearest(key, names).filter(is_free);
        let is_fatal = !self.manifest.is_open || (self.manifest.is_json && !is_top);
        let way_out = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let (severity, costs) = match (is_fatal, near) {
            (true, _) => (self.manifest.severity, format!(": {}", self.manifest.costs)),
            (false, Some(_)) => (Severity::Warning, String::new()),
            (false, None) => (Severity::Information, String::new()),
        };
        let message = format!("{} knows no `{key}`{way_out}{costs}", self.manifest.reader);
        let range = entry.key.range;
        let finding = self.report.add_at(severity, range, message);
        if let Some(near) = near {
            let edit = Edit::replace(entry.key.inner(), near);
            finding.fix(Fix::unsafe_(format!("Rename to `{near}`"), vec![edit]));
        }
    }

    fn node(&mut self, node: &Node, key: &str, place: Place) {
        let is_any = place.types.iter().any(|it| matches!(it, Type::Any));
        // In YAML a field without a value is one that is not there.
        let is_unset = node.is_null() && !self.manifest.is_json;
        if is_any || is_unset || matches!(node.kind, NodeKind::Alias(_) | NodeKind::Invalid) {
            return;
        }
        match place.types.iter().find(|it| self.accepts(it, node)) {
            None => self.mismatch(node, key, place.types),
            Some(Type::List(types)) => {
                let place = Place { field: None, types };
                node.items().iter().for_each(|item| self.node(item, key, place));
            }
            Some(Type::Mapping(..)) => self.entries(node.entries(), place, false),
            Some(_) => self.length(node, place.field),
        }
    }

    fn length(&mut self, node: &Node, field: Option<&Field>) {
        let Some((field, most)) = field.and_then(|field| Some((field, field.max_length?))) else {
            return;
        };
        let length = node.as_str().map_or(0, |text| text.chars().count());
        if length > most {
            let what = format!(
                "`{}` has {length} characters, {} more than {most}",
                field.name,
                length - most
            );
            self.violation(node.range, &what);
        }
    }

    fn mismatch(&mut self, node: &Node, key: &str, types: &'static [Type]) {
        let mut expected = type_name(types);
        if self.manifest.is_json {
            expected = expected.replace("`key: value` lines", "an object");
        }
        let what = format!("`{key}` must be {expected}");
        self.violation(node.range, &what);
    }

    /// Whether a value is of a type, looking at its outside alone.
    fn accepts(&self, it: &Type, node: &Node) -> bool {
        let is_text = |scalar: &Scalar| !self.manifest.is_json || scalar.style == Style::DoubleQuoted;
        match (it, &node.kind) {
            (Type::Any, _) | (Type::List(_), NodeKind::Sequence(_)) | (Type::Mapping(..), NodeKind::Mapping(_)) => true,
            (Type::Text, NodeKind::Scalar(scalar)) => is_text(scalar),
            (Type::Choice(choices), NodeKind::Scalar(scalar)) => {
                is_text(scalar) && choices.iter().any(|choice| choice.value == scalar.value)
            }
            (Type::Boolean, NodeKind::Scalar(scalar)) => {
                scalar.style == Style::Plain && matches!(scalar.value.as_str(), "true" | "false")
            }
            _ => false,
        }
    }
}
