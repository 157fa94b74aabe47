//! What the client can do, in the terms that the server decides by; and what the server announces in turn.

use serde_json::Value;
use tower_lsp::ls_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions,
    CompletionRegistrationOptions, DiagnosticOptions, DiagnosticRegistrationOptions, DiagnosticServerCapabilities,
    DidChangeWatchedFilesRegistrationOptions, DocumentFilter, ExecuteCommandOptions, FileSystemWatcher, GlobPattern,
    HoverProviderCapability, HoverRegistrationOptions, InitializeParams, OneOf, Registration, SaveOptions,
    ServerCapabilities, StaticRegistrationOptions, TextDocumentRegistrationOptions, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use crate::commands;
use crate::position::Encoding;

/// What the client can do.
#[derive(Debug, Clone, Default)]
pub struct Client {
    /// How positions are counted in this connection.
    pub encoding: Encoding,
    /// It asks for diagnostics itself, so none are pushed.
    pub pulls_diagnostics: bool,
    /// It asks again when told that diagnostics changed.
    pub refreshes_diagnostics: bool,
    /// Which features it lets the server register for skill files alone.
    pub dynamic: Dynamic,
    /// It completes with placeholders.
    pub snippets: bool,
    /// It applies edits that the server sends.
    pub applies_edits: bool,
    /// It shows progress that the server starts.
    pub progress: bool,
    /// It shows a message with answers to choose from.
    pub asks: bool,
    /// It opens a document that the server names.
    pub shows_documents: bool,
    /// It takes version 0 of a document for "no version" and overwrites what was typed since.
    pub ignores_version_zero: bool,
    /// What it understands beyond the standard, where it opted in.
    pub agent: Agent,
}

/// Features that are registered at run time, for skill files alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dynamic {
    /// Pulled diagnostics.
    pub diagnostics: bool,
    /// Completion.
    pub completion: bool,
    /// Hover.
    pub hover: bool,
    /// Watched files.
    pub watched_files: bool,
}

/// The messages beyond the standard that the client renders or answers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Agent {
    /// `skills/active`.
    pub active: bool,
    /// `skills/session/update` and `skills/agent/status`.
    pub session_update: bool,
    /// `skills/permission/request`.
    pub permission: bool,
    /// `skills/workspace/save`.
    pub save: bool,
    /// An edit is applied to exactly the version that it was made for, version 0 too.
    pub edits: bool,
}

impl Agent {
    fn of(options: &Value) -> Self {
        let has = |key: &str| {
            options
                .get(key)
                .is_some_and(|value| !value.is_null() && *value != Value::Bool(false))
        };
        Self {
            active: has("active"),
            session_update: has("sessionUpdate"),
            permission: has("permission"),
            save: has("save"),
            edits: has("edits"),
        }
    }
}

impl Client {
    /// Reads what a client announced. The opt-in to the agent's messages may stand in `capabilities.experimental` or,
    /// for clients that can only be configured, in `initializationOptions.agent`.
    pub fn of(params: &InitializeParams) -> Self {
        let ClientCapabilities {
            workspace,
            text_document,
            window,
            general,
            experimental,
            ..
        } = &params.capabilities;
        let workspace = workspace.clone().unwrap_or_default();
        let text_document = text_document.clone().unwrap_or_default();
        let window = window.clone().unwrap_or_default();
        let options = params.initialization_options.as_ref();
        let agent = experimental
            .as_ref()
            .and_then(|experimental| experimental.get("skillsAgent"))
            .or_else(|| options.and_then(|options| options.get("agent")))
            .map(Agent::of)
            .unwrap_or_default();
        let is_neovim = params.client_info.as_ref().is_some_and(|info| info.name == "Neovim");
        Self {
            encoding: Encoding::negotiate(
                general
                    .as_ref()
                    .and_then(|general| general.position_encodings.as_deref()),
            ),
            pulls_diagnostics: text_document.diagnostic.is_some(),
            refreshes_diagnostics: workspace
                .diagnostics
                .and_then(|it| it.refresh_support)
                .unwrap_or_default(),
            dynamic: Dynamic {
                diagnostics: text_document
                    .diagnostic
                    .and_then(|it| it.dynamic_registration)
                    .unwrap_or_default(),
                completion: text_document
                    .completion
                    .as_ref()
                    .and_then(|it| it.dynamic_registration)
                    .unwrap_or_default(),
                hover: text_document
                    .hover
                    .and_then(|it| it.dynamic_registration)
                    .unwrap_or_default(),
                watched_files: workspace
                    .did_change_watched_files
                    .and_then(|it| it.dynamic_registration)
                    .unwrap_or_default(),
            },
            snippets: text_document
                .completion
                .and_then(|it| it.completion_item)
                .and_then(|it| it.snippet_support)
                .unwrap_or_default(),
            applies_edits: workspace.apply_edit.unwrap_or_default(),
            progress: window.work_done_progress.unwrap_or_default(),
            asks: window.show_message.is_some(),
            shows_documents: window.show_document.is_some_and(|it| it.support),
            ignores_version_zero: is_neovim && !agent.edits,
            agent,
        }
    }
}

/// What the server announces. Documents of every kind are synchronised, because code that is open activates skills and
/// is what the agent edits; features that compete with other servers are announced here only where the client can't
/// have them registered for skill files alone.
pub fn announced(client: &Client) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                include_text: Some(false),
            })),
            ..TextDocumentSyncOptions::default()
        })),
        completion_provider: (!client.dynamic.completion).then(completion_options),
        hover_provider: (!client.dynamic.hover).then_some(HoverProviderCapability::Simple(true)),
        diagnostic_provider: (client.pulls_diagnostics && !client.dynamic.diagnostics)
            .then(|| DiagnosticServerCapabilities::Options(diagnostic_options())),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::ids().map(ToOwned::to_owned).collect(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            ..WorkspaceServerCapabilities::default()
        }),
        experimental: Some(serde_json::json!({
            "skillsAgent": {"version": 1, "active": {}, "sessionUpdate": {}, "permission": {}}
        })),
        ..ServerCapabilities::default()
    }
}

/// What is registered once the client is ready.
pub fn registrations(client: &Client) -> Vec<Registration> {
    let documents = || TextDocumentRegistrationOptions {
        document_selector: Some(skill_files()),
    };
    let feature = |method: &str, options: serde_json::Result<Value>| Registration {
        id: method.to_owned(),
        method: method.to_owned(),
        register_options: options.ok(),
    };
    let mut registrations = Vec::new();
    if client.dynamic.completion {
        registrations.push(feature(
            "textDocument/completion",
            serde_json::to_value(CompletionRegistrationOptions {
                text_document_registration_options: documents(),
                completion_options: completion_options(),
            }),
        ));
    }
    if client.dynamic.hover {
        registrations.push(feature(
            "textDocument/hover",
            serde_json::to_value(HoverRegistrationOptions {
                text_document_registration_options: documents(),
                hover_options: Default::default(),
            }),
        ));
    }
    if client.dynamic.diagnostics {
        registrations.push(feature(
            "textDocument/diagnostic",
            serde_json::to_value(DiagnosticRegistrationOptions {
                text_document_registration_options: documents(),
                diagnostic_options: diagnostic_options(),
                static_registration_options: StaticRegistrationOptions::default(),
            }),
        ));
    }
    if client.dynamic.watched_files {
        let watcher = |pattern: &str| FileSystemWatcher {
            glob_pattern: GlobPattern::String(pattern.to_owned()),
            kind: None,
        };
        registrations.push(feature(
            "workspace/didChangeWatchedFiles",
            serde_json::to_value(DidChangeWatchedFilesRegistrationOptions {
                watchers: vec![watcher("**/SKILL.md")],
            }),
        ));
    }
    registrations
}

/// VS Code gives `SKILL.md` a language of its own; elsewhere it is known by its name.
fn skill_files() -> Vec<DocumentFilter> {
    vec![
        DocumentFilter {
            language: None,
            scheme: None,
            pattern: Some("**/SKILL.md".to_owned()),
        },
        DocumentFilter {
            language: Some("skill".to_owned()),
            scheme: None,
            pattern: None,
        },
    ]
}

fn completion_options() -> CompletionOptions {
    CompletionOptions {
        trigger_characters: Some(vec![":".to_owned(), " ".to_owned(), "-".to_owned()]),
        ..CompletionOptions::default()
    }
}

fn diagnostic_options() -> DiagnosticOptions {
    DiagnosticOptions {
        identifier: Some("skills-ls".to_owned()),
        inter_file_dependencies: false,
        workspace_diagnostics: false,
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }
}
