//! From the core's terms to the protocol's. Nothing else makes protocol types out of core types.

use skills_agent::host::ChoiceKind;
use skills_schema::TextRange;
use skills_schema::completion::{Completion, Kind};
use skills_schema::fixes::Edit;
use skills_schema::hover::Hover;
use skills_schema::rules::{Finding, Severity, Tag};
use tower_lsp::ls_types as lsp;

use crate::document::Document;
use crate::position::Encoding;
use crate::protocol::OptionKind;

/// The name under which findings are shown.
pub const SOURCE: &str = "skills-ls";

/// The protocol's range of a range of bytes in a document.
pub fn range(document: &Document, encoding: Encoding, range: TextRange) -> lsp::Range {
    encoding.range(&document.rope, range.start().into()..range.end().into())
}

/// A finding as a diagnostic.
pub fn diagnostic(document: &Document, encoding: Encoding, finding: &Finding) -> lsp::Diagnostic {
    let related = finding.related.iter().map(|related| lsp::DiagnosticRelatedInformation {
        location: lsp::Location {
            uri: document.uri.clone(),
            range: range(document, encoding, related.range),
        },
        message: related.message.clone(),
    });
    let tags = finding.tags.iter().map(|tag| match tag {
        Tag::Unnecessary => lsp::DiagnosticTag::UNNECESSARY,
        Tag::Deprecated => lsp::DiagnosticTag::DEPRECATED,
    });
    lsp::Diagnostic {
        range: range(document, encoding, finding.range),
        severity: Some(match finding.severity {
            Severity::Error => lsp::DiagnosticSeverity::ERROR,
            Severity::Warning => lsp::DiagnosticSeverity::WARNING,
            Severity::Information => lsp::DiagnosticSeverity::INFORMATION,
            Severity::Hint => lsp::DiagnosticSeverity::HINT,
        }),
        code: Some(lsp::NumberOrString::String(finding.code.to_owned())),
        source: Some(SOURCE.to_owned()),
        message: finding.message.clone(),
        related_information: (!finding.related.is_empty()).then(|| related.collect()),
        tags: (!finding.tags.is_empty()).then(|| tags.collect()),
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

/// A completion; snippets are left out where the client can't fill them in.
pub fn completion(document: &Document, encoding: Encoding, item: Completion) -> lsp::CompletionItem {
    let edit = lsp::TextEdit {
        range: range(document, encoding, item.replace),
        new_text: item.insert,
    };
    lsp::CompletionItem {
        label: item.label,
        kind: Some(match item.kind {
            Kind::Field => lsp::CompletionItemKind::FIELD,
            Kind::Value => lsp::CompletionItemKind::VALUE,
        }),
        detail: Some(item.detail).filter(|detail| !detail.is_empty()),
        documentation: Some(lsp::Documentation::MarkupContent(markdown(item.documentation))),
        insert_text_format: item.snippet.then_some(lsp::InsertTextFormat::SNIPPET),
        text_edit: Some(lsp::CompletionTextEdit::Edit(edit)),
        ..lsp::CompletionItem::default()
    }
}

/// A hover.
pub fn hover(document: &Document, encoding: Encoding, hover: Hover) -> lsp::Hover {
    lsp::Hover {
        contents: lsp::HoverContents::Markup(markdown(hover.markdown)),
        range: Some(range(document, encoding, hover.range)),
    }
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
