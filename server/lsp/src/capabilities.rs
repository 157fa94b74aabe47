//! What the client can do, in the terms that the server decides by; and what the server announces in turn.

use serde_json::{Value, json};
use skills_schema::semantic_tokens::TokenKind;
use tower_lsp::ls_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    DiagnosticOptions, DiagnosticServerCapabilities, DocumentFilter, DocumentLinkOptions,
    DocumentOnTypeFormattingOptions, ExecuteCommandOptions, FileOperationFilter, FileOperationPattern,
    FileOperationPatternKind, FileOperationRegistrationOptions, HoverProviderCapability, InitializeParams, OneOf,
    Registration, RenameOptions, SaveOptions, SemanticTokenType, SemanticTokensFullOptions, SemanticTokensLegend,
    SemanticTokensOptions, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
    WorkspaceFileOperationsServerCapabilities, WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use crate::position::Encoding;
use crate::protocol::FIX_ALL;

/// The kinds of tokens with the protocol's names for them; a token's type is its place here.
pub const TOKEN_TYPES: [(TokenKind, SemanticTokenType); 5] = [
    (TokenKind::Argument, SemanticTokenType::PARAMETER),
    (TokenKind::Variable, SemanticTokenType::VARIABLE),
    (TokenKind::Command, SemanticTokenType::MACRO),
    (TokenKind::Skill, SemanticTokenType::FUNCTION),
    (TokenKind::File, SemanticTokenType::STRING),
];

/// What the numbers in semantic tokens mean.
fn token_legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TOKEN_TYPES.map(|(_, name)| name).to_vec(),
        token_modifiers: Vec::new(),
    }
}

/// What the client can do.
#[derive(Debug, Clone, Default)]
pub struct Client {
    /// How positions are counted in this connection.
    pub encoding: Encoding,
    /// It asks for diagnostics itself, so none are pushed.
    pub pulls_diagnostics: bool,
    /// It shows what else belongs to a diagnostic; to others its message says all.
    pub related_information: bool,
    /// It asks again when told that diagnostics changed.
    pub refreshes_diagnostics: bool,
    /// The methods that it lets the server register at run time: features then, for skill files alone.
    pub dynamic: Vec<&'static str>,
    /// It shows the outline of a document as a tree.
    pub symbol_trees: bool,
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
    /// It creates files in an edit.
    pub creates_files: bool,
    /// It renames files and folders in an edit.
    pub renames_files: bool,
    /// It asks for code lenses again when told to.
    pub refreshes_lenses: bool,
    /// It asks for semantic tokens again when told to.
    pub refreshes_tokens: bool,
    /// It asks for inlay hints again when told to.
    pub refreshes_hints: bool,
    /// What it understands beyond the standard, where it opted in.
    pub agent: AgentMessages,
}

/// The messages beyond the standard that the client renders or answers.
#[derive(Debug, Clone, Copy, Default)]
pub struct AgentMessages {
    /// `skills/active`.
    pub active: bool,
    /// `skills/session/update` and `skills/agent/status`.
    pub session_update: bool,
    /// `skills/permission/request`.
    pub permission: bool,
    /// `skills/lm/request`: it lends its own language model.
    pub lm: bool,
    /// `skills/edit/review`: it shows an edit before it is made.
    pub review: bool,
    /// `skills/edit/changes`: it shows what the agent changed by itself.
    pub changes: bool,
    /// `skills/workspace/save`.
    pub save: bool,
    /// `skills/preview/didChange`.
    pub preview: bool,
    /// An edit is applied to exactly the version that it was made for, version 0 too.
    pub edits: bool,
}

impl AgentMessages {
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
            lm: has("lm"),
            review: has("review"),
            changes: has("changes"),
            save: has("save"),
            preview: has("preview"),
            edits: has("edits"),
        }
    }
}

impl Client {
    /// Nothing is asked of a client that does not speak for the person, whatever it announced.
    pub fn answers_nothing(&mut self) {
        self.asks = false;
        self.agent.permission = false;
        self.agent.review = false;
        self.agent.lm = false;
    }

    /// Whether it tells of files that change below the workspace's folders.
    pub fn watches_files(&self) -> bool {
        self.dynamic.contains(&WATCHED_FILES)
    }

    /// Reads what a client announced. The opt-in to the agent's messages may stand in `capabilities.experimental` or,
    /// for clients that can only be configured, in `initializationOptions.agent`.
    pub fn of(params: &InitializeParams) -> Self {
        let announced = json!(params.capabilities);
        let has = |path: &str| announced.pointer(path) == Some(&Value::Bool(true));
        let is_there = |path: &str| announced.pointer(path).is_some_and(|value| !value.is_null());
        let operates = |kind: &str| {
            let kinds = announced.pointer("/workspace/workspaceEdit/resourceOperations");
            let mut kinds = kinds.and_then(Value::as_array).into_iter().flatten();
            kinds.any(|it| it == kind)
        };
        let is_dynamic = |method: &str| has(&format!("/{method}/dynamicRegistration"));
        let is = |name| params.client_info.as_ref().is_some_and(|info| info.name == name);
        let options = params.initialization_options.as_ref();
        let agent = announced.pointer("/experimental/skillsAgent");
        let agent = agent.or_else(|| options.and_then(|options| options.get("agent")));
        let agent = agent.map(AgentMessages::of).unwrap_or_default();
        let general = params.capabilities.general.as_ref();
        Self {
            encoding: Encoding::negotiate(general.and_then(|general| general.position_encodings.as_deref())),
            // Helix pulls for no language that takes but some features of a server, and shows it what is published.
            pulls_diagnostics: is_there("/textDocument/diagnostic") && !is("helix"),
            related_information: has("/textDocument/publishDiagnostics/relatedInformation"),
            creates_files: operates("create"),
            renames_files: operates("rename"),
            refreshes_lenses: has("/workspace/codeLens/refreshSupport"),
            refreshes_tokens: has("/workspace/semanticTokens/refreshSupport"),
            refreshes_hints: has("/workspace/inlayHint/refreshSupport"),
            refreshes_diagnostics: has("/workspace/diagnostics/refreshSupport"),
            dynamic: FEATURES
                .iter()
                .map(|feature| feature.method)
                .chain([WATCHED_FILES])
                .filter(|method| is_dynamic(method))
                .collect(),
            symbol_trees: has("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            snippets: has("/textDocument/completion/completionItem/snippetSupport"),
            applies_edits: has("/workspace/applyEdit"),
            progress: has("/window/workDoneProgress"),
            asks: is_there("/window/showMessage"),
            shows_documents: has("/window/showDocument/support"),
            ignores_version_zero: is("Neovim") && !agent.edits,
            agent,
        }
    }
}

/// What the server announces. Documents of every kind are synchronised, because code that is open activates skills and
/// is what the agent edits; features that compete with other servers are announced here only where the client can't
/// have them registered for skill files alone.
pub fn announced(client: &Client, commands: impl Iterator<Item = &'static str>) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                include_text: Some(false),
            })),
            ..TextDocumentSyncOptions::default()
        })),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, FIX_ALL]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands.map(ToOwned::to_owned).collect(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: Some(file_operations()),
        }),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        experimental: Some(serde_json::json!({
            "skillsAgent": {"version": 1, "active": {}, "sessionUpdate": {}, "permission": {}, "review": {}, "changes": {}, "save": {}, "preview": {}, "trust": {}, "focus": {}, "lm": {}}
        })),
        ..ServerCapabilities::default()
    };
    for feature in FEATURES
        .iter()
        .filter(|feature| !client.dynamic.contains(&feature.method))
    {
        (feature.announce)(client, &mut capabilities);
    }
    capabilities
}

/// What is registered once the client is ready.
pub fn registrations(client: &Client) -> Vec<Registration> {
    let register = |method: &str, options: Value| Registration {
        id: method.to_owned(),
        method: method.to_owned(),
        register_options: Some(options),
    };
    let is_dynamic = |method: &'static str| client.dynamic.contains(&method);
    let features = FEATURES.iter().filter(|feature| is_dynamic(feature.method));
    let mut registrations: Vec<Registration> = features
        .map(|feature| {
            let mut options = feature.options(client);
            let others = others(feature.method).flatten().map(|pattern| file_pattern(pattern));
            options["documentSelector"] = json!(skill_files().into_iter().chain(others).collect::<Vec<_>>());
            register(feature.method, options)
        })
        .collect();
    if is_dynamic(WATCHED_FILES) {
        let patterns = WATCHED.iter().chain(NEIGHBOURS);
        let watchers: Vec<_> = patterns.map(|pattern| json!({"globPattern": pattern})).collect();
        let options = json!({"watchers": watchers});
        registrations.push(register(WATCHED_FILES, options));
    }
    registrations
}

/// The files beside skills that a feature is for.
fn others(method: &str) -> impl Iterator<Item = &'static [&'static str]> {
    let neighbours = (method == "textDocument/diagnostic").then_some(NEIGHBOURS);
    let has_fields = [
        "textDocument/diagnostic",
        "textDocument/completion",
        "textDocument/hover",
    ];
    let manifests = has_fields.contains(&method).then_some(MANIFESTS);
    let follows_names = [
        "textDocument/completion",
        "textDocument/hover",
        "textDocument/definition",
        "textDocument/references",
        "textDocument/documentHighlight",
        "textDocument/rename",
    ];
    let subagents = follows_names.contains(&method).then_some(&[SUBAGENTS][..]);
    neighbours.into_iter().chain(manifests).chain(subagents)
}

const WATCHED_FILES: &str = "workspace/didChangeWatchedFiles";

/// What the client is to watch: folders of skills with all in them, as a folder that vanishes is told by its own name.
const WATCHED: &[&str] = &[
    "**/SKILL.md",
    "**/skills/**",
    "**/skills-ls.yaml",
    "**/{.agents,.claude,.openhands,.thndrs,.codex,.pi}/**",
    "**/brain/cerebellum/**",
    "**/{agents.md,agent.md,CLAUDE.local.md,.cursorrules}",
];

/// A feature for skill files alone, and how a client learns of it.
struct Feature {
    /// The method, which is the path of what the client says of it, too.
    method: &'static str,
    /// Announces it at the start, where the client does not let it be registered at run time.
    announce: fn(&Client, &mut ServerCapabilities),
}

impl Feature {
    /// What is registered beside the selector of skill files: an object.
    fn options(&self, client: &Client) -> Value {
        let mut capabilities = ServerCapabilities::default();
        (self.announce)(client, &mut capabilities);
        let announced = json!(capabilities);
        let options = announced.as_object().and_then(|all| all.values().next());
        options
            .filter(|it| it.is_object())
            .cloned()
            .unwrap_or_else(|| json!({}))
    }
}

const FEATURES: &[Feature] = &[
    Feature {
        method: "textDocument/completion",
        announce: |_, it| it.completion_provider = Some(completion_options()),
    },
    Feature {
        method: "textDocument/hover",
        announce: |_, it| it.hover_provider = Some(HoverProviderCapability::Simple(true)),
    },
    Feature {
        method: "textDocument/definition",
        announce: |_, it| it.definition_provider = Some(OneOf::Left(true)),
    },
    Feature {
        method: "textDocument/references",
        announce: |_, it| it.references_provider = Some(OneOf::Left(true)),
    },
    Feature {
        method: "textDocument/documentHighlight",
        announce: |_, it| it.document_highlight_provider = Some(OneOf::Left(true)),
    },
    Feature {
        method: "textDocument/rename",
        announce: |_, it| it.rename_provider = Some(OneOf::Right(rename_options())),
    },
    Feature {
        method: "textDocument/codeLens",
        announce: |_, it| it.code_lens_provider = Some(code_lens_options()),
    },
    Feature {
        method: "textDocument/inlayHint",
        announce: |_, it| it.inlay_hint_provider = Some(OneOf::Left(true)),
    },
    Feature {
        method: "textDocument/documentSymbol",
        announce: |_, it| it.document_symbol_provider = Some(OneOf::Left(true)),
    },
    Feature {
        method: "textDocument/foldingRange",
        announce: |_, it| it.folding_range_provider = Some(true.into()),
    },
    Feature {
        method: "textDocument/selectionRange",
        announce: |_, it| it.selection_range_provider = Some(true.into()),
    },
    Feature {
        method: "textDocument/documentLink",
        announce: |_, it| it.document_link_provider = Some(document_link_options()),
    },
    Feature {
        method: "textDocument/semanticTokens",
        announce: |_, it| it.semantic_tokens_provider = Some(semantic_tokens_options().into()),
    },
    Feature {
        method: "textDocument/onTypeFormatting",
        announce: |_, it| it.document_on_type_formatting_provider = Some(on_type_formatting_options()),
    },
    Feature {
        method: "textDocument/diagnostic",
        announce: |client, it| {
            let options = || DiagnosticServerCapabilities::Options(diagnostic_options());
            it.diagnostic_provider = client.pulls_diagnostics.then(options);
        },
    },
];

/// The files that have a skill's frontmatter under another name: commands, flat skills and microagents.
const FLAT_SKILLS: &[&str] = &[
    "**/.claude/commands/**/*.md",
    "**/.{agents,openhands}/skills/*.md",
    "**/.openhands/microagents/*.md",
];

/// The files beside skills that are checked as well, and have no fields of their own.
const NEIGHBOURS: &[&str] = &[
    "**/{AGENTS,AGENT,CLAUDE,GEMINI}.md",
    SUBAGENTS,
    "**/{skills,cerebellum}/**/.mcp.json",
];

/// The files beside skills that list skills.
const SUBAGENTS: &str = "**/.claude/agents/**/*.md";

/// The files beside skills that have fields of their own.
const MANIFESTS: &[&str] = &["**/skills/**/agents/openai.yaml", "**/plugin.json", "**/mcp.json"];

fn file_pattern(pattern: &str) -> DocumentFilter {
    DocumentFilter {
        language: None,
        scheme: None,
        pattern: Some(pattern.to_owned()),
    }
}

/// Folders, because a skill is one; and the files that are skills.
fn file_operations() -> WorkspaceFileOperationsServerCapabilities {
    let filter = |glob: &str, matches| FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: FileOperationPattern {
            glob: glob.to_owned(),
            matches: Some(matches),
            options: None,
        },
    };
    let folders = || filter("**", FileOperationPatternKind::Folder);
    let skills = || filter("**/SKILL.md", FileOperationPatternKind::File);
    let all = || FileOperationRegistrationOptions {
        filters: vec![folders(), skills()],
    };
    WorkspaceFileOperationsServerCapabilities {
        did_create: Some(all()),
        did_rename: Some(all()),
        did_delete: Some(all()),
        will_rename: Some(FileOperationRegistrationOptions {
            filters: vec![folders()],
        }),
        ..WorkspaceFileOperationsServerCapabilities::default()
    }
}

fn rename_options() -> RenameOptions {
    RenameOptions {
        prepare_provider: Some(true),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }
}

fn code_lens_options() -> CodeLensOptions {
    CodeLensOptions {
        resolve_provider: Some(false),
    }
}

/// VS Code gives `SKILL.md` a language of its own; elsewhere it is known by its name.
fn skill_files() -> Vec<DocumentFilter> {
    let skill = DocumentFilter {
        language: Some("skill".to_owned()),
        scheme: None,
        pattern: None,
    };
    let patterns = ["**/SKILL.md"].iter().chain(FLAT_SKILLS);
    patterns.map(|pattern| file_pattern(pattern)).chain([skill]).collect()
}

/// What begins a value, a list, a path, a placeholder or the name of a skill.
const TRIGGERS: [&str; 13] = [":", " ", "-", ",", "[", "(", "/", "$", "{", "@", "#", "|", "\""];

fn completion_options() -> CompletionOptions {
    CompletionOptions {
        trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
        resolve_provider: Some(true),
        ..CompletionOptions::default()
    }
}

/// A line is looked at when one goes on to the next.
fn on_type_formatting_options() -> DocumentOnTypeFormattingOptions {
    DocumentOnTypeFormattingOptions {
        first_trigger_character: "\n".to_owned(),
        more_trigger_character: None,
    }
}

fn document_link_options() -> DocumentLinkOptions {
    DocumentLinkOptions {
        resolve_provider: Some(false),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }
}

fn semantic_tokens_options() -> SemanticTokensOptions {
    SemanticTokensOptions {
        legend: token_legend(),
        full: Some(SemanticTokensFullOptions::Bool(true)),
        ..SemanticTokensOptions::default()
    }
}

fn diagnostic_options() -> DiagnosticOptions {
    DiagnosticOptions {
        identifier: Some("skills-ls".to_owned()),
        inter_file_dependencies: true,
        workspace_diagnostics: false,
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }
}
