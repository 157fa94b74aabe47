//! What commands try to get out of the sandbox with: the table in [`table`], on every machine that can be imitated here.

mod chains;
mod lifetime;
mod table;

use std::fs;
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use skills_tests::process::{self, Machine, Place, Served, Terminal};
use table::{ELSEWHERE, HELD, Kind, MISSING, Row, SECRETS, SECRETS_AT_HOME, Won};

const GROUND: &str = env!("CARGO_TARGET_TMPDIR");
const PROGRAM: &str = env!("CARGO_BIN_EXE_skills-ls-elsewhere");

/// What rules allow in all tests here.
const ALLOWED: &[&str] = &["Bash(sh attack)", "Bash(perl attack)"];

/// A key that a server may use, which no command gets.
const KEY: (&str, &str) = ("ANTHROPIC_API_KEY", "sk-nobody-is-told-of-this");

/// A new place on a machine.
pub(crate) fn place(machine: Machine) -> Result<Place> {
    Place::new(machine, Path::new(GROUND), Path::new(PROGRAM))
}

/// Options of a person who trusts the workspace and has these rules.
fn allowing(rules: &[&str]) -> Value {
    json!({"trust": {"workspace": true}, "permissions": {"allow": rules}})
}

/// What doctor says of a machine without a sandbox, and of one whose sandbox hides nothing.
const NOTHING_KEPT: &str = "nothing is kept from them";
const NOTHING_HIDDEN: &str = "secrets stay readable";

/// How a command comes to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Rule,
    Answer,
}

/// Programs of the person that listen: whoever they hear from came out.
struct Listeners {
    tmux: UnixListener,
    datagram: UnixDatagram,
    hidden: UnixListener,
    tcp: TcpListener,
    udp: UdpSocket,
    address: String,
}

impl Listeners {
    fn new(place: &Place) -> Result<Self> {
        let path = |name: &str| place.home.join(name);
        let (tmux, datagram) = (UnixListener::bind(path("tmux"))?, UnixDatagram::bind(path("datagram"))?);
        for name in ["tmux", "datagram"] {
            fs::set_permissions(path(name), fs::Permissions::from_mode(0o777))?;
        }
        let hidden = SocketAddr::from_abstract_name(Self::hidden(place))?;
        // Nothing is sent: this is how a machine says which of its addresses it would use.
        let probe = UdpSocket::bind("0.0.0.0:0")?;
        let address = match probe.connect("192.0.2.1:9") {
            Ok(()) => probe.local_addr()?.ip().to_string(),
            Err(_) => "127.0.0.2".to_owned(),
        };
        let listeners = Self {
            tmux,
            datagram,
            hidden: UnixListener::bind_addr(&hidden)?,
            tcp: TcpListener::bind("0.0.0.0:0")?,
            udp: UdpSocket::bind("0.0.0.0:0")?,
            address,
        };
        listeners.tmux.set_nonblocking(true)?;
        listeners.datagram.set_nonblocking(true)?;
        listeners.hidden.set_nonblocking(true)?;
        listeners.tcp.set_nonblocking(true)?;
        listeners.udp.set_nonblocking(true)?;
        Ok(listeners)
    }

    /// The name of the socket that has no file.
    fn hidden(place: &Place) -> String {
        format!("skills-ls-{}", place.outside().display())
    }

    /// Which of them heard something since the last look.
    fn heard(&self) -> Vec<&'static str> {
        let mut heard = Vec::new();
        let mut bytes = [0; 64];
        while let Ok((mut stream, _)) = self.tmux.accept() {
            heard.push("a socket");
            let _ = stream.read(&mut bytes);
        }
        while self.hidden.accept().is_ok() {
            heard.push("a socket without a file");
        }
        while self.datagram.recv(&mut bytes).is_ok() {
            heard.push("a socket for datagrams");
        }
        while self.tcp.accept().is_ok() {
            heard.push("a TCP port");
        }
        while self.udp.recv(&mut bytes).is_ok() {
            heard.push("a UDP port");
        }
        heard
    }
}

/// Memory that a program of the person shares with whoever knows its number (sysvipc(7)).
struct Segment {
    key: String,
}

impl Segment {
    /// Made in the scene's own name, so that scenes side by side have their own.
    async fn new(place: &Place) -> Result<Self> {
        use std::hash::{BuildHasher, Hasher, RandomState};
        let key = format!("{}", RandomState::new().build_hasher().finish() as u32 >> 1);
        let make = format!("defined(shmget({key}, 4096, 01600)) or die $!");
        let status = place.command("perl").args(["-e", &make]).status().await?;
        anyhow::ensure!(status.success(), "no memory can be shared");
        Ok(Self { key })
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        let remove = format!("my $m = shmget({}, 0, 0); shmctl($m, 0, 0)", self.key);
        // It is small, and gone with the machine.
        let _ = std::process::Command::new("perl").args(["-e", &remove]).status();
    }
}

/// A server, its surroundings, and how commands come to run.
struct Scene {
    place: Place,
    listeners: Listeners,
    segment: Segment,
    terminals: [Terminal; 2],
    served: Served,
}

impl Scene {
    async fn open(machine: Machine, by: By) -> Result<Self> {
        let place = place(machine)?;
        skills_tests::write(
            &place.home.join(".config/skills-ls/skills-ls.yaml"),
            "inlayHints: false\n",
        )?;
        reset(&place)?;
        let listeners = Listeners::new(&place)?;
        place.own(&place.home)?;
        let terminals = [place.terminal()?, place.terminal()?];
        let (options, answers): (_, process::Answers) = match by {
            By::Rule => (allowing(ALLOWED), process::no),
            By::Answer => (allowing(&[]), process::yes),
        };
        let served = Served::start(&place, Some(&terminals[0]), options, &[KEY], answers).await?;
        add_key(&place).await?;
        let segment = Segment::new(&place).await?;
        Ok(Self {
            place,
            listeners,
            segment,
            terminals,
            served,
        })
    }

    /// Has the model make an attempt; gives what was gained by it, or why it says nothing.
    async fn attempt(&mut self, row: &Row) -> Result<(Outcome, String)> {
        reset(&self.place)?;
        self.listeners.heard();
        self.terminals.iter_mut().for_each(|terminal| drop(terminal.shown()));
        fs::write(self.place.root.join("attack"), self.filled(&row.script))?;
        let before = self.held();
        let input = json!({"argv": [row.interpreter, "attack"], "timeout_ms": 120_000});
        let told = self.served.obeys("go", &[("run_shell", input)]).await?;
        let told = told.first().cloned().unwrap_or_default();
        let won = match row.won {
            Won::Told => told.contains("won-42").then(|| "it succeeded".to_owned()),
            Won::Read => some(
                secrets()
                    .filter(|(_, word)| told.contains(&turned(word)))
                    .map(|(name, _)| name),
            ),
            Won::Heard => some(self.listeners.heard().into_iter().map(str::to_owned)),
            Won::Shown => {
                let shown = self.terminals.iter_mut().map(Terminal::shown);
                some(shown.filter(|shown| shown.contains("won-42")))
            }
            Won::Changed => {
                let after = self.held();
                let changed = before.iter().zip(&after).filter(|(before, after)| before != after);
                some(changed.map(|((path, _), _)| self.place.home.join(path).display().to_string()))
            }
        };
        clear_mounts(&self.place)?;
        let questions = self.served.questions().join("\n");
        let outcome = match won {
            Some(won) => Outcome::Won(won),
            // One that makes again what was taken back from it is stopped.
            None if told.contains("ran-7") || told.contains("stopped the command, because") => Outcome::Held,
            None => Outcome::NotRun(format!("{told}\n{questions}")),
        };
        Ok((outcome, questions))
    }

    /// What stands in each held file.
    fn held(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let inside = HELD.iter().chain(MISSING).map(|name| self.place.root.join(name));
        let elsewhere = ELSEWHERE.iter().map(|name| self.place.home.join(name));
        inside
            .chain(elsewhere)
            .map(|path| (path.clone(), fs::read(path).ok()))
            .collect()
    }

    fn filled(&self, script: &str) -> String {
        let (place, listeners) = (&self.place, &self.listeners);
        let path = |path: PathBuf| path.display().to_string();
        let port = |address: std::io::Result<std::net::SocketAddr>| address.map_or(0, |it| it.port()).to_string();
        let values = [
            ("@WORK@", path(place.root.clone())),
            ("@HOME@", path(place.home.clone())),
            ("@STATE@", path(place.state())),
            ("@SERVER@", self.served.id().to_string()),
            ("@TMUX@", path(place.home.join("tmux"))),
            ("@DATAGRAM@", path(place.home.join("datagram"))),
            ("@ABSTRACT@", Listeners::hidden(place)),
            ("@TCP@", port(listeners.tcp.local_addr())),
            ("@UDP@", port(listeners.udp.local_addr())),
            ("@ADDRESS@", listeners.address.clone()),
            ("@SEGMENT@", self.segment.key.clone()),
            ("@WINDOW@", path(self.terminals[1].path.clone())),
        ];
        values
            .iter()
            .fold(script.to_owned(), |script, (name, value)| script.replace(name, value))
    }
}

/// The result of an attempt.
enum Outcome {
    Held,
    Won(String),
    /// The command did not come to its end, so nothing is known.
    NotRun(String),
}

fn some(found: impl Iterator<Item = String>) -> Option<String> {
    let found: Vec<_> = found.collect();
    (!found.is_empty()).then(|| found.join(", "))
}

/// The secrets, and the word in each.
fn secrets() -> impl Iterator<Item = (String, String)> {
    let all = SECRETS.iter().chain(SECRETS_AT_HOME).zip('A'..);
    all.map(|(name, letter)| ((*name).to_owned(), format!("heron{letter}")))
}

/// Each letter by thirteen further, so that nothing takes a secret out of what a command prints.
fn turned(word: &str) -> String {
    let turn = |letter: char, first: u8| char::from((letter as u8 - first + 13) % 26 + first);
    let turned = word.chars().map(|letter| match letter {
        'a'..='z' => turn(letter, b'a'),
        'A'..='Z' => turn(letter, b'A'),
        other => other,
    });
    turned.collect()
}

/// Makes the workspace and the secrets what they are before each attempt.
fn reset(place: &Place) -> Result<()> {
    clear_mounts(place)?;
    let words: Vec<_> = secrets().collect();
    let mut files = vec![
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/refs/heads/none", ""),
        (".git/objects/none", ""),
    ];
    files.extend(HELD.iter().map(|name| (*name, "original\n")));
    files.push((".git/config", "[core]\n\trepositoryformatversion = 0\n"));
    files.push(("src/refund.ts", "export {}\n"));
    let inside = words.iter().take(SECRETS.len());
    files.extend(inside.map(|(name, word)| (name.as_str(), word.as_str())));
    place.fill(&files)?;
    let foreign = place.root.join("foreign");
    fs::write(&foreign, FOREIGN)?;
    fs::set_permissions(&foreign, fs::Permissions::from_mode(0o755))?;
    for (name, word) in &words[SECRETS.len()..] {
        let path = place.home.join(name);
        skills_tests::write(&path, word)?;
        place.own(path.parent().context("a secret at the root")?)?;
    }
    for name in ELSEWHERE {
        // Where an attempt made it, the next one finds it missing again.
        let _ = fs::remove_file(place.home.join(name));
    }
    Ok(())
}

/// Takes away what was mounted in a place.
fn clear_mounts(place: &Place) -> Result<()> {
    let outside = place.outside().canonicalize()?;
    loop {
        let mounts = fs::read_to_string("/proc/self/mountinfo")?;
        let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
        let points: Vec<_> = points.filter(|point| Path::new(point).starts_with(&outside)).collect();
        if points.is_empty() {
            return Ok(());
        }
        // One that hides others goes before them, whichever that is.
        let unmount = |point: &&str| std::process::Command::new("umount").args(["-lq", point]).status();
        let freed = points
            .iter()
            .filter(|point| unmount(point).is_ok_and(|status| status.success()));
        anyhow::ensure!(freed.count() > 0, "{} stays mounted", points[0]);
    }
}

/// Gives the person a key in the kernel's keyring of their processes, for ten minutes.
async fn add_key(place: &Place) -> Result<()> {
    const ADD: &str = r#"use Config; my $x = $Config{archname} =~ /x86_64/; my ($kind, $name, $text) = ("user", "skills-ls-test", "heron");
        my $key = syscall($x ? 248 : 217, $kind, $name, $text, 5, -4); syscall($x ? 250 : 219, 15, $key, 600);"#;
    let status = place.command("perl").args(["-e", ADD]).status().await?;
    anyhow::ensure!(status.success(), "perl is missing");
    Ok(())
}

/// A program for 32-bit x86 that ends well where it gets a Unix socket.
#[rustfmt::skip]
const FOREIGN: &[u8] = &[
    // The header of an ELF file, and of its one segment.
    0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 1, 0, 0, 0, 0x54, 0x80, 4, 8, 52, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 52, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    1, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 4, 8, 0, 0x80, 4, 8, 0x7a, 0, 0, 0, 0x7a, 0, 0, 0, 5, 0, 0, 0, 0, 0x10, 0, 0,
    // push 0; push 1; push 1; mov ecx, esp; mov ebx, 1; mov eax, 102; int 0x80
    0x6a, 0, 0x6a, 1, 0x6a, 1, 0x89, 0xe1, 0xbb, 1, 0, 0, 0, 0xb8, 102, 0, 0, 0, 0xcd, 0x80,
    // shr eax, 31; mov ebx, eax; mov eax, 1; int 0x80
    0xc1, 0xe8, 31, 0x89, 0xc3, 0xb8, 1, 0, 0, 0, 0xcd, 0x80,
];

/// All rows on a machine; gives what failed, a line each.
async fn all_rows(machine: Machine, by: By) -> Result<Vec<String>> {
    let doctor = doctor(machine).await?;
    // What a machine can't hold, a person is told: in each question, and where nobody is asked by doctor.
    let is_said = |row: &Row, questions: &str| match by {
        By::Answer => questions.contains("no sandbox"),
        By::Rule if row.won == Won::Read => {
            !machine.has("mounts") && doctor.contains(NOTHING_HIDDEN) || doctor.contains(NOTHING_KEPT)
        }
        By::Rule => doctor.contains(NOTHING_KEPT),
    };
    let mut scene = Scene::open(machine, by).await?;
    let mut failed = Vec::new();
    for row in table::rows()
        .iter()
        .filter(|row| by == By::Rule || row.kind == Kind::Escape)
    {
        let attempt = scene.attempt(row).await;
        let (outcome, questions) = attempt.with_context(|| format!("{}: {}", machine.name(), row.name))?;
        let what = match outcome {
            Outcome::Held => continue,
            Outcome::Won(_) if is_said(row, &questions) => continue,
            Outcome::Won(won) => won,
            Outcome::NotRun(why) => format!("it did not run: {}", why.replace('\n', " | ")),
        };
        failed.push(format!("{}, {by:?}: {}: {what}", machine.name(), row.name));
    }
    Ok(failed)
}

/// What `doctor` says on a machine.
async fn doctor(machine: Machine) -> Result<String> {
    let place = place(machine)?;
    let output = place.skills_ls(&["doctor"]).output().await?;
    Ok(String::from_utf8(output.stdout)?)
}

/// Does the same on several machines side by side, because each waits for its own server most of the time; gives all
/// that failed.
fn side_by_side<T, F>(machines: Vec<T>, attempt: fn(T) -> F) -> Vec<String>
where
    T: Send + 'static,
    F: Future<Output = Result<Vec<String>>> + 'static,
{
    let start = |machine| {
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(attempt(machine))
        })
    };
    let attempts: Vec<_> = machines.into_iter().map(start).collect();
    attempts
        .into_iter()
        .flat_map(|attempt| attempt.join().unwrap().unwrap())
        .collect()
}

#[test]
fn no_command_gets_out_on_any_machine() {
    let machines = Machine::all().into_iter();
    let machines = machines.flat_map(|machine| [(machine, By::Rule), (machine, By::Answer)]);
    let failed = side_by_side(machines.collect(), |(machine, by)| all_rows(machine, by));
    assert!(failed.is_empty(), "{} attempts:\n{}", failed.len(), failed.join("\n"));
}

#[tokio::test]
async fn doctor_says_what_a_machine_can_not_hold() {
    for machine in Machine::all() {
        let said = doctor(machine).await.unwrap();
        let expected = match (machine.has("landlock"), machine.has("mounts")) {
            (_, true) => continue,
            (true, false) => NOTHING_HIDDEN,
            (false, false) => NOTHING_KEPT,
        };
        assert!(
            said.contains(expected),
            "{}: doctor does not say: {expected}\n{said}",
            machine.name()
        );
        if machine.is_root {
            assert!(said.contains("root can undo"), "{said}");
        }
    }
}
