//! From the core's terms to the protocol's. Nothing else makes protocol types out of core types.

use std::slice;

use ropey::Rope;
use skills_agent::host::ChoiceKind;
use skills_schema::TextRange;
use skills_schema::completion::{Completion, Kind};
use skills_schema::fixes::{self, Edit, Fix};
use skills_schema::folding::Fold;
use skills_schema::hints::Hint;
use skills_schema::hover::Hover;
use skills_schema::links::{Link, Target};
use skills_schema::rules::{Finding, Severity, Tag};
use skills_schema::semantic_tokens::Token;
use skills_schema::symbols::{Symbol, SymbolKind};
use tower_lsp::ls_types::{self as lsp, Uri};

use crate::capabilities::{Client, TOKEN_TYPES};
use crate::checks;
use crate::document::Document;
use crate::position::Encoding;
use crate::protocol::OptionKind;
use crate::uri;

/// The name under which findings are shown.
pub const SOURCE: &str = "skills-ls";

/// The protocol's range of a range of bytes in a document.
pub fn range(document: &Document, encoding: Encoding, range: TextRange) -> lsp::Range {
    encoding.range(&document.rope, range.start().into()..range.end().into())
}

/// What is wrong in a configuration file, as diagnostics.
pub fn configuration(encoding: Encoding, file: &checks::Read) -> Vec<lsp::Diagnostic> {
    let rope = Rope::from_str(&file.text);
    let problems = file.problems.iter();
    let diagnostic = |problem: &checks::Problem| lsp::Diagnostic {
        range: encoding.range(&rope, problem.range.start().into()..problem.range.end().into()),
        severity: Some(lsp::DiagnosticSeverity::ERROR),
        source: Some(SOURCE.to_owned()),
        message: problem.message.clone(),
        ..lsp::Diagnostic::default()
    };
    problems.map(diagnostic).collect()
}

/// What readers make of a finding, for programs: in the diagnostic's `data`, and in the reports of `check`.
pub fn readers(finding: &Finding) -> Vec<serde_json::Value> {
    // What is not so is left out: a broken file has many findings, and each names many readers.
    let readers = finding.readers.iter().map(|effect| {
        let mut reader = serde_json::json!({"reader": effect.reader.name(), "fate": effect.fate.name()});
        if let Some(reason) = &effect.reason {
            reader["reason"] = reason.as_str().into();
        }
        if effect.is_here {
            reader["readsFolder"] = true.into();
        }
        reader
    });
    readers.collect()
}

/// A finding as a diagnostic. Its message is one line; what readers make of it follows where the client shows nothing else
/// of a diagnostic, as hosts of agents do.
pub fn diagnostic(document: &Document, client: &Client, finding: &Finding) -> lsp::Diagnostic {
    let encoding = client.encoding;
    let related = finding.related.iter().filter_map(|related| {
        let location = match &related.file {
            None => lsp::Location {
                uri: document.uri.clone(),
                range: range(document, encoding, related.range),
            },
            // Where something stands in a file that is not looked at is not known: its start.
            Some(file) => lsp::Location {
                uri: Uri::from_file_path(file)?,
                range: lsp::Range::default(),
            },
        };
        Some(lsp::DiagnosticRelatedInformation {
            location,
            message: related.message.clone(),
        })
    });
    // Looked up once: findings may be many.
    let place = range(document, encoding, finding.range);
    let notes = finding.notes();
    let message = match client.related_information {
        true => finding.message.clone(),
        false => [slice::from_ref(&finding.message), &notes].concat().join("\n"),
    };
    let notes = notes.into_iter().map(|message| lsp::DiagnosticRelatedInformation {
        location: lsp::Location {
            uri: document.uri.clone(),
            range: place,
        },
        message,
    });
    let related: Vec<_> = related.chain(notes).collect();
    let tags = finding.tags.iter().map(|tag| match tag {
        Tag::Unnecessary => lsp::DiagnosticTag::UNNECESSARY,
        Tag::Deprecated => lsp::DiagnosticTag::DEPRECATED,
    });
    lsp::Diagnostic {
        range: place,
        severity: Some(match finding.severity {
            Severity::Error => lsp::DiagnosticSeverity::ERROR,
            Severity::Warning => lsp::DiagnosticSeverity::WARNING,
            Severity::Information => lsp::DiagnosticSeverity::INFORMATION,
            Severity::Hint => lsp::DiagnosticSeverity::HINT,
        }),
        code: Some(lsp::NumberOrString::String(finding.code.to_owned())),
        source: Some(SOURCE.to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: (!finding.tags.is_empty()).then(|| tags.collect()),
        data: (!finding.readers.is_empty()).then(|| serde_json::json!({"readers": readers(finding)})),
        ..lsp::Diagnostic::default()
    }
}

/// Edits of one document, for the version that they were made for.
pub fn document_edit(document: &Document, encoding: Encoding, edits: &[Edit]) -> lsp::TextDocumentEdit {
    let edits = edits.iter().map(|edit| {
        lsp::OneOf::Left(lsp::TextEdit {
            range: range(document, encoding, edit.range),
            new_text: edit.new_text.clone(),
        })
    });
    lsp::TextDocumentEdit {
        text_document: lsp::OptionalVersionedTextDocumentIdentifier {
            uri: document.uri.clone(),
            version: Some(document.version),
        },
        edits: edits.collect(),
    }
}

/// One document's edits as a workspace edit.
pub fn workspace_edit(edit: lsp::TextDocumentEdit) -> lsp::WorkspaceEdit {
    lsp::WorkspaceEdit {
        document_changes: Some(lsp::DocumentChanges::Edits(vec![edit])),
        ..lsp::WorkspaceEdit::default()
    }
}

/// A new file with a text. It is known not to be there: without the option, Neovim and Helix empty a file that is.
pub fn creation(uri: &Uri, text: String) -> lsp::WorkspaceEdit {
    let create = lsp::CreateFile {
        uri: uri.clone(),
        options: Some(lsp::CreateFileOptions {
            overwrite: None,
            ignore_if_exists: Some(true),
        }),
        annotation_id: None,
    };
    // The whole text: in Helix a new file has one line already.
    let range = lsp::Range::new(lsp::Position::new(0, 0), lsp::Position::new(1, 0));
    let edit = lsp::TextDocumentEdit {
        text_document: lsp::OptionalVersionedTextDocumentIdentifier {
            uri: uri.clone(),
            version: None,
        },
        edits: vec![lsp::OneOf::Left(lsp::TextEdit { range, new_text: text })],
    };
    lsp::WorkspaceEdit {
        document_changes: Some(lsp::DocumentChanges::Operations(vec![
            lsp::DocumentChangeOperation::Op(lsp::ResourceOp::Create(create)),
            lsp::DocumentChangeOperation::Edit(edit),
        ])),
        ..lsp::WorkspaceEdit::default()
    }
}

/// A repair as a workspace edit; `None` where the client can't create the file that it is for.
pub fn repair(document: &Document, client: &Client, fix: &Fix) -> Option<lsp::WorkspaceEdit> {
    let Some(file) = &fix.file else {
        return Some(workspace_edit(document_edit(document, client.encoding, &fix.edits)));
    };
    let uri = uri::beside(&document.uri, &file.path, "")?;
    let Some(text) = &file.text else {
        let text = || fixes::apply("", &fix.edits);
        return client.creates_files.then(|| creation(&uri, text()));
    };
    let rope = Rope::from_str(text);
    let edit = |edit: &Edit| lsp::TextEdit {
        range: client
            .encoding
            .range(&rope, edit.range.start().into()..edit.range.end().into()),
        new_text: edit.new_text.clone(),
    };
    Some(workspace_edit(lsp::TextDocumentEdit {
        text_document: lsp::OptionalVersionedTextDocumentIdentifier { uri, version: None },
        edits: fix.edits.iter().map(edit).map(lsp::OneOf::Left).collect(),
    }))
}

/// A completion, with placeholders where the client can fill them in. `data` comes back when it is resolved.
pub fn completion(
    document: &Document,
    client: &Client,
    item: Completion,
    data: Option<serde_json::Value>,
) -> lsp::CompletionItem {
    let snippet = item.snippet.filter(|_| client.snippets);
    let (format, mode) = match &snippet {
        Some(_) => (lsp::InsertTextFormat::SNIPPET, lsp::InsertTextMode::ADJUST_INDENTATION),
        None => (lsp::InsertTextFormat::PLAIN_TEXT, lsp::InsertTextMode::AS_IS),
    };
    let edit = lsp::TextEdit {
        range: range(document, client.encoding, item.replace),
        new_text: snippet.unwrap_or(item.insert),
    };
    let documentation = Some(item.documentation).filter(|documentation| !documentation.is_empty());
    lsp::CompletionItem {
        label: item.label,
        kind: Some(match item.kind {
            Kind::Field => lsp::CompletionItemKind::FIELD,
            Kind::Value => lsp::CompletionItemKind::VALUE,
            Kind::Tool => lsp::CompletionItemKind::METHOD,
            Kind::Placeholder => lsp::CompletionItemKind::VARIABLE,
            Kind::Heading => lsp::CompletionItemKind::REFERENCE,
            Kind::Skill => lsp::CompletionItemKind::FUNCTION,
            Kind::File => lsp::CompletionItemKind::FILE,
            Kind::Folder => lsp::CompletionItemKind::FOLDER,
        }),
        detail: Some(item.detail).filter(|detail| !detail.is_empty()),
        documentation: documentation.map(|it| lsp::Documentation::MarkupContent(markdown(it))),
        insert_text_format: Some(format),
        // Plain text is indented as it is to stand, a snippet as if its line were not.
        insert_text_mode: edit.new_text.contains('\n').then_some(mode),
        data,
        text_edit: Some(lsp::CompletionTextEdit::Edit(edit)),
        ..lsp::CompletionItem::default()
    }
}

/// A hint.
pub fn inlay_hint(document: &Document, encoding: Encoding, hint: Hint) -> lsp::InlayHint {
    lsp::InlayHint {
        position: encoding.position(&document.rope, hint.at.into()),
        label: lsp::InlayHintLabel::String(hint.label),
        kind: hint.is_argument.then_some(lsp::InlayHintKind::PARAMETER),
        text_edits: None,
        tooltip: Some(lsp::InlayHintTooltip::String(hint.tooltip)),
        padding_left: Some(!hint.is_argument),
        padding_right: None,
        data: None,
    }
}

/// A hover.
pub fn hover(document: &Document, encoding: Encoding, hover: Hover) -> lsp::Hover {
    lsp::Hover {
        contents: lsp::HoverContents::Markup(markdown(hover.markdown)),
        range: Some(range(document, encoding, hover.range)),
    }
}

/// A line of the outline with what is below it.
pub fn symbol(document: &Document, encoding: Encoding, symbol: Symbol) -> lsp::DocumentSymbol {
    let children = symbol
        .children
        .into_iter()
        .map(|it| self::symbol(document, encoding, it));
    #[allow(deprecated, reason = "the protocol's type still has the field")]
    lsp::DocumentSymbol {
        name: symbol.name,
        detail: Some(symbol.detail).filter(|detail| !detail.is_empty()),
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: range(document, encoding, symbol.range),
        selection_range: range(document, encoding, symbol.name_range),
        children: Some(children.collect()),
    }
}

/// A line of the outline and what is below it, one after the other.
pub fn symbol_list(
    document: &Document,
    encoding: Encoding,
    symbol: Symbol,
    container: Option<&str>,
    list: &mut Vec<lsp::SymbolInformation>,
) {
    #[allow(deprecated, reason = "the protocol's type still has the field")]
    list.push(lsp::SymbolInformation {
        name: symbol.name.clone(),
        kind: symbol_kind(symbol.kind),
        tags: None,
        deprecated: None,
        location: lsp::Location {
            uri: document.uri.clone(),
            range: range(document, encoding, symbol.range),
        },
        container_name: container.map(str::to_owned),
    });
    for child in symbol.children {
        symbol_list(document, encoding, child, Some(&symbol.name), list);
    }
}

fn symbol_kind(kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Frontmatter => lsp::SymbolKind::MODULE,
        SymbolKind::Field => lsp::SymbolKind::FIELD,
        // As the editors show the headings of Markdown.
        SymbolKind::Section => lsp::SymbolKind::STRING,
    }
}

/// A fold, in whole lines.
pub fn folding_range(document: &Document, encoding: Encoding, fold: Fold) -> lsp::FoldingRange {
    let range = range(document, encoding, fold.range);
    lsp::FoldingRange {
        start_line: range.start.line,
        end_line: range.end.line,
        kind: fold.is_comment.then_some(lsp::FoldingRangeKind::Comment),
        ..lsp::FoldingRange::default()
    }
}

/// The steps of a growing selection, from the innermost; `None` where there are none.
pub fn selection_range(document: &Document, encoding: Encoding, steps: &[TextRange]) -> Option<lsp::SelectionRange> {
    steps.iter().rev().fold(None, |parent, step| {
        Some(lsp::SelectionRange {
            range: range(document, encoding, *step),
            parent: parent.map(Box::new),
        })
    })
}

/// A link; `None` where its target is no URI.
pub fn document_link(document: &Document, encoding: Encoding, link: Link) -> Option<lsp::DocumentLink> {
    let target = match link.target {
        Target::Address(address) => address.parse().ok(),
        Target::File { path, fragment } => uri::beside(&document.uri, &path, &fragment),
        Target::Heading(heading) => {
            let line = range(document, encoding, heading).start.line + 1;
            uri::beside(&document.uri, "", &format!("L{line}"))
        }
    };
    Some(lsp::DocumentLink {
        range: range(document, encoding, link.range),
        target: Some(target?),
        tooltip: None,
        data: None,
    })
}

/// Tokens, each counted from the one before it.
pub fn semantic_tokens(document: &Document, encoding: Encoding, tokens: &[Token]) -> Vec<lsp::SemanticToken> {
    let mut last = lsp::Position::default();
    let encoded = tokens.iter().map(|token| {
        let range = range(document, encoding, token.range);
        let (start, end) = (range.start, range.end);
        let from = if start.line == last.line { last.character } else { 0 };
        let kind = TOKEN_TYPES.iter().position(|(kind, _)| *kind == token.kind);
        let encoded = lsp::SemanticToken {
            delta_line: start.line - last.line,
            delta_start: start.character - from,
            length: end.character - start.character,
            token_type: kind.unwrap_or_default() as u32,
            token_modifiers_bitset: 0,
        };
        last = start;
        encoded
    });
    encoded.collect()
}

fn markdown(value: String) -> lsp::MarkupContent {
    lsp::MarkupContent {
        kind: lsp::MarkupKind::Markdown,
        value,
    }
}

/// What an answer to a question means.
pub fn option_kind(kind: ChoiceKind) -> OptionKind {
    match kind {
        ChoiceKind::AllowOnce => OptionKind::AllowOnce,
        ChoiceKind::AllowAlways => OptionKind::AllowAlways,
        ChoiceKind::RejectOnce => OptionKind::RejectOnce,
        ChoiceKind::RejectAlways => OptionKind::RejectAlways,
    }
}
