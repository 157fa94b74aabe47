//! A terminal that joins a session: it is told what the editor is told, and gives input and answers.
//!
//! The messages are those of the protocol, in the same frames. The first one must be [`ATTACH`] with a token; after it
//! the terminal runs the commands that [the token](crate::authority) is good for, decides about what was changed, and gets `skills/session/update`, `skills/permission/request` and
//! `skills/permission/resolved` as notifications.

#[cfg(unix)]
pub mod socket;

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::watch;

use crate::authority::{Authority, Caller, Tokens};
use crate::commands;
use crate::framing::{Decoder, Frame, encode};
use crate::protocol::commands::ANSWER;
use crate::protocol::{AgentModel, EDIT_RESOLVE, SessionUpdateParams};
use crate::refusal::Refusal;
use crate::review;
use crate::state::Shared;
use crate::turns::models;
use crate::turns::skills::Listed;

/// The first message of a terminal.
pub const ATTACH: &str = "skills/attach";

/// What a terminal says first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachParams {
    /// The person's token, which only they can read, or the one for tools.
    pub token: String,
    /// The session; the current one without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// What it is answered.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attached {
    /// The session that it joined.
    pub session_id: String,
    /// The paths of the workspace's folders.
    pub folders: Vec<String>,
    /// Whether a turn runs; its updates so far come next.
    pub is_running: bool,
    /// The skills there are, those first that open documents activate, and why: a line each, for a person.
    pub skills: Vec<String>,
    /// What its next turn asks.
    pub model: AgentModel,
}

/// Talks with one terminal until it goes, its session is closed, or it has not the token.
///
/// # Errors
/// Where the connection breaks.
pub async fn converse(
    shared: &Arc<Shared>,
    stream: impl AsyncRead + AsyncWrite + Send + 'static,
    tokens: &Tokens,
) -> io::Result<()> {
    let (reader, writer) = tokio::io::split(stream);
    let mut terminal = Terminal {
        reader,
        writer,
        decoder: Decoder::default(),
    };
    let Some(hello) = terminal.next().await? else {
        return Ok(());
    };
    let params: AttachParams = serde_json::from_value(hello["params"].clone()).unwrap_or_default();
    let authority = tokens.authority(&params.token);
    if hello["method"] != ATTACH || authority == Authority::Nobody {
        return terminal
            .refuse(&hello, &"the token is not that of this server".into())
            .await;
    }
    let (mut changed, attached, mut seq) = match join(shared, params.session_id.as_deref()) {
        Ok(joined) => joined,
        Err(error) => return terminal.refuse(&hello, &error).await,
    };
    terminal.reply(&hello, json!({"result": attached})).await?;
    let caller = Caller {
        authority,
        is_terminal: true,
    };
    let mut asked = BTreeSet::new();
    loop {
        if !tell(
            shared,
            &mut terminal,
            caller,
            &attached.session_id,
            &mut seq,
            &mut asked,
        )
        .await?
        {
            return Ok(());
        }
        let message = tokio::select! {
            changed = changed.changed() => match changed {
                Ok(()) => continue,
                Err(_) => return Ok(()),
            },
            message = terminal.next() => message?,
        };
        let Some(message) = message else { return Ok(()) };
        let answer = carry_out(shared, caller, &message).await;
        match answer {
            Ok(value) => terminal.reply(&message, json!({"result": value})).await?,
            Err(error) => terminal.refuse(&message, &error).await?,
        }
    }
}

/// What a message of a terminal is answered.
async fn carry_out(shared: &Arc<Shared>, caller: Caller, message: &Value) -> Result<Option<Value>, Refusal> {
    let params = &message["params"];
    match (message["method"].as_str(), params["command"].as_str()) {
        (Some("workspace/executeCommand"), Some(command)) => {
            let arguments = params["arguments"].as_array().cloned().unwrap_or_default();
            commands::execute(shared, caller, command, arguments)
        }
        (Some(EDIT_RESOLVE), _) => {
            caller.authority.may(EDIT_RESOLVE)?;
            let params = serde_json::from_value(params.clone()).map_err(Refusal::of)?;
            review::resolve(shared, params).await.map(|answer| Some(json!(answer)))
        }
        _ => Err(
            format!("a terminal runs commands, with workspace/executeCommand, and decides with {EDIT_RESOLVE}").into(),
        ),
    }
}

/// A session, when there is something new of it, and from which update on it is told: the running turn's first.
fn join(shared: &Arc<Shared>, session: Option<&str>) -> Result<(watch::Receiver<()>, Attached, u64), Refusal> {
    let model = models::described(shared, session);
    let state = shared.state();
    let open = state.agent.sessions.get(session)?;
    let running = open.session.running();
    let attached = Attached {
        session_id: open.session.id.clone(),
        folders: state
            .folder_paths()
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        is_running: running.is_some(),
        skills: Listed::of(&state, None).lines(),
        model,
    };
    let seq = running.map_or_else(|| open.since(u64::MAX).1, |turn| open.before(&turn));
    Ok((state.agent.told.subscribe(), attached, seq))
}

/// Tells what is new in a session, and asks who may answer; `false` once it is closed.
async fn tell<S: AsyncRead + AsyncWrite>(
    shared: &Shared,
    terminal: &mut Terminal<S>,
    caller: Caller,
    session: &str,
    seq: &mut u64,
    asked: &mut BTreeSet<String>,
) -> io::Result<bool> {
    let (updates, questions): (Vec<SessionUpdateParams>, Vec<_>) = {
        let state = shared.state();
        let Ok(open) = state.agent.sessions.get(Some(session)) else {
            return Ok(false);
        };
        let (updates, last) = open.since(*seq);
        *seq = last;
        let may_answer = caller.authority.may(ANSWER).is_ok();
        let questions = state.agent.questions.for_terminals().into_iter();
        let questions = questions.filter(|question| may_answer && question.session_id == session);
        (updates, questions.collect())
    };
    for update in updates {
        terminal.notify("skills/session/update", json!(update)).await?;
    }
    let open: BTreeSet<_> = questions.iter().map(|question| question.request_id.clone()).collect();
    for request in asked.difference(&open) {
        let params = json!({"requestId": request});
        terminal.notify("skills/permission/resolved", params).await?;
    }
    for question in questions
        .iter()
        .filter(|question| !asked.contains(&question.request_id))
    {
        terminal.notify("skills/permission/request", json!(question)).await?;
    }
    *asked = open;
    Ok(true)
}

/// The other end of one connection.
struct Terminal<S> {
    reader: ReadHalf<S>,
    writer: WriteHalf<S>,
    decoder: Decoder,
}

impl<S: AsyncRead + AsyncWrite> Terminal<S> {
    /// The next message; `None` at the end, and where what comes is none. May be dropped while it waits.
    async fn next(&mut self) -> io::Result<Option<Value>> {
        loop {
            match self.decoder.next_frame() {
                Some(Frame::Body(body)) => return Ok(serde_json::from_slice(&body).ok()),
                Some(_) => return Ok(None),
                None => {}
            }
            let mut chunk = [0; 16 << 10];
            let count = self.reader.read(&mut chunk).await?;
            if count == 0 {
                return Ok(None);
            }
            self.decoder.feed(&chunk[..count]);
        }
    }

    async fn send(&mut self, mut message: Value) -> io::Result<()> {
        message["jsonrpc"] = json!("2.0");
        self.writer.write_all(&encode(message.to_string().as_bytes())).await?;
        self.writer.flush().await
    }

    async fn notify(&mut self, method: &str, params: Value) -> io::Result<()> {
        self.send(json!({"method": method, "params": params})).await
    }

    async fn reply(&mut self, request: &Value, mut answer: Value) -> io::Result<()> {
        answer["id"] = request["id"].clone();
        self.send(answer).await
    }

    async fn refuse(&mut self, request: &Value, why: &Refusal) -> io::Result<()> {
        let error = json!({"error": {"code": -32803, "message": why.to_string()}});
        self.reply(request, error).await
    }
}
