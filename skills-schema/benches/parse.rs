//! How long a keystroke takes: reading a file and checking it.

use std::{hint::black_box, sync::Arc};

use criterion::{Criterion, criterion_group, criterion_main};
use skills_schema::{
    facts::Facts,
    rules::{self, Pass},
    syntax::SkillFile,
    verdict::verdicts,
};

/// A skill as people write them, with a body of so many lines.
fn skill(lines: usize) -> Arc<str> {
    let frontmatter = "---\nname: deploy\ndescription: Deploys the service to staging and production. Use when the user \
                       asks to ship, release or roll back.\nallowed-tools: Bash(git:*), Read\nmetadata:\n  author: someone\n  \
                       version: \"1.2\"\npaths:\n  - src/**/*.rs\n  - \"*.toml\"\n---\n\n# Deploy\n\n";
    let line = "Run `make release` and read [the notes](references/notes.md) before you go on with $ARGUMENTS.\n";
    format!("{frontmatter}{}", line.repeat(lines)).into()
}

/// A skill with everything that a body may hold.
fn rich(lines: usize) -> Arc<str> {
    let section = "## Step\n\nRun `make release`, then read [the notes](references/notes.md) of $issue.\n\n- one thing\n- \
                   another with `scripts/run.sh`\n\n```sh\nmake release\n```\n\nState: !`git status`\n\n";
    let body = section.repeat(lines.div_ceil(section.lines().count()));
    let head = skill(0).replace("---\n\n# ", "arguments: issue\n---\n\n# ");
    format!("{head}{body}").into()
}

fn parse_and_check(criterion: &mut Criterion) {
    let facts = Facts::of_path(".claude/skills/deploy/SKILL.md");
    let broken: Arc<str> = skill(300).replace("Use when the", "Use when: the").into();
    let texts = [
        ("300 lines", skill(300)),
        ("300 lines with arguments and commands", rich(300)),
        ("2,000 lines", skill(2_000)),
        ("2,000 lines with arguments and commands", rich(2_000)),
        ("20,000 lines", skill(20_000)),
        ("20,000 lines with arguments and commands", rich(20_000)),
        ("300 lines, unquoted colon", broken),
    ];
    for (name, text) in &texts {
        criterion.bench_function(&format!("parse and check, {name}"), |bencher| {
            bencher.iter(|| {
                let file = SkillFile::parse(black_box(text.clone()));
                black_box(rules::check(&file, &facts).len())
            });
        });
    }
    for (name, text) in &texts {
        criterion.bench_function(&format!("the tree of the body, {name}"), |bencher| {
            bencher.iter(|| {
                let file = SkillFile::parse(black_box(text.clone()));
                black_box(file.markdown().blocks.len())
            });
        });
    }
}

/// A skill with something wrong in each section.
fn faulty(lines: usize) -> String {
    let section = "## Step\n\nRun `npx deploy-it`, then read [the notes](http://example.com/notes.md).\n- Every refund is \
                   checked against the charge.\n- Its path is `scripts\\run.sh`.\n```sh\nmake release\n```\n\n";
    skill(0).to_string() + &section.repeat(lines.div_ceil(section.lines().count()))
}

/// A letter is typed in the middle of the body, and taken back.
fn type_in_body(criterion: &mut Criterion) {
    let facts = Facts::of_path(".claude/skills/deploy/SKILL.md");
    for lines in [300, 2_000, 20_000] {
        let text = faulty(lines);
        let at = text[..text.len() / 2].rfind("Every").unwrap_or_default();
        let typed: Arc<str> = format!("{}x{}", &text[..at], &text[at..]).into();
        let texts = [Arc::from(text), typed];
        let mut earlier = SkillFile::parse(texts[0].clone());
        earlier.markdown();
        let mut turn = 0;
        criterion.bench_function(&format!("type in the body and check, {lines} lines"), |bencher| {
            bencher.iter(|| {
                turn += 1;
                let mut file = SkillFile::parse(black_box(texts[turn % 2].clone()));
                file.follow(&earlier);
                black_box(rules::report(&file, &facts, Pass::Text).len());
                earlier = file;
            });
        });
    }
}

/// What the hover and `check --format json` need beyond that.
fn judge(criterion: &mut Criterion) {
    let facts = Facts::of_path(".claude/skills/deploy/SKILL.md");
    let file = SkillFile::parse(skill(300));
    criterion.bench_function("verdicts of all systems", |bencher| {
        bencher.iter(|| black_box(verdicts(black_box(&file), &facts).len()));
    });
}

criterion_group!(benches, parse_and_check, type_in_body, judge);
criterion_main!(benches);
