//! The open documents: their texts as the editor has them, unsaved changes included.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ropey::Rope;
use skills_agent::changes::text_hash;
use skills_schema::difference::Difference;
use skills_schema::facts::FileKind;
use skills_schema::rules::{self, Finding};
use skills_schema::{TextRange, TextSize};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tower_lsp::ls_types::{TextDocumentContentChangeEvent, TextDocumentItem, Uri, VersionedTextDocumentIdentifier};

pub use crate::paths::{file_path, resolved};

use crate::analysis::{self, Analysis};
use crate::position::Encoding;
use crate::surroundings::Matches;

/// One open document. Cheap to clone: a clone is a snapshot.
#[derive(Debug, Clone)]
pub struct Document {
    /// As the client spells it.
    pub uri: Uri,
    /// The client's version: it grows, and not always by one.
    pub version: i32,
    /// Where the document lies, with links resolved; `None` for one that was never saved or is no file.
    pub path: Option<PathBuf>,
    /// The text as it is edited.
    pub rope: Rope,
    /// The same text in one piece, made when somebody asks for it: a long text that is typed in would be copied at
    /// every key.
    text: Arc<OnceLock<Arc<str>>>,
    /// The client's name for the language.
    pub language: String,
    /// What is known of it, if it is a skill; of an older version while a long text is analysed.
    pub analysis: Option<Arc<Analysis>>,
    /// What was found in view of the files around it, perhaps in an older text.
    pub around: Option<Arc<Around>>,
    /// Counts the openings of documents: a greater number was opened later.
    opened: u64,
}

/// What was found in a text in view of the files around it.
#[derive(Debug)]
pub struct Around {
    /// The text.
    pub text: Arc<str>,
    /// The findings, in the order of the text.
    pub findings: Vec<Finding>,
    /// How many files the patterns of `paths` match.
    pub matches: Option<Matches>,
}

impl Document {
    /// The document as it was opened.
    pub fn open(item: TextDocumentItem) -> Self {
        let path = file_path(&item.uri);
        Self {
            path,
            version: item.version,
            rope: Rope::from_str(&item.text),
            text: Arc::new(OnceLock::from(Arc::from(item.text))),
            language: item.language_id,
            uri: item.uri,
            analysis: None,
            around: None,
            opened: 0,
        }
    }

    /// The text in one piece; the same one until it changes.
    pub fn text(&self) -> &Arc<str> {
        self.text.get_or_init(|| String::from(&self.rope).into())
    }

    /// What is known of exactly this text; `None` while it is analysed.
    pub fn current_analysis(&self) -> Option<&Analysis> {
        let analysis = self.analysis.as_deref()?;
        Arc::ptr_eq(self.text(), &analysis.file.text).then_some(analysis)
    }

    /// The sort of a skill's or neighbour's file; `None` for any other.
    pub fn kind(&self) -> Option<FileKind> {
        analysis::kind(&self.slash_path(), &self.language)
    }

    /// Whether this is a skill file.
    pub fn is_skill(&self) -> bool {
        analysis::is_skill(&self.slash_path(), &self.language)
    }

    /// All that is wrong, in the order of the text. What was found in view of the files around an older text stays
    /// where its characters are unchanged, without its repairs.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = self
            .analysis
            .iter()
            .flat_map(|analysis| analysis.findings.clone())
            .collect::<Vec<_>>();
        let around = self.around.as_deref().filter(|around| !around.findings.is_empty());
        if let Some(around) = around {
            if Arc::ptr_eq(&around.text, self.text()) {
                findings.extend(around.findings.iter().cloned());
            } else {
                findings.extend(moved(around, self.text()));
            }
            rules::sort(&mut findings);
        }
        findings
    }

    /// Whether this is how editors begin a new file: an empty buffer of a file that is not there yet. Asks the disk.
    pub fn is_new_file(&self) -> bool {
        self.rope.chars().all(char::is_whitespace) && self.path.as_deref().is_some_and(|path| !path.exists())
    }

    /// Applies a client's changes, one after the other as the protocol says.
    pub fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) {
        for change in changes {
            match change.range {
                None => self.become_text(change.text),
                Some(range) => {
                    let start = encoding.offset(&self.rope, range.start);
                    let end = encoding.offset(&self.rope, range.end);
                    self.replace(start..end.max(start), &change.text);
                    self.text = Arc::default();
                }
            }
        }
        self.version = version;
    }

    /// Takes over a whole text. Mostly little of it is new: the rope is told only of that.
    fn become_text(&mut self, new: String) {
        let old = self.text().clone();
        let changed = Difference::between(&old, &new);
        self.replace(changed.start..changed.old_end, &new[changed.start..changed.new_end]);
        self.text = Arc::new(OnceLock::from(Arc::from(new)));
    }

    /// Replaces a range of bytes.
    fn replace(&mut self, bytes: Range<usize>, text: &str) {
        let start = self.rope.byte_to_char(bytes.start);
        let end = self.rope.byte_to_char(bytes.end);
        self.rope.remove(start..end);
        self.rope.insert(start, text);
    }

    /// The path with `/` between its parts, for what is decided by where a file lies.
    pub fn slash_path(&self) -> String {
        match &self.path {
            Some(path) => path.to_string_lossy().replace('\\', "/"),
            None => self.uri.path().decode().to_string_lossy().into_owned(),
        }
    }
}

/// The findings of an older text at their places in a newer one: those before and behind what was changed.
fn moved<'a>(around: &'a Around, new: &'a str) -> impl Iterator<Item = Finding> + 'a {
    let changed = Difference::between(&around.text, new);
    let place = move |range: TextRange| {
        if usize::from(range.end()) <= changed.start {
            Some(range)
        } else if usize::from(range.start()) >= changed.old_end {
            let start = changed.moved(range.start().into());
            Some(TextRange::at(TextSize::try_from(start).ok()?, range.len()))
        } else {
            None
        }
    };
    around.findings.iter().filter_map(move |finding| {
        let mut related = finding.related.clone();
        related.retain(|related| related.file.is_some());
        Some(Finding {
            range: place(finding.range)?,
            related,
            fixes: Vec::new(),
            ..finding.clone()
        })
    })
}

/// All open documents, by URI and by file.
///
/// The same file may be spelt in several ways; whoever asks for it by path finds the document that was opened last.
#[derive(Debug, Default)]
pub struct Documents {
    by_uri: HashMap<Uri, Document>,
    opened: u64,
    /// What was saved last in each file, also in those that are closed again.
    saved: HashMap<PathBuf, u64>,
    watchers: Vec<(Uri, UnboundedSender<Option<Document>>)>,
}

/// Every text that a document has from now on, in order; `None` once it is closed.
pub type Texts = UnboundedReceiver<Option<Document>>;

impl Documents {
    /// Adds a document; one that is open already is replaced.
    pub fn open(&mut self, item: TextDocumentItem) -> &Document {
        self.opened += 1;
        let document = Document {
            opened: self.opened,
            ..Document::open(item)
        };
        self.tell(&document.uri, Some(&document));
        self.by_uri
            .entry(document.uri.clone())
            .insert_entry(document)
            .into_mut()
    }

    /// The document with this URI.
    pub fn get(&self, uri: &Uri) -> Option<&Document> {
        self.by_uri.get(uri)
    }

    /// The document with this URI, to be changed.
    pub fn get_mut(&mut self, uri: &Uri) -> Option<&mut Document> {
        self.by_uri.get_mut(uri)
    }

    /// Applies a client's changes to a document; `None` where it is not open.
    pub fn change(
        &mut self,
        identifier: VersionedTextDocumentIdentifier,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Option<&Document> {
        let document = self.by_uri.get_mut(&identifier.uri)?;
        document.change(identifier.version, changes, encoding);
        let document = document.clone();
        self.tell(&identifier.uri, Some(&document));
        self.by_uri.get(&identifier.uri)
    }

    /// Removes a document.
    pub fn close(&mut self, uri: &Uri) -> Option<Document> {
        self.tell(uri, None);
        self.by_uri.remove(uri)
    }

    /// Notes that a document was saved as it is.
    pub fn save(&mut self, uri: &Uri) {
        let document = self.by_uri.get(uri);
        if let Some((path, document)) = document.and_then(|document| Some((document.path.clone()?, document))) {
            self.saved.insert(path, text_hash(document.text()));
        }
    }

    /// What was saved last in a file, as the [`text_hash`], by its path with links resolved. In one that is open and was
    /// not saved yet that is nothing: so a new file begins.
    pub fn saved(&self, path: &Path) -> Option<u64> {
        let begun = || self.of_path(path).map(|_| text_hash(""));
        self.saved.get(path).copied().or_else(begun)
    }

    /// Watches a document: whoever waits for a text sees each that there was, not only the last.
    pub fn watch(&mut self, uri: &Uri) -> Texts {
        let (sender, receiver) = unbounded_channel();
        self.watchers.push((uri.clone(), sender));
        receiver
    }

    /// Tells those who watch; who no longer does is forgotten.
    fn tell(&mut self, uri: &Uri, document: Option<&Document>) {
        self.watchers.retain(|(watched, sender)| {
            if watched == uri {
                sender.send(document.cloned()).is_ok()
            } else {
                !sender.is_closed()
            }
        });
    }

    /// The document that shows a file, by its path with links resolved.
    pub fn of_path(&self, path: &Path) -> Option<&Document> {
        self.by_uri
            .values()
            .filter(|document| document.path.as_deref() == Some(path))
            .max_by_key(|document| document.opened)
    }

    /// All documents, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Document> {
        self.by_uri.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skills_schema::rules::Severity;

    /// What was typed, or shown because it is on the disk, was not saved.
    #[test]
    fn what_was_saved_is_known_of_files_that_are_closed_again() {
        let uri: Uri = "file:///w/AGENTS.md".parse().unwrap();
        let path = Path::new("/w/AGENTS.md");
        let open = |text: &str| TextDocumentItem::new(uri.clone(), "markdown".to_owned(), 1, text.to_owned());
        let mut documents = Documents::default();
        assert_eq!(documents.saved(path), None);
        documents.open(open("shown"));
        assert_eq!(documents.saved(path), Some(text_hash("")));
        documents.save(&uri);
        documents.open(open("typed"));
        assert_eq!(documents.saved(path), Some(text_hash("shown")));
        documents.close(&uri);
        assert_eq!(documents.saved(path), Some(text_hash("shown")));
    }

    #[test]
    fn findings_move_with_their_characters_while_others_are_typed() {
        let old = "aa [x](y) bb [z](w) cc";
        let finding = |needle: &str| {
            let at = TextSize::try_from(old.find(needle).unwrap()).unwrap();
            Finding {
                code: "broken-link",
                severity: Severity::Warning,
                message: String::new(),
                range: TextRange::at(at, TextSize::of(needle)),
                readers: Vec::new(),
                related: Vec::new(),
                fixes: Vec::new(),
                tags: Vec::new(),
            }
        };
        let around = Around {
            text: old.into(),
            findings: vec![finding("y"), finding("w")],
            matches: None,
        };
        let cases = [
            ("aa [x](y) bb [z](w) cc!", vec!["y", "w"]),
            ("é aa [x](y) bb [z](w) cc", vec!["y", "w"]),
            ("aa [x](y) b [z](w) cc", vec!["y", "w"]),
            ("aa [x](yy) bb [z](w) cc", vec!["y", "w"]),
            ("aa [x]() bb [z](w) cc", vec!["w"]),
            ("", vec![]),
        ];
        for (new, expected) in cases {
            let texts: Vec<&str> = moved(&around, new).map(|finding| &new[finding.range]).collect();
            assert_eq!(texts, expected, "{new}");
        }
    }
}
