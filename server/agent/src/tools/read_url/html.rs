//! The text of a page, roughly as a person reads it.

/// Elements whose content is not read.
const HIDDEN: &[&str] = &[
    "script", "style", "noscript", "svg", "template", "iframe", "title", "nav",
];

/// Elements that begin a line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "li",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tr",
    "ul",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
];

const ENTITIES: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("copy", "©"),
];

/// The text without tags, comments and scripts. Never fails, whatever the text.
pub(super) fn to_text(html: &str) -> String {
    let mut out = Text::default();
    let mut rest = html;
    // Behind the last `>` there are no tags; each `<` there would be looked for its end up to the page's.
    let last = html.rfind('>').unwrap_or(0);
    while let Some(at) = rest.find('<').filter(|at| html.len() - rest.len() + at < last) {
        out.push(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        let name = rest[1..].trim_start_matches('/');
        let name: String = name.chars().take_while(char::is_ascii_alphanumeric).collect();
        let is_tag = !name.is_empty() || rest[1..].starts_with(['!', '?']);
        let Some(end) = is_tag.then(|| tag_end(rest)).flatten() else {
            out.push("<");
            rest = &rest[1..];
            continue;
        };
        let closes = rest.starts_with("</");
        let name = name.to_ascii_lowercase();
        rest = &rest[end..];
        if !closes && HIDDEN.contains(&name.as_str()) {
            rest = after_element(rest, &name);
        } else {
            out.tag(&name, closes);
        }
    }
    out.push(rest);
    out.finish()
}

#[derive(Default)]
struct Text {
    text: String,
    preformatted: usize,
}

impl Text {
    fn push(&mut self, piece: &str) {
        let piece = decoded(piece);
        if self.preformatted > 0 {
            self.text.push_str(&piece);
            return;
        }
        for c in piece.chars() {
            if !c.is_whitespace() {
                self.text.push(c);
            } else if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
                self.text.push(' ');
            }
        }
    }

    fn tag(&mut self, name: &str, closes: bool) {
        if !BLOCKS.contains(&name) {
            if matches!(name, "td" | "th") {
                self.push(" ");
            }
            return;
        }
        let length = self.text.trim_end_matches(' ').len();
        self.text.truncate(length);
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        match (name, closes) {
            ("pre", false) => self.preformatted += 1,
            ("pre", true) => self.preformatted = self.preformatted.saturating_sub(1),
            ("li", false) => self.text.push_str("- "),
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => {
                let level = name[1..].parse().unwrap_or(1);
                self.text.push_str(&"#".repeat(level));
                self.text.push(' ');
            }
            _ => {}
        }
    }

    fn finish(self) -> String {
        self.text.trim().to_owned()
    }
}

/// The end of the tag at the beginning, a `>` in quotes aside.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices().skip(1) {
        match (quote, c) {
            (None, '>') => return Some(at + 1),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    // A quote that nothing closes.
    text.find('>').map(|at| at + 1)
}

fn after_element<'a>(text: &'a str, name: &str) -> &'a str {
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let begin = from + at + 2;
        let is_it = text
            .get(begin..begin + name.len())
            .is_some_and(|it| it.eq_ignore_ascii_case(name));
        if is_it {
            return text[begin..].split_once('>').map_or("", |(_, rest)| rest);
        }
        from = begin;
    }
    ""
}

fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match entity(rest) {
            Some((meaning, length)) => {
                out.push_str(&meaning);
                rest = &rest[length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn entity(text: &str) -> Option<(String, usize)> {
    let end = text.bytes().take(12).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let meaning = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?.to_string()
        }
        None => ENTITIES.iter().find(|(known, _)| *known == name)?.1.to_owned(),
    };
    Some((meaning, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages() {
        for (html, expected) in [
            (
                "<h2>A &amp; B</h2><p>one\n two</p><p>three</p>",
                "## A & B\n\none two\n\nthree",
            ),
            ("<ul><li>a</li><li>b</li></ul>", "- a\n\n- b"),
            (
                "x<script>if (a < b) '</p>'</script>y<style>p{}</style><!-- c -->z",
                "xyz",
            ),
            ("<pre>a\n  b</pre>", "a\n  b"),
            ("<a title=\"a > b\" href='x'>link</a>", "link"),
            ("1 < 2 &lt; &#51; &#x34; &nope; &", "1 < 2 < 3 4 &nope; &"),
            ("<p", "<p"),
            ("<script>never closed", ""),
            ("<é>&é;", "<é>&é;"),
        ] {
            assert_eq!(to_text(html), expected, "{html}");
        }
    }

    #[test]
    fn a_page_that_is_made_to_cost_is_read_in_no_time() {
        let most = super::super::MAX_BODY_BYTES;
        for (begin, piece, end) in [
            ("", "<a", ""),
            ("", "<a \"", ""),
            ("", "<a '\"", ">"),
            ("<p>", "<script", ""),
            ("", "</", ">"),
            ("<script>", "</", ""),
            ("", "<pre> ", ""),
            ("", "&", ";"),
        ] {
            let page = format!("{begin}{}{end}", piece.repeat(most / piece.len()));
            assert!(to_text(&page).len() <= page.len() * 2, "{piece}");
        }
    }
}
