//! Regular expressions as JavaScript reads them: where one is wrong, and what it says of every text.

use std::ops::Range;

use regex_syntax::{
    ast::{self, ErrorKind, parse::Parser},
    hir::translate::Translator,
};

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The wrong characters, in bytes of the pattern.
    pub(crate) range: Range<usize>,
    /// What is wrong with them.
    pub(crate) message: String,
}

/// Longer patterns are not looked at: nobody writes them by hand.
const MAX_LENGTH: usize = 4 << 10;

/// The first thing wrong with a pattern; `None` where JavaScript can read it.
pub(crate) fn fault(pattern: &str) -> Option<Fault> {
    let error = parse(pattern)?.err()?;
    let (start, end) = (error.span().start.offset, error.span().end.offset);
    let is_brace = pattern[start.min(pattern.len())..].starts_with('{') || pattern[..start].ends_with('{');
    let message = match error.kind() {
        // What JavaScript reads in its own way.
        ErrorKind::UnsupportedLookAround
        | ErrorKind::UnsupportedBackreference
        | ErrorKind::EscapeUnrecognized
        | ErrorKind::EscapeHexEmpty
        | ErrorKind::EscapeHexInvalid
        | ErrorKind::EscapeHexInvalidDigit
        | ErrorKind::NestLimitExceeded(_) => return None,
        ErrorKind::RepetitionCountUnclosed | ErrorKind::RepetitionCountDecimalEmpty | ErrorKind::DecimalEmpty => {
            return None;
        }
        ErrorKind::RepetitionMissing if is_brace => return None,
        ErrorKind::ClassUnclosed => "unclosed `[`; add `]` or write `\\[`".to_owned(),
        ErrorKind::GroupUnclosed => "unclosed `(`; add `)` or write `\\(`".to_owned(),
        ErrorKind::GroupUnopened => "unmatched `)`; remove it or write `\\)`".to_owned(),
        ErrorKind::RepetitionMissing => "nothing to repeat; escape it with `\\`".to_owned(),
        ErrorKind::EscapeUnexpectedEof => {
            "a `\\` at the end escapes nothing; write `\\\\` for the character".to_owned()
        }
        ErrorKind::ClassRangeInvalid => "reversed range; swap its ends".to_owned(),
        ErrorKind::RepetitionCountInvalid => "the least count is more than the most; swap them".to_owned(),
        ErrorKind::FlagUnrecognized => "unknown group; write `(?:` for one without a number".to_owned(),
        other => format!("{other}; escape it with `\\`"),
    };
    let end = end.clamp(start, pattern.len());
    let wide = pattern[start..].chars().next().map_or(0, char::len_utf8);
    Some(Fault {
        range: start..end.max(start + wide),
        message,
    })
}

/// Whether the pattern is found in every text: it matches nothing at all, anywhere.
pub(crate) fn matches_everything(pattern: &str) -> bool {
    let Some(Ok(ast)) = parse(pattern) else { return false };
    let hir = Translator::new().translate(pattern, &ast);
    hir.is_ok_and(|hir| {
        let properties = hir.properties();
        properties.minimum_len() == Some(0)
            && properties.look_set_prefix().is_empty()
            && properties.look_set().is_empty()
    })
}

fn parse(pattern: &str) -> Option<Result<ast::Ast, Box<ast::Error>>> {
    (pattern.len() <= MAX_LENGTH).then(|| Parser::new().parse(pattern).map_err(Box::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_character_is_named() {
        let cases = [
            ("rm (-rf", "("),
            ("rm )", ")"),
            ("[a-", "["),
            ("*.sh", "*"),
            ("a\\", "\\"),
            ("[z-a]", "z-a"),
            ("a{3,1}", "{3,1}"),
        ];
        for (pattern, wrong) in cases {
            let fault = fault(pattern).unwrap();
            assert_eq!(&pattern[fault.range], wrong, "{pattern}");
        }
        for pattern in ["rm -rf", r"(?=a)\1", "a{", "{a}", r"\_", "", "(?<name>x)", r"a\-b"] {
            assert_eq!(fault(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_needs_nothing_is_found_everywhere() {
        for pattern in ["", ".*", "a*", "(a|)", "x?"] {
            assert!(matches_everything(pattern), "{pattern}");
        }
        for pattern in ["a", ".+", "^$", r"\b", "("] {
            assert!(!matches_everything(pattern), "{pattern}");
        }
    }
}
