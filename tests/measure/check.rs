//! Measures the check of many files, the whole process, beside other programs. Prints; judges nothing.
//!
//! Arguments: the folder, then the other programs, each with its options in one argument.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

const RUNS: usize = 11;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().context("which folder is checked?")?);
    ensure!(folder.is_dir(), "{} is no folder", folder.display());
    let own = std::env::current_exe()?.with_file_name("skills-ls");
    ensure!(own.exists(), "{} is missing: run tests/bench", own.display());
    let commands = [format!("{} check", own.display())].into_iter().chain(arguments);
    println!(
        "{:<52}{:>9}{:>9}",
        "Milliseconds of a whole process", "median", "slowest"
    );
    for command in commands {
        let mut words = command.split(' ');
        let program = words.next().unwrap_or_default();
        let mut times = Vec::new();
        for run in 0..=RUNS {
            let begin = Instant::now();
            Command::new(program)
                .args(words.clone())
                .arg(&folder)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .with_context(|| format!("{program} does not start"))?;
            // The first run fills the system's caches.
            if run > 0 {
                times.push(begin.elapsed().as_secs_f64() * 1e3);
            }
        }
        times.sort_by(f64::total_cmp);
        let name = command.rsplit('/').next().unwrap_or(&command);
        println!("{name:<52}{:>9.1}{:>9.1}", times[RUNS / 2], times[RUNS - 1]);
    }
    Ok(())
}
