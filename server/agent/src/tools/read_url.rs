use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::respond;
use super::output::MAX_OUTPUT_BYTES;
use super::{Tool, ToolContext, ToolError, ToolOutput, arguments};
use crate::model::ToolSpec;
use crate::network::{self, Place};
use crate::process::capture::plain;

mod html;

const TIMEOUT: Duration = Duration::from_secs(20);
const MAX_REDIRECTS: usize = 5;
/// The most bytes that are read of a page.
const MAX_BODY_BYTES: usize = 4 << 20;

/// Reads a page of the web.
pub(super) struct ReadUrl;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    url: String,
}

struct Page {
    kind: String,
    body: Vec<u8>,
    is_cut: bool,
    /// Where it came from, for the person.
    address: String,
}

enum Step {
    Redirect(Url),
    Page(Page),
}

impl Tool for ReadUrl {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_url",
            description: "Reads a text from the web by http or https; HTML becomes plain text. The person may be asked \
                for each host. Private and local addresses are refused unless the person opened them.",
            input_schema: json!({
                "type": "object",
                "properties": {"url": {"type": "string", "description": "The whole URL."}},
                "required": ["url"],
                "additionalProperties": false,
            }),
        }
    }

    fn is_mutating(&self) -> bool {
        false
    }

    fn run<'a>(&'a self, context: &'a ToolContext, input: Value) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let Arguments { url } = arguments::parse(&self.spec(), input)?;
            let mut url = Url::parse(url.trim()).map_err(|error| respond(format!("invalid URL: {error}")))?;
            for _ in 0..=MAX_REDIRECTS {
                match step(context, &url).await? {
                    Step::Redirect(next) => url = next,
                    Step::Page(page) => return page.shown(&url),
                }
            }
            Err(respond(format!(
                "more than {MAX_REDIRECTS} redirects; give the last URL itself: {url}"
            )))
        }
        .boxed()
    }
}

/// One request, after every check that the first one had.
async fn step(context: &ToolContext, url: &Url) -> Result<Step, ToolError> {
    let failed = |error: reqwest::Error| respond(format!("reading {url} failed: {}", error.without_url()));
    let place = Place::of(url).map_err(respond)?;
    let url = place.url();
    let folder = &context.workspace.folders()[0];
    let asked = context.permissions.before_url(context.asking(), folder, &place).await;
    asked.map_err(respond)?;
    let is_opened = context.permissions.opens(&folder.path, &place);
    let client = network::client(&place, is_opened, TIMEOUT).await;
    let client = client.map_err(|refusal| respond(context.permissions.told(&folder.path, &place, refusal)))?;
    let answer = client
        .get(url.clone())
        .header(ACCEPT, "text/*, application/json;q=0.9, */*;q=0.1");
    let answer = answer.send().await.map_err(failed)?;
    let status = answer.status();
    if status.is_redirection() {
        let target = answer.headers().get(LOCATION).and_then(|target| target.to_str().ok());
        let target = target.and_then(|target| url.join(target).ok());
        return target
            .map(Step::Redirect)
            .ok_or_else(|| respond(format!("{url} redirects to nowhere ({status})")));
    }
    if !status.is_success() {
        return Err(respond(format!("{url} answered {status}")));
    }
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or("text/plain").to_lowercase();
    let is_text = kind.starts_with("text/")
        || ["json", "xml", "javascript", "yaml", "toml"]
            .iter()
            .any(|it| kind.contains(it));
    if !is_text {
        return Err(respond(format!("{url} is no text but {kind}")));
    }
    let address = answer.remote_addr().map(|address| format!(" from {}", address.ip()));
    let address = address.unwrap_or_default();
    let (body, is_cut) = network::body(answer, MAX_BODY_BYTES).await.map_err(failed)?;
    Ok(Step::Page(Page {
        kind,
        body,
        is_cut,
        address,
    }))
}

impl Page {
    fn shown(&self, url: &Url) -> Result<ToolOutput, ToolError> {
        let Self {
            kind,
            body,
            is_cut,
            address,
        } = self;
        let text = String::from_utf8_lossy(body);
        let is_html =
            kind.contains("html") || (kind.starts_with("text/plain") && text.trim_start().starts_with("<!DOCTYPE"));
        let text = plain(&if is_html {
            html::to_text(&text)
        } else {
            text.into_owned()
        });
        let shown = &text[..text.floor_char_boundary(MAX_OUTPUT_BYTES)];
        let truncated = *is_cut || shown.len() < text.len();
        let note = match truncated {
            true => format!("\n[cut: these are the first {} bytes of the text]", shown.len()),
            false => String::new(),
        };
        Ok(ToolOutput {
            text: format!("{url}\n{shown}{note}"),
            summary: format!("{url} ({} bytes{address})", body.len()),
            truncated,
        })
    }
}
