//! `textDocument/diagnostic`: findings for clients that ask for them.

use tower_lsp::ls_types::{
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult, FullDocumentDiagnosticReport,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport,
};

use skills_agent::digest::Digest;

use crate::state::Snapshot;
use crate::unreviewed;

/// All findings of a document, none for one that is no skill, and what the agent changed in it.
pub fn diagnostic(snapshot: &Snapshot, params: &DocumentDiagnosticParams) -> DocumentDiagnosticReportResult {
    let document = snapshot.document.as_ref();
    let items = document.map(|document| {
        let mut items = document.diagnostics(&snapshot.client);
        items.extend(unreviewed::diagnostics(&snapshot.changes, document, &snapshot.client));
        items
    });
    let items = items.unwrap_or_default();
    let result_id = serde_json::to_string(&items)
        .ok()
        .map(|items| Digest::of(items).to_string());
    let report = match result_id {
        Some(result_id) if params.previous_result_id.as_ref() == Some(&result_id) => {
            DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
            })
        }
        result_id => DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id, items },
        }),
    };
    DocumentDiagnosticReportResult::Report(report)
}
