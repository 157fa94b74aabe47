//! The framework's trait: each handler changes the state or takes a snapshot before its first wait.

mod sessions;

use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::DropGuard;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::*;
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use crate::authority::{Authority, Caller};
use crate::capabilities::{self, Client};
use crate::checks::Checking;
use crate::environment::Environment;
use crate::protocol::{ActiveParams, ActiveQuery, PROGRESS_CANCEL};
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::sources::Sources;
use crate::state::previews::ShownBy;
use crate::state::{Effect, Effects, Folder, Shared, Snapshot, State};
use crate::{commands, effects, notifications, parent, protocol, requests, review, turns};

/// The standard's code for a request that was right and could not be done.
const REQUEST_FAILED: i64 = -32803;

/// One connection.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    parent: parent::Watch,
    _connection: DropGuard,
}

/// The service of one connection, the other end of its messages to the client, and the death of the client's process.
pub fn service(environment: Environment) -> (LspService<Server>, ClientSocket, parent::Death) {
    let (watch, death) = parent::watch();
    let (service, socket) = LspService::build(|client| {
        let shared = Arc::new(Shared::new(client, environment, effects::perform));
        Server {
            _connection: shared.connection.held(),
            shared,
            parent: watch,
        }
    })
    .custom_method("skills/active", Server::active)
    .custom_method(protocol::EDIT_RESOLVE, Server::resolve)
    .custom_method(protocol::MODELS_LIST, Server::models)
    .custom_method(protocol::session::NEW, Server::session_new)
    .custom_method(protocol::session::LIST, Server::session_list)
    .custom_method(protocol::session::RESUME, Server::session_resume)
    .custom_method(protocol::session::CLOSE, Server::session_close)
    .custom_method(protocol::session::DELETE, Server::session_delete)
    .custom_method(protocol::session::FORK, Server::session_fork)
    .custom_method(protocol::session::PROMPT, Server::session_prompt)
    .custom_method(protocol::session::DEQUEUE, Server::session_dequeue)
    .custom_method(protocol::session::SET_CONFIG_OPTION, Server::session_set_config_option)
    .custom_method(protocol::session::CANCEL, Server::session_cancel)
    .custom_method(protocol::DID_CHANGE_TRUST, Server::did_change_trust)
    .custom_method(protocol::DID_FOCUS, Server::did_focus)
    .custom_method(protocol::PREVIEW, Server::preview)
    .custom_method(protocol::READERS, Server::readers)
    .custom_method(protocol::LM_CHUNK, Server::lm_chunk)
    .custom_method(protocol::LM_END, Server::lm_end)
    .custom_method(PROGRESS_CANCEL, Server::cancel_progress)
    .finish();
    (service, socket, death)
}

impl Server {
    /// What the handlers and the turns share.
    pub fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }

    /// Changes the state, then does what follows from it.
    async fn notify<P>(&self, handler: fn(&mut State, P) -> Effects, params: P) {
        let effects = handler(&mut self.shared.state(), params);
        self.shared.perform(effects).await;
    }

    fn snapshot(&self, uri: Option<&Uri>) -> Snapshot {
        self.shared.state().snapshot(uri)
    }

    /// A snapshot, and where the texts are that name skills.
    fn snapshot_with_sources(&self, uri: Option<&Uri>) -> (Snapshot, Sources) {
        let state = self.shared.state();
        (state.snapshot(uri), Sources::of(&state))
    }

    async fn active(&self, query: ActiveQuery) -> Result<ActiveParams> {
        Ok(requests::active::active(&self.snapshot(None), query))
    }

    async fn models(&self, _: protocol::ModelsQuery) -> Result<protocol::ModelsAnswer> {
        self.allowed(protocol::MODELS_LIST)?;
        let models = turns::models::list(&self.shared).await.map_err(refused)?;
        Ok(protocol::ModelsAnswer { models })
    }

    async fn resolve(&self, params: protocol::ResolveParams) -> Result<protocol::ResolveAnswer> {
        self.allowed(protocol::EDIT_RESOLVE)?;
        review::resolve(&self.shared, params).await.map_err(refused)
    }

    async fn preview(&self, query: protocol::PreviewQuery) -> Result<protocol::PreviewAnswer> {
        let answer = requests::preview::preview(&self.shared, query, ShownBy::Client).await;
        answer.map_err(refused)
    }

    async fn did_change_trust(&self, params: protocol::ChangedTrustParams) {
        if self.allowed(protocol::DID_CHANGE_TRUST).is_ok() {
            self.notify(notifications::did_change_trust, params).await;
        }
    }

    async fn did_focus(&self, params: protocol::FocusParams) {
        self.notify(notifications::did_focus, params).await;
    }

    async fn readers(&self, query: protocol::ReadersQuery) -> Result<protocol::ReadersAnswer> {
        let snapshot = self.shared.state().snapshot(Some(&query.uri));
        requests::readers::readers(&snapshot, &query).map_err(refused)
    }

    async fn lm_chunk(&self, params: protocol::LmChunkParams) {
        if self.allowed(protocol::LM_CHUNK).is_ok() {
            turns::lent_model::take_chunk(&self.shared, params);
        }
    }

    async fn lm_end(&self, params: protocol::LmEndParams) {
        if self.allowed(protocol::LM_END).is_ok() {
            turns::lent_model::take_end(&self.shared, params);
        }
    }

    async fn cancel_progress(&self, params: protocol::ProgressCancelParams) {
        if self.allowed(PROGRESS_CANCEL).is_ok() {
            turns::cancel_by_token(&self.shared, &params.token);
        }
    }
}

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        self.parent.watch(params.process_id);
        let mut client = Client::of(&params);
        let options = params.initialization_options.unwrap_or_default();
        let authority = {
            let agent = &mut self.shared.state().agent;
            agent.show_token(options["token"].as_str());
            agent.authority()
        };
        if authority < Authority::Person {
            client.answers_nothing();
        }
        let capabilities = capabilities::announced(&client, commands::ids());
        let (settings, problems) = Settings::default().with_those_of(authority, &options);
        #[allow(deprecated, reason = "clients without workspace folders still send the root only")]
        let root = params.root_uri;
        let folders: Vec<Folder> = match params.workspace_folders {
            Some(folders) => folders.iter().filter_map(Folder::of).collect(),
            None => root.and_then(Folder::at).into_iter().collect(),
        };
        let paths: Vec<_> = folders.iter().map(|folder| folder.path.clone()).collect();
        // Read before the first document is opened: what is configured should not come a moment too late.
        let (checking, files) = Checking::read(&paths, &self.shared.environment, &settings.checks);
        let mut state = self.shared.state();
        state.client = Arc::new(client);
        state.initial_settings = settings.clone();
        state.settings = Arc::new(settings);
        state.checking = Arc::new(checking);
        let mut effects: Effects = problems.into_iter().map(Effect::Warn).collect();
        effects.extend(state.configuration_read(files));
        effects.push(Effect::ModelChanged);
        state.unsaid = effects;
        state.set_folders(folders);
        Ok(InitializeResult {
            capabilities,
            server_info: Some(ServerInfo {
                name: "skills-ls".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            offset_encoding: None,
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        let (registrations, unsaid) = {
            let mut state = self.shared.state();
            (
                capabilities::registrations(&state.client),
                std::mem::take(&mut state.unsaid),
            )
        };
        effects::start(&self.shared, registrations);
        self.shared.perform(unsaid).await;
    }

    async fn shutdown(&self) -> Result<()> {
        turns::stop_all(&self.shared);
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        self.notify(notifications::did_open, params).await;
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        self.notify(notifications::did_change, params).await;
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.notify(notifications::did_save, params).await;
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        self.notify(notifications::did_close, params).await;
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.notify(notifications::did_change_watched_files, params).await;
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        self.notify(notifications::did_change_workspace_folders, params).await;
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        self.notify(notifications::did_change_configuration, params).await;
    }

    async fn did_create_files(&self, params: CreateFilesParams) {
        self.notify(notifications::did_change_files, params).await;
    }

    async fn did_rename_files(&self, params: RenameFilesParams) {
        self.notify(notifications::did_change_files, params).await;
    }

    async fn did_delete_files(&self, params: DeleteFilesParams) {
        self.notify(notifications::did_change_files, params).await;
    }

    async fn will_rename_files(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        let (snapshot, sources) = self.snapshot_with_sources(None);
        let expected = self.shared.state().renaming.take();
        Ok(requests::rename::will_rename_files(&snapshot, sources, expected, &params).await)
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let uri = &params.text_document_position.text_document.uri;
        let (snapshot, sources) = self.snapshot_with_sources(Some(uri));
        Ok(requests::completion::completion(&snapshot, sources, &params).await)
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        let (snapshot, sources) = self.snapshot_with_sources(None);
        Ok(requests::completion::resolve(&snapshot, sources, item).await)
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let uri = &params.text_document_position_params.text_document.uri;
        let (snapshot, sources) = self.snapshot_with_sources(Some(uri));
        Ok(requests::hover::hover(&snapshot, sources, &params).await)
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let uri = &params.text_document_position_params.text_document.uri;
        let (snapshot, sources) = self.snapshot_with_sources(Some(uri));
        Ok(requests::definition::definition(&snapshot, sources, &params).await)
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let uri = &params.text_document_position.text_document.uri;
        let (snapshot, sources) = self.snapshot_with_sources(Some(uri));
        Ok(requests::references::references(&snapshot, sources, &params).await)
    }

    async fn document_highlight(&self, params: DocumentHighlightParams) -> Result<Option<Vec<DocumentHighlight>>> {
        let snapshot = self.snapshot(Some(&params.text_document_position_params.text_document.uri));
        Ok(requests::references::document_highlight(&snapshot, &params))
    }

    async fn prepare_rename(&self, params: TextDocumentPositionParams) -> Result<Option<PrepareRenameResponse>> {
        let snapshot = self.snapshot(Some(&params.text_document.uri));
        requests::rename::prepare_rename(&snapshot, &params).map_err(refused)
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        let uri = &params.text_document_position.text_document.uri;
        let (snapshot, sources) = self.snapshot_with_sources(Some(uri));
        let renamed = requests::rename::rename(&snapshot, sources, &params)
            .await
            .map_err(refused)?;
        Ok(renamed.map(|(edit, moved)| {
            self.shared.state().renaming = moved;
            edit
        }))
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        let snapshot = self.snapshot(None);
        let symbols = requests::workspace_symbol::workspace_symbol(&snapshot, &params);
        Ok(Some(WorkspaceSymbolResponse::Flat(symbols)))
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let snapshot = self.snapshot(Some(&params.text_document.uri));
        Ok(requests::code_lens::code_lens(&snapshot, &params))
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        let snapshot = self.snapshot(Some(&params.text_document.uri));
        Ok(requests::inlay_hint::inlay_hint(&snapshot, &params))
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        let snapshot = self.snapshot(Some(&params.text_document.uri));
        Ok(requests::document_symbol::document_symbol(&snapshot, &params))
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        let snapshot = self.snapshot(Some(&params.text_document.uri));
        Ok(requests::folding_range::folding_range(&snapshot, &params))
    }

    async fn on_type_formatting(&self, params: DocumentOnTypeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        let snapshot = self.snapshot(Some(&params.text_document_position.text_document.uri));
        Ok(requests::on_type_formatting::on_type_formatting(&snapshot, &params))
    }

    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        let snapshot = self.snapshot(Some(&params.text_document.uri));
        Ok(requests::selection_range::selection_range(&snapshot, &params))
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        let snapshot = self.snapshot(Some(&params.text_document.uri));
        Ok(requests::document_link::document_link(&snapshot, &params))
    }

    async fn semantic_tokens_full(&self, params: SemanticTokensParams) -> Result<Option<SemanticTokensResult>> {
        let snapshot = self.snapshot(Some(&params.text_document.uri));
        Ok(requests::semantic_tokens::semantic_tokens(&snapshot, &params))
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let snapshot = self.snapshot(Some(&params.text_document.uri));
        Ok(requests::diagnostic::diagnostic(&snapshot, &params))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let snapshot = self.snapshot(Some(&params.text_document.uri));
        Ok(requests::code_action::code_action(&snapshot, &params))
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
        let caller = Caller {
            authority: self.shared.state().agent.authority(),
            is_terminal: false,
        };
        let done = commands::execute(&self.shared, caller, &params.command, params.arguments);
        done.map_err(|refusal| Error::invalid_params(refusal.to_string()))
    }
}

/// What was asked for can't be done; the message is for the person.
fn refused(refusal: Refusal) -> Error {
    Error {
        code: ErrorCode::ServerError(REQUEST_FAILED),
        message: refusal.to_string().into(),
        data: refusal.reason().map(|reason| json!({"reason": reason})),
    }
}
