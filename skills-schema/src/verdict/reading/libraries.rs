//! THE table of YAML libraries: one row each.

use super::{
    Anchors, Duplicates, Keys, Merges, Reading,
    Refusal::{self, *},
    Schema,
    Tolerance::{self, *},
};

/// libyaml 0.2.5, below two of the readers.
const LIBYAML_TOLERANCES: &[Tolerance] = &[
    QuotedInAnyColumn,
    QuotedBehindTab,
    CommentAtIndicator,
    ByteOrderMarkInLine,
    BlockAtLineStart,
    HyphenInBrackets,
    UnicodeLineEnds,
];
const LIBYAML_REFUSALS: &[Refusal] = &[
    AnchorLetters,
    QuestionMarkInBrackets,
    MissingKey,
    MissingKeyInBrackets,
    ColonBeforeBracket,
    TabAtBlockStart,
    LeadingEnd,
    ByteOrderMark,
    TabAtLineStart,
];

/// What most of them do.
const USUAL: Reading = Reading {
    schema: Schema::Text,
    duplicates: Duplicates::Refused,
    keys: Keys::Text,
    merges: Merges::FirstWins,
    anchors: Anchors::Again,
    tags: true,
    flow: true,
    even_columns: false,
    ends_last_line: false,
    depth: usize::MAX,
    streams: false,
    tolerances: &[],
    refusals: &[],
};

/// strictyaml 1.7: every scalar is text, nothing of YAML that surprises.
pub(in crate::verdict) static STRICTYAML: Reading = Reading {
    keys: Keys::Hashable,
    merges: Merges::Hidden,
    anchors: Anchors::Refused,
    tags: false,
    flow: false,
    even_columns: true,
    tolerances: &[
        QuotedInAnyColumn,
        QuotedBehindTab,
        BlockAtLineStart,
        ByteOrderMarkInLine,
        NextLineFolds,
    ],
    refusals: &[AnyTab, LeadingEnd],
    ..USUAL
};

/// PyYAML 6 over libyaml: YAML 1.1.
pub(in crate::verdict) static PYYAML: Reading = Reading {
    schema: Schema::Yaml11,
    duplicates: Duplicates::Last,
    keys: Keys::Hashable,
    merges: Merges::LastWins,
    anchors: Anchors::Once,
    tolerances: LIBYAML_TOLERANCES,
    refusals: LIBYAML_REFUSALS,
    ..USUAL
};

/// js-yaml 4: YAML 1.2.
pub(in crate::verdict) static JS_YAML: Reading = JS_YAML_ROW;

const JS_YAML_ROW: Reading = Reading {
    schema: Schema::JavaScript,
    tolerances: &[
        QuotedInAnyColumn,
        QuotedBehindTab,
        ByteOrderMarkInLine,
        ByteOrderMarkAtLineStart,
        DeleteCharacter,
        ValueAtColon,
    ],
    refusals: &[
        QuestionMarkInBrackets,
        MissingKey,
        LeadingEnd,
        TabBeforeKey,
        OutdentedInBrackets,
    ],
    ends_last_line: true,
    ..USUAL
};

/// serde_yaml_ng 0.10 over libyaml: scalars keep their text, since a field that wants text takes it.
pub(in crate::verdict) static SERDE_YAML: Reading = Reading {
    depth: SERDE_DEPTH,
    ..SERDE_YAML_ROW
};

/// serde_yaml's limit, where somebody takes all values.
const SERDE_DEPTH: usize = 127;

const SERDE_YAML_ROW: Reading = Reading {
    schema: Schema::Serde,
    duplicates: Duplicates::Kept,
    keys: Keys::Any,
    merges: Merges::Key,
    tolerances: LIBYAML_TOLERANCES,
    refusals: LIBYAML_REFUSALS,
    ..USUAL
};

/// Claude Code, as far as its documentation tells: YAML 1.2, and a key given twice is no error.
pub(in crate::verdict) static CLAUDE_YAML: Reading = Reading {
    duplicates: Duplicates::Last,
    ..JS_YAML_ROW
};

/// serde_yaml where it fills a type: it meets the values one by one.
pub(in crate::verdict) static SERDE_STRUCT: Reading = Reading {
    streams: true,
    ..SERDE_YAML_ROW
};

/// serde_yaml where it takes any value.
pub(in crate::verdict) static SERDE_VALUE: Reading = Reading {
    schema: Schema::SerdeValue,
    depth: SERDE_DEPTH,
    duplicates: Duplicates::Refused,
    ..SERDE_YAML_ROW
};

/// js-yaml 3: a tab at the start of a line is no indentation.
pub(in crate::verdict) static JS_YAML_3: Reading = Reading {
    schema: Schema::JavaScript3,
    tolerances: &[
        QuotedInAnyColumn,
        QuotedBehindTab,
        ByteOrderMarkInLine,
        ByteOrderMarkAtLineStart,
        DeleteCharacter,
        ValueAtColon,
        TabIsNoIndentation,
    ],
    refusals: &[QuestionMarkInBrackets, MissingKey, LeadingEnd, OutdentedInBrackets],
    ..JS_YAML_ROW
};

const YAML_2_TOLERANCES: &[Tolerance] = &[
    QuotedInAnyColumn,
    QuotedBehindTab,
    ByteOrderMarkInLine,
    ByteOrderMarkAtLineStart,
    DeleteCharacter,
    ControlCharacter,
    ValueAtColon,
];

/// yaml 2 for JavaScript, its core schema: YAML 1.2 without dates and without `<<`.
pub(in crate::verdict) static YAML_2: Reading = Reading {
    schema: Schema::Core,
    tolerances: YAML_2_TOLERANCES,
    merges: Merges::Key,
    ..JS_YAML_ROW
};

/// yaml.v3 for Go, made of libyaml: YAML 1.2, and `<<`.
pub(in crate::verdict) static GO_YAML: Reading = Reading {
    duplicates: Duplicates::Refused,
    merges: Merges::FirstWins,
    ..SERDE_YAML_ROW
};
