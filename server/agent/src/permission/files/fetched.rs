//! What an editor fetches by a mere look at a file: an address in it can carry away what the agent knows.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Places whose owners publish what is there for everybody, and learn nothing from a request without a query.
const WELL_KNOWN: &[&str] = &[
    "http://www.w3.org/",
    "https://www.w3.org/",
    "http://www.apple.com/DTDs/",
    "https://www.apple.com/DTDs/",
];

/// An address that an edit has an editor fetch, and that the text did not name before; `texts` are those before and after.
pub(super) fn by_a_look((before, after): (Option<&str>, Option<&str>)) -> Option<String> {
    let named = named(after.unwrap_or_default());
    if named.is_empty() {
        return None;
    }
    let known = self::named(before.unwrap_or_default());
    named.into_iter().find(|place| !known.contains(place))
}

/// How texts name what is fetched. The place is the first group that takes part.
#[allow(clippy::expect_used, reason = "constants that a test compiles")]
static NAMING: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    // Between a key and its value may stand comments.
    let space = r"(?:\s|/\*(?s:.*?)\*/|//[^\n]*\n)*";
    // Schemas, and parts of schemas, as servers of JSON, YAML and TOML read them.
    let json =
        format!(r#"(?:\$(?:schema|ref|dynamicRef|recursiveRef|id)["']?{space}[:=]{space}|#:schema\s+)["']?([^\s"']+)"#);
    // Document types, entities and notations of XML.
    let declared = r#"<!(?:DOCTYPE|ENTITY|NOTATION)\s[^<>\[]*?(?:SYSTEM\s*|PUBLIC\s*(?:"[^"]*"|'[^']*')\s*)(?:"([^"]*)"|'([^']*)')"#;
    // Schemas, style sheets and other parts of XML.
    let attributes = r#"(?:schemaLocation|noNamespaceSchemaLocation)\s*=\s*(?:"([^"]*)"|'([^']*)')|<(?:\?xml-(?:model|stylesheet)|(?:\w+:)?(?:include|import|redefine|override|externalRef))\s[^<>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')"#;
    [&json, declared, attributes].map(|pattern| Regex::new(pattern).expect("the pattern is right"))
});

/// The addresses that a text names so.
fn named(text: &str) -> BTreeSet<String> {
    let marks = [
        "chema",
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "$id",
        "\\u",
        "\\/",
        "<!",
        "<?xml-",
        "href",
    ];
    if !marks.iter().any(|mark| text.contains(mark)) {
        return BTreeSet::new();
    }
    let plain = unescaped(text);
    let found = NAMING.iter().flat_map(|naming| naming.captures_iter(&plain));
    let places = found.filter_map(|found| found.iter().skip(1).flatten().next());
    // A list of schemas has the name of each before its place.
    let places = places.flat_map(|place| place.as_str().split_whitespace());
    let is_elsewhere = |place: &&str| {
        let is_remote = place.contains("//") || place.contains("\\\\") || place.contains('&');
        let is_known = !place.contains(['?', '#', '&']) && WELL_KNOWN.iter().any(|known| place.starts_with(known));
        is_remote && !is_known
    };
    places.filter(is_elsewhere).map(str::to_owned).collect()
}

/// The text with what JSON and XML write in place of characters.
fn unescaped(text: &str) -> String {
    #[allow(clippy::expect_used, reason = "a constant that a test compiles")]
    static ESCAPE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\\u([0-9a-fA-F]{4})|\\(/)|&#x([0-9a-fA-F]{1,6});|&#([0-9]{1,7});").expect("the pattern is right")
    });
    let plain = ESCAPE.replace_all(text, |found: &Captures<'_>| {
        let code = |group, base| {
            let digits = found.get(group).map(|digits| digits.as_str());
            digits.and_then(|digits| u32::from_str_radix(digits, base).ok())
        };
        let code = code(1, 16).or_else(|| code(3, 16)).or_else(|| code(4, 10));
        code.and_then(char::from_u32).unwrap_or('/').to_string()
    });
    plain.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_an_editor_fetches_is_found_however_it_is_written() {
        let old = r#"{"$schema": "https://a.example/s.json"}"#;
        let svg =
            r#"<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">"#;
        for (before, after, asks) in [
            (None, old, true),
            (Some(old), r#"{"$schema": "https://a.example/s.json", "b": 1}"#, false),
            (Some(old), r#"{"$schema": "https://a.example/s.json?secret"}"#, true),
            (None, r#"{"$schema": "./s.json"}"#, false),
            (None, r#"{"\u0024schema": "https:\/\/a.example"}"#, true),
            (None, "{\"$schema\" /* x */ :\n// y\n \"https://a.example\"}", true),
            (None, "# yaml-language-server: $schema=https://a.example\n", true),
            (None, "#:schema https://a.example\n", true),
            (None, r#"{"see": "https://a.example"}"#, false),
            (None, r#"{"$ref": "https://a.example/?data"}"#, true),
            (None, r##"{"$ref": "#/components/schemas/User"}"##, false),
            (None, r#"<!DOCTYPE x SYSTEM "http://a.example/x.dtd">"#, true),
            (
                None,
                r#"<!DOCTYPE x PUBLIC "-//a" 'http://a.example/x.dtd' [<!ENTITY y "z">]>"#,
                true,
            ),
            (None, r#"<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>"#, true),
            (
                None,
                r#"<!DOCTYPE x [ <!ENTITY % y SYSTEM "//a.example/y"> %y; ]>"#,
                true,
            ),
            (None, r#"<!ENTITY y SYSTEM "\\a.example\share">"#, true),
            (None, r#"<!DOCTYPE html><a href="https://a.example">x</a>"#, false),
            (None, svg, false),
            (None, &svg.replace("svg11.dtd", "svg11.dtd?x"), true),
            (None, r#"<x xsi:schemaLocation="urn:n https://a.example/x.xsd"/>"#, true),
            (None, r#"<x xsi:schemaLocation="urn:n x.xsd"/>"#, false),
            (
                None,
                r#"<x xsi:noNamespaceSchemaLocation='&#x68;ttp:&#47;/a.example/x.xsd'/>"#,
                true,
            ),
            (None, r#"<x xsi:noNamespaceSchemaLocation="&host;/x.xsd"/>"#, true),
            (None, r#"<?xml-model href="https://a.example/x.rnc"?>"#, true),
            (
                None,
                r#"<?xml-stylesheet type="text/xsl" href="https://a.example/x.xsl"?>"#,
                true,
            ),
            (None, r#"<xi:include href="https://a.example/x.xml"/>"#, true),
        ] {
            assert_eq!(by_a_look((before, Some(after))).is_some(), asks, "{before:?} {after}");
        }
        assert!(by_a_look((Some(old), None)).is_none());
    }
}
