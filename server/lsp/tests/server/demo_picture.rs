//! The picture of the demonstration in the README is what the demonstration prints.
//!
//! `UPDATE_EXPECT=1 cargo test -p skills-ls demo_picture` draws it again.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

use std::fmt::Write;
use std::process::Command;

const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli/demo/picture.svg");
/// How many characters a line of the picture has.
const COLUMNS: usize = 100;
/// The width of a character and the height of a line, in pixels.
const CELL: (f64, f64) = (7.8, 18.0);
const MARGIN: f64 = 16.0;

/// A terminal on light and on dark pages.
const STYLE: &str = "\
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:#1f2328}
rect{fill:#f6f8fa;stroke:#d1d9e0}.c1{font-weight:bold}.c2{fill:#59636e}.c31{fill:#cf222e}.c32{fill:#116329}
.c33{fill:#7d4e00}.c36{fill:#1b5e83}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#0d1117;stroke:#3d444d}.c2{fill:#9198a1}.c31{fill:#ff7b72}
.c32{fill:#7ee787}.c33{fill:#e3b341}.c36{fill:#79c0ff}}
";

#[test]
fn the_picture_shows_what_the_demo_prints() {
    let home = tempfile::tempdir().unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_skills-ls"))
        .arg("demo")
        .env_clear()
        .envs([("HOME", home.path().as_os_str()), ("CLICOLOR_FORCE", "1".as_ref())])
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let expected = picture(&String::from_utf8(ran.stdout).unwrap());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(PICTURE, expected).unwrap();
    } else {
        let picture = std::fs::read_to_string(PICTURE).unwrap_or_default();
        assert!(
            picture == expected,
            "the demo prints something else: draw it again with UPDATE_EXPECT=1\n{expected}"
        );
    }
}

/// The steps of the demonstration, drawn.
fn picture(printed: &str) -> String {
    // Each line has one colour, so where it ends says nothing.
    let printed = printed.replace("\x1b[0m", "");
    let steps = &printed[printed.find("\x1b[1m== ").unwrap()..];
    let steps = steps.split("That was all").next().unwrap().trim_end();
    let lines: Vec<_> = steps.lines().flat_map(wrapped).collect();
    let width = 2.0 * MARGIN + CELL.0 * f64::from(u32::try_from(COLUMNS).unwrap());
    let height = 2.0 * MARGIN + CELL.1 * f64::from(u32::try_from(lines.len()).unwrap());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" role=\"img\" aria-label=\"What skills-ls demo prints\">\n<style>\n{STYLE}</style>\n<rect x=\".5\" y=\".5\" width=\"{}\" \
         height=\"{}\" rx=\"8\"/>\n",
        width - 1.0,
        height - 1.0
    );
    let mut y = MARGIN;
    for (class, text) in lines {
        y += CELL.1;
        if !text.trim().is_empty() {
            let text = text.replace('&', "&amp;").replace('<', "&lt;");
            writeln!(
                svg,
                "<text x=\"{MARGIN}\" y=\"{}\" class=\"c{class}\">{text}</text>",
                y - 5.0
            )
            .unwrap();
        }
    }
    svg + "</svg>\n"
}

/// A line in one colour, broken between words where it is too long.
fn wrapped(line: &str) -> Vec<(&str, String)> {
    let coloured = line.strip_prefix("\x1b[").and_then(|rest| rest.split_once('m'));
    let (class, text) = coloured.unwrap_or(("0", line));
    let mut rows = Vec::new();
    let mut row = String::new();
    for word in text.split_inclusive(' ') {
        if row.chars().count() + word.trim_end().chars().count() > COLUMNS {
            rows.push((class, std::mem::replace(&mut row, "    ".to_owned())));
        }
        row.push_str(word);
    }
    rows.push((class, row));
    rows
}
