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

/// strictyaml 1.7: every scalar is text, nothing of YAML that surprises.
pub(in crate::verdict) static STRICTYAML: Reading = Reading {
    schema: Schema::Text,
    duplicates: Duplicates::Refused,
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
    ends_last_line: false,
};

/// PyYAML 6 over libyaml: YAML 1.1.
pub(in crate::verdict) static PYYAML: Reading = Reading {
    schema: Schema::Yaml11,
    duplicates: Duplicates::Last,
    keys: Keys::Hashable,
    merges: Merges::LastWins,
    anchors: Anchors::Once,
    tags: true,
    flow: true,
    even_columns: false,
    tolerances: LIBYAML_TOLERANCES,
    refusals: LIBYAML_REFUSALS,
    ends_last_line: false,
};

/// js-yaml 4: YAML 1.2.
pub(in crate::verdict) static JS_YAML: Reading = JS_YAML_ROW;

const JS_YAML_ROW: Reading = Reading {
    schema: Schema::JavaScript,
    duplicates: Duplicates::Refused,
    keys: Keys::Text,
    merges: Merges::FirstWins,
    anchors: Anchors::Again,
    tags: true,
    flow: true,
    even_columns: false,
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
};

/// serde_yaml_ng 0.10 over libyaml: scalars keep their text, since a field that wants text takes it.
pub(in crate::verdict) static SERDE_YAML: Reading = Reading {
    schema: Schema::Serde,
    duplicates: Duplicates::Kept,
    keys: Keys::Any,
    merges: Merges::Key,
    anchors: Anchors::Again,
    tags: true,
    flow: true,
    even_columns: false,
    tolerances: LIBYAML_TOLERANCES,
    refusals: LIBYAML_REFUSALS,
    ends_last_line: false,
};

/// Claude Code, as far as its documentation tells: YAML 1.2, and a key given twice is no error.
pub(in crate::verdict) static CLAUDE_YAML: Reading = Reading {
    duplicates: Duplicates::Last,
    ..JS_YAML_ROW
};
