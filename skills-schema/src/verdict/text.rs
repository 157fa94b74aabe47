//! Small differences between the standard libraries of the readers' languages.

/// What `str.strip()` and `\s` of Python take for white space.
pub(super) fn is_python_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// What `String.prototype.trim` of JavaScript takes for white space.
pub(super) fn is_javascript_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// `str(float)` of Python.
pub(super) fn python_float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let (mantissa, exponent) = split_exponent(value);
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    format!("{value:?}")
}

/// `str(bytes)` of Python.
pub(super) fn python_bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        '"'
    } else {
        '\''
    };
    let mut text = format!("b{quote}");
    for byte in bytes {
        match byte {
            b'\t' => text += "\\t",
            b'\n' => text += "\\n",
            b'\r' => text += "\\r",
            b'\\' => text += "\\\\",
            b' '..=b'~' if char::from(*byte) == quote => text.extend(['\\', quote]),
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => text += &format!("\\x{byte:02x}"),
        }
    }
    text.push(quote);
    text
}

/// `String(number)` of JavaScript.
pub(super) fn javascript_number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".to_owned();
    }
    if !(1e-6..1e21).contains(&magnitude) {
        let (mantissa, exponent) = split_exponent(value);
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{}", exponent.abs());
    }
    format!("{value}")
}

/// The shortest digits that read back as the number, and the power of ten.
fn split_exponent(value: f64) -> (String, i32) {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}
