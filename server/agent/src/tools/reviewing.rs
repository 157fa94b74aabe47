use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;

use crate::changes::edits;
use crate::event::Event;
use crate::host::{
    Answer, Applied, ApplyError, Buffer, ChoiceKind, FileEdit, Host, Intent, Proposal, Question, Reviewed,
};

/// A host that shows an edit hunk by hunk where it would ask about it, if the person's editor can.
pub(super) struct Reviewing<'a> {
    host: &'a dyn Host,
    before: Option<Arc<str>>,
    after: Option<Arc<str>>,
    path: &'a Path,
    reviewed: Mutex<Option<Reviewed>>,
}

impl<'a> Reviewing<'a> {
    pub(super) fn new(host: &'a dyn Host, path: &'a Path, before: Option<&Arc<str>>, after: Option<&str>) -> Self {
        Self {
            host,
            before: before.cloned(),
            after: after.map(Into::into),
            path,
            reviewed: Mutex::default(),
        }
    }

    /// What the person said to the model.
    pub(super) fn message(&self) -> Option<String> {
        self.reviewed
            .lock()
            .as_ref()
            .and_then(|reviewed| reviewed.message.clone())
    }

    /// The intent without the hunks that were rejected, and how many these are.
    pub(super) fn narrowed(&self, intent: Intent) -> (Intent, usize) {
        let reviewed = self.reviewed.lock();
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let (Some(reviewed), Some(before), Some(after)) = (&*reviewed, before, after) else {
            return (intent, 0);
        };
        let all = edits::hunks(before, after).len();
        let content = edits::accepted(before, after, &reviewed.accepted);
        if content == after {
            return (intent, 0);
        }
        let narrowed = Intent::Overwrite {
            content,
            seen: self.before.clone(),
        };
        (narrowed, all.saturating_sub(reviewed.accepted.len()))
    }
}

impl Host for Reviewing<'_> {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        async move {
            let once = question
                .choices
                .iter()
                .find(|choice| choice.kind == ChoiceKind::AllowOnce);
            let Some(once) = once.map(|choice| choice.id) else {
                return self.host.ask(question).await;
            };
            let proposal = Proposal {
                title: question.title.clone(),
                path: self.path.to_owned(),
                before: self.before.clone(),
                after: self.after.clone(),
            };
            let Some(reviewed) = self.host.review(proposal).await else {
                return self.host.ask(question).await;
            };
            let is_yes = !reviewed.accepted.is_empty();
            *self.reviewed.lock() = Some(reviewed);
            if is_yes {
                Answer::Chosen(once)
            } else {
                Answer::Dismissed
            }
        }
        .boxed()
    }

    fn buffer(&self, path: &Path) -> Option<Buffer> {
        self.host.buffer(path)
    }

    fn open_files(&self) -> Vec<PathBuf> {
        self.host.open_files()
    }

    fn apply(&self, edit: FileEdit) -> BoxFuture<'_, Result<Applied, ApplyError>> {
        self.host.apply(edit)
    }

    fn save(&self) -> BoxFuture<'_, Vec<PathBuf>> {
        self.host.save()
    }

    fn emit(&self, event: Event) {
        self.host.emit(event);
    }
}
