//! `!!binary`: base64 as the libraries take it.

use crate::verdict::messages;

/// As `base64.decodebytes` of Python: what is no digit is passed over, and a full padding ends it.
pub(super) fn python(text: &str) -> Result<Vec<u8>, String> {
    let mut digits = Vec::new();
    let mut pads = 0;
    for byte in text.bytes() {
        if byte == b'=' {
            pads += 1;
            if digits.len() % 4 >= 2 && digits.len() % 4 + pads >= 4 {
                return Ok(decoded(&digits));
            }
        } else if let Some(digit) = digit(byte) {
            pads = 0;
            digits.push(digit);
        }
    }
    match digits.len() % 4 {
        0 => Ok(decoded(&digits)),
        _ => Err(messages::BASE64.to_owned()),
    }
}

/// As js-yaml: nothing but digits, paddings and line ends, four to a group; `None` for anything else.
pub(super) fn javascript(text: &str) -> Option<Vec<u8>> {
    let all = || text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r'));
    let fits = all().all(|byte| byte == b'=' || digit(byte).is_some()) && all().count() % 4 == 0;
    fits.then(|| decoded(&all().filter_map(digit).collect::<Vec<_>>()))
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// The bytes of six bits each.
fn decoded(digits: &[u8]) -> Vec<u8> {
    let group = |group: &[u8]| {
        let bits = group.iter().fold(0u32, |bits, digit| bits << 6 | u32::from(*digit));
        let [_, bytes @ ..] = (bits << (6 * (4 - group.len()))).to_be_bytes();
        bytes.into_iter().take(group.len() * 6 / 8)
    };
    digits.chunks(4).flat_map(group).collect()
}
