//! How a program decides whether it loads a file, and what it sees: the stages of its parsing.

/// How one program decides whether it loads a file, and what it sees.
#[derive(Debug)]
pub(crate) struct Stages {
    /// A file that is no UTF-8: refused with this message, or read with replacement characters.
    pub(crate) not_utf8: Option<&'static str>,
    /// Where the frontmatter is.
    pub(crate) splitter: Splitter,
    /// Text that does not start with frontmatter.
    pub(crate) unopened: Without,
    /// Frontmatter that nothing closes.
    pub(crate) unclosed: Without,
    /// How the YAML is read.
    pub(crate) yaml: Yaml,
    /// YAML that can't be read; `{error}` is the library's message.
    pub(crate) unreadable: Without,
    /// YAML without any value.
    pub(crate) empty: Without,
    /// YAML that is no mapping.
    pub(crate) no_mapping: Without,
    /// The fields that it knows, where it refuses others.
    pub(crate) fields: Fields,
    /// What it demands of them, in its order.
    pub(crate) rules: &'static [FieldRule],
    /// All that is broken is told, or only what it meets first.
    pub(crate) tells: Tells,
    /// What it calls the skill.
    pub(crate) name: Seen,
    /// What it says about the skill.
    pub(crate) description: Seen,
    /// What happens to longer descriptions.
    pub(crate) shortens: Shortens,
    /// What keeps the skill from the model, so that only a person can call it.
    pub(crate) hides: &'static [Hides],
}

/// What happens to long descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortens {
    /// They stay.
    Never,
    /// A notice takes the place of their middle.
    Middle(usize),
    /// What comes after so many characters is cut off.
    End(usize),
}

/// Why the model is not told of a skill that loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hides {
    /// It has no description.
    NoDescription,
    /// `disable-model-invocation` is true.
    ModelInvocationDisabled,
    /// The same, with `-` or `_` between the words, for all that pydantic takes for true.
    ModelInvocationDisabledByWord,
}

/// What happens to a file whose frontmatter can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Without {
    /// It is refused; `{folder}` and `{error}` are filled in.
    Refused(&'static str),
    /// It loads without metadata.
    Loads(&'static str),
    /// It is read as if every field were missing, for this reason.
    NoFields(&'static str),
}

/// How the YAML is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Yaml {
    /// By a library.
    Library(Library),
    /// By a library; a value with `: ` in it is read as if it had quotes.
    Recovering(Library),
    /// By a library; where that or the fields fail, once more after a repair of the text.
    Repairing(Library, Repair),
    /// Line by line.
    Lines(LineFormat),
    /// By a library; line by line where that fails, or where one of these fields is no text.
    LibraryOrLines(Library, LineFormat, &'static [&'static str]),
}

/// The fields that a reader knows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fields {
    /// Others are passed over.
    Any,
    /// Others are refused: the names in order, and the message with `{fields}`.
    Only(&'static [&'static str], &'static str),
    /// Any name that is text, but none of these: the fields become arguments of a function that has them already.
    Arguments(&'static [&'static str]),
    /// A type with these fields and what each may hold; they are met in the order of the file.
    Struct(&'static str, &'static [(&'static str, StructType)]),
    /// The same, and others are passed over.
    OpenStruct(&'static str, &'static [(&'static str, StructType)]),
}

/// What a field of a [`Fields::Struct`] may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StructType {
    /// Text, a number or a boolean, all taken as text, or nothing.
    Text,
    /// Text, a list of texts, or nothing.
    TextOrTexts,
    /// A mapping, or nothing.
    Map,
    /// A mapping of text, numbers and booleans, or nothing.
    MapOfScalars,
    /// `true` or `false`, also as YAML 1.1 writes it, or nothing.
    Boolean,
    /// Anything that JSON can say.
    Json,
    /// Anything.
    Any,
}

/// How much a reader tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tells {
    First,
    All,
}

/// Where a reader takes a text from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) takes: Takes,
    pub(crate) form: TextForm,
    pub(crate) otherwise: Otherwise,
}

/// Which values a reader takes for a text that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Anything but null.
    NotNull,
    /// Anything.
    Anything,
    /// What has something but spaces in it.
    Filled,
    /// Text that is not empty.
    Text,
    /// No value at all.
    Nothing,
}

/// What a reader takes instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Otherwise {
    Nothing,
    Empty,
    Folder,
    FirstParagraph,
    /// The first paragraph; the first heading where there is none.
    FirstWords,
}

/// How a reader cuts the YAML out of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Splitter {
    /// Between the `---` that the text starts with and the next `---`, wherever that stands: `text.split("---", 2)`.
    Anywhere,
    /// Between two lines of three or more hyphens, blank lines before the first allowed: python-frontmatter.
    Hyphens,
    /// Between a first line `---` and the next line `---`, each perhaps with spaces behind and a byte order mark before:
    /// frontmatter as an extension of CommonMark.
    Markdown,
    /// The same, but a carriage return alone ends no line.
    Rust,
    /// Between the `---` that the text starts with and the next line that starts with it; spaces around are cut off.
    Prefix,
    /// Between two lines that hold nothing but `---`, with spaces around them or not.
    Lines(Allowed),
    /// Between a first line `---` and the next line of it, perhaps with spaces behind; all of the rest where none follows.
    MarkdownOrRest,
    /// Between the first `---`, wherever it stands, and the next one, without the spaces around: `content.split("---")`.
    Cut,
    /// Between a first line `---` and the next line that starts with it: `^---\r?\n([\s\S]*?)\r?\n---`.
    FirstLine,
    /// Between the `---` that the text starts with, the character behind it, and the next line that starts with it.
    Behind(Behind),
    /// The lines that the syntax tree found, where nothing stands before them but a byte order mark.
    Tree,
}

/// What may stand before the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allowed {
    Nothing,
    /// A byte order mark, and blank lines.
    BlankLines,
}

/// What may stand behind the first `---`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// Anything.
    Anything,
    /// The rest of the line, but no fourth hyphen.
    NoHyphen,
}

/// The library that reads the YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Library {
    /// strictyaml 1.7.
    StrictYaml,
    /// What Claude Code uses, as far as its documents tell.
    Claude,
    /// PyYAML 6.
    PyYaml,
    /// serde_yaml, into a type with named fields.
    SerdeYaml,
    /// The same.
    SerdeStruct,
    /// The same, into a value of any type.
    SerdeValue,
    /// js-yaml 4.
    JsYaml,
    /// js-yaml 3.
    JsYaml3,
    /// yaml 2, of JavaScript.
    Yaml2,
    /// yaml.v3, of Go.
    GoYaml,
}

/// How a program reads lines. Every value is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineFormat {
    /// YAML as far as people write it: quotes and blocks mean what they mean there; of a key given twice the first
    /// counts. Visual Studio Code 1.139.
    Yaml,
    /// Only these keys, in any column; quotes and `>` stay, indented lines go on; of two the last counts. Gemini CLI 0.61.
    Keys(&'static [&'static str]),
}

/// How a program rewrites the lines of its frontmatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// A text without quotes that holds `: `, or starts like a list, a mapping or a reserved character and is no YAML,
    /// gets quotes. Codex 0.169.
    Quotes,
    /// A text without quotes that holds a colon becomes a block, behind a key of letters, digits and `_` that is not
    /// indented. opencode 1.18.
    Blocks,
}

/// One demand on one field.
#[derive(Debug)]
pub(crate) struct FieldRule {
    /// The field; where several are named, the first that is there.
    pub(crate) fields: &'static [&'static str],
    /// What to take where the field is missing.
    pub(crate) missing: Missing,
    /// The rule says nothing where this other field holds something.
    pub(crate) unless: Option<&'static str>,
    /// `null` counts as missing.
    pub(crate) nullable: bool,
    /// What is looked at.
    pub(crate) form: TextForm,
    /// In this order; after a failed test marked so, the others are not asked.
    pub(crate) tests: &'static [(Test, &'static str, Then)],
    /// What stands before the failures of this rule: `{value}` is the value.
    pub(crate) prefix: &'static str,
    /// A failure is told, and the file loads all the same.
    pub(crate) warns: bool,
}

/// What to take where a field is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Nothing: the rule is kept.
    Kept,
    /// Nothing: the rule is broken, with this message.
    Broken(&'static str),
    /// The name of the folder.
    Folder,
}

/// What the tests of a rule look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// The value as it was read.
    Read,
    /// Its text, written as the program writes it.
    Spelled(Spelling),
    /// Its text without spaces around it.
    Trimmed,
    /// Its words with single spaces between them.
    Collapsed,
    /// Without what stands in angle brackets.
    WithoutTags,
    /// Its words with hyphens between them.
    Hyphenated,
    /// With hyphens for what no file may have in its name.
    FileName,
    /// Its text without spaces around it, in compatibility form (NFKC).
    Normalized,
}

/// What happens after a failed test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The next test of the rule is asked.
    Next,
    /// The rule is done.
    Done,
}

/// A question about a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// It is text.
    Text,
    /// It is text, or bytes that are text, which pydantic takes for it.
    TextOrBytes,
    /// It is text with something but spaces in it.
    Filled,
    /// It has something but spaces in it.
    NotBlank,
    /// It is a list that holds something.
    Items,
    /// It is not empty.
    NotEmpty,
    /// It is a list.
    List,
    /// It is text or a list.
    TextOrList,
    /// It is a mapping.
    Map,
    /// It is a list of texts only.
    Texts,
    /// It is a list of mappings that hold a text under each of these keys.
    MapsWith(&'static [&'static str]),
    /// It is a list without `null` in it, or text, or nothing.
    NoNullItems,
    /// It is what pydantic takes for a boolean.
    BooleanLike,
    /// JavaScript takes it for true.
    Truthy,
    /// It has at most so many characters.
    Characters(usize),
    /// It has at most so many bytes.
    Bytes(usize),
    /// It is the name of the folder.
    Folder,
    /// It is its own lower case.
    Lowercase,
    /// It neither starts nor ends with a hyphen.
    NoHyphenAtEdge,
    /// It has no two hyphens side by side.
    NoDoubleHyphen,
    /// Letters and digits of any script, and hyphens.
    Letters,
    /// `a-z`, `0-9` and hyphens.
    AsciiLetters,
    /// `a-z` and `0-9` with single hyphens between; a line end may follow.
    Kebab,
    /// ASCII letters and digits with single hyphens between.
    AsciiKebab,
    /// Starts with an ASCII letter or digit; after it `_`, `.`, `:`, hyphens and spaces too.
    AsciiLabel,
    /// It is `true` or `false`.
    Boolean,
    /// It is the name of the folder, in any case.
    FolderInAnyCase,
    /// It does not have this character.
    Without(char),
    /// It does not have this word, which is in lower case, anywhere.
    WithoutWord(&'static str),
    /// Paths that stay in the folder.
    RelativePaths,
}

/// How a program turns a scalar that is no text into text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// As it is written.
    Source,
    /// Python's `str()`.
    Python,
    /// JavaScript's `String()`.
    JavaScript,
}

impl Stages {
    /// What most programs do with what they can read; where they find it each says itself.
    pub(crate) const USUAL: Stages = Stages {
        not_utf8: None,
        splitter: Splitter::Tree,
        unopened: Without::Loads(""),
        unclosed: Without::Loads(""),
        yaml: Yaml::Library(Library::Claude),
        unreadable: Without::Loads("{error}"),
        empty: Without::NoFields("the frontmatter is empty"),
        no_mapping: Without::Loads(""),
        fields: Fields::Any,
        rules: &[],
        tells: Tells::First,
        name: seen(TextForm::Read, Otherwise::Nothing),
        description: seen(TextForm::Read, Otherwise::Nothing),
        shortens: Shortens::Never,
        hides: &[],
    };
}

/// A rule that demands nothing.
pub(crate) const fn rule(fields: &'static [&'static str]) -> FieldRule {
    FieldRule {
        fields,
        missing: Missing::Kept,
        unless: None,
        nullable: false,
        form: TextForm::Read,
        tests: &[],
        prefix: "",
        warns: false,
    }
}

pub(crate) const fn seen(form: TextForm, otherwise: Otherwise) -> Seen {
    Seen {
        takes: Takes::NotNull,
        form,
        otherwise,
    }
}
