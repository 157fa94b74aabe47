//! The built server in a process of its own, as an ordinary user or as root, on a machine that may lack something, with
//! a model that does whatever it is told to do.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, chown, lchown};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use skills_ls::headless::Editor;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::write;

/// An ordinary user whom no machine has.
const ORDINARY: u32 = 54_321;
/// Makes all of the machine's files unchangeable but those below a folder, for what it starts: attacks of root that
/// succeed do no harm elsewhere.
const GUARD: &str = r#"
while read -r _ _ _ _ point _; do
    case $point in
        /proc | /proc/* | /sys | /sys/* | /dev | /dev/*) ;;
        *) mount -o remount,bind,ro "$point" || exit 71 ;;
    esac
done < /proc/self/mountinfo
mount -t tmpfs none /tmp && mount -t tmpfs none /var/tmp || exit 71
mount --bind "$1" "$1" && mount -o remount,bind,rw "$1" || exit 71
cd "$2" && shift 2 && exec "$@"
"#;

/// Far longer than any turn of a test takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// A machine, and who starts the server on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Whether it is root who starts it.
    pub is_root: bool,
    /// What the kernel lacks: `landlock`, `namespaces`, or `mounts` where namespaces come without the right to mount.
    pub lacks: &'static [&'static str],
}

impl Machine {
    /// Every machine that can be imitated by who runs the tests: root is an ordinary user too.
    pub fn all() -> Vec<Self> {
        const LACKS: &[&[&str]] = &[
            &[],
            &["landlock"],
            &["namespaces"],
            &["mounts"],
            &["landlock", "namespaces"],
        ];
        let who = if is_root() { &[false, true][..] } else { &[false] };
        let machines = who.iter().flat_map(|is_root| {
            LACKS.iter().map(|lacks| Self {
                is_root: *is_root,
                lacks,
            })
        });
        machines.collect()
    }

    /// Whether its kernel lacks nothing.
    pub fn is_whole(&self) -> bool {
        self.lacks.is_empty()
    }

    /// Whether its kernel has something.
    pub fn has(&self, what: &str) -> bool {
        // Who makes no namespace mounts nothing in one.
        let without = |lack: &str| self.lacks.contains(&lack);
        !(without(what) || what == "mounts" && without("namespaces"))
    }

    /// How a test names it.
    pub fn name(&self) -> String {
        let who = if self.is_root { "root" } else { "user" };
        match self.lacks {
            [] => who.to_owned(),
            lacks => format!("{who} without {}", lacks.join(" and ")),
        }
    }
}

/// Whether root runs this test.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A home folder with a workspace in it, outside of the folders for temporary files, and who owns it.
pub struct Place {
    folder: TempDir,
    /// The home folder.
    pub home: PathBuf,
    /// The workspace, a folder of the home folder.
    pub root: PathBuf,
    /// The machine that it is on.
    pub machine: Machine,
    program: PathBuf,
}

impl Place {
    /// A new place below `ground` for a built program; where others can't enter either, the place is below `/opt`, and
    /// has a copy of the program.
    ///
    /// # Errors
    /// Where it can't be made.
    pub fn new(machine: Machine, ground: &Path, program: &Path) -> Result<Self> {
        let open = |path: &Path| {
            path.ancestors()
                .all(|folder| folder.metadata().is_ok_and(|it| it.mode() & 1 == 1))
        };
        let must_be_open = is_root() && !machine.is_root;
        // Commands may write to temporary folders, so a place in one proves nothing.
        let is_temporary = [Path::new("/tmp"), Path::new("/var/tmp"), &std::env::temp_dir()]
            .iter()
            .any(|folder| ground.starts_with(folder));
        let ground = match (is_root() && is_temporary) || (must_be_open && !open(ground)) {
            true => Path::new("/opt"),
            false => ground,
        };
        let folder = tempfile::Builder::new().prefix("at-").tempdir_in(ground)?;
        let home = folder.path().canonicalize()?.join("home");
        let root = home.join("shop");
        fs::create_dir_all(&root)?;
        let mut place = Self {
            program: program.to_owned(),
            folder,
            home,
            root,
            machine,
        };
        if (is_root() && is_temporary) || (must_be_open && !open(program)) {
            place.program = place.folder.path().join("skills-ls");
            // By a process of its own: one that we start meanwhile would hold the file open, which then can't be run.
            let copied = std::process::Command::new("cp")
                .args([program, &place.program])
                .status()?;
            anyhow::ensure!(copied.success(), "{} can't be copied", program.display());
        }
        place.own(place.folder.path())?;
        Ok(place)
    }

    /// The folder around the home folder, which is the test's own.
    pub fn outside(&self) -> &Path {
        self.folder.path()
    }

    /// Where the server keeps its state.
    pub fn state(&self) -> PathBuf {
        self.home.join(".local/state/skills-ls")
    }

    /// Makes the workspace hold these files and nothing else.
    ///
    /// # Errors
    /// Where one can't be written.
    pub fn fill(&self, files: &[(&str, &str)]) -> Result<()> {
        for entry in fs::read_dir(&self.root)? {
            let path = entry?.path();
            match path.symlink_metadata()?.is_dir() {
                true => fs::remove_dir_all(&path)?,
                false => fs::remove_file(&path)?,
            }
        }
        for (name, text) in files {
            write(&self.root.join(name), text)?;
        }
        self.own(&self.root)
    }

    /// Gives a file, or a folder with all that is in it, to who starts the server.
    ///
    /// # Errors
    /// Where it can't be given.
    pub fn own(&self, path: &Path) -> Result<()> {
        let Some(owner) = self.user() else { return Ok(()) };
        lchown(path, Some(owner), Some(owner))?;
        if path.symlink_metadata()?.is_dir() {
            for entry in fs::read_dir(path)? {
                self.own(&entry?.path())?;
            }
        }
        Ok(())
    }

    /// Who starts the server, where that is somebody else than who runs the test.
    fn user(&self) -> Option<u32> {
        (is_root() && !self.machine.is_root).then_some(ORDINARY)
    }

    /// A program, started by who starts the server, in the workspace.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.root)
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .env("HOME", &self.home)
            .kill_on_drop(true);
        if let Some(user) = self.user() {
            command.uid(user).gid(user);
        }
        command
    }

    /// skills-ls on this machine.
    pub fn skills_ls(&self, arguments: &[&str]) -> Command {
        let mut command = match self.machine.is_root {
            true => {
                let mut command = self.command("unshare");
                command.args(["--mount", "--propagation", "private", "sh", "-c", GUARD, "guard"]);
                command.args([self.outside(), &self.root, &self.program]);
                command
            }
            false => self.command(&self.program),
        };
        command.args(arguments);
        if !self.machine.is_whole() {
            command.env("SKILLS_TEST_LACKS", self.machine.lacks.join(","));
        }
        command
    }

    /// A terminal that belongs to who starts the server.
    ///
    /// # Errors
    /// Where there is none to be had.
    pub fn terminal(&self) -> Result<Terminal> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let path = PathBuf::from(ptsname(&master, Vec::new())?.into_string()?);
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let own = rustix::fs::open(&path, flags, Mode::empty())?;
        if let Some(user) = self.user() {
            chown(&path, Some(user), None)?;
        }
        rustix::fs::fcntl_setfl(&master, OFlags::NONBLOCK)?;
        Ok(Terminal {
            path,
            master: File::from(master),
            _open: File::from(own),
        })
    }
}

/// A terminal, from the side of who looks at it.
pub struct Terminal {
    /// Where programs find it.
    pub path: PathBuf,
    master: File,
    /// One of us has it open, so that it stays.
    _open: File,
}

impl Terminal {
    /// What was shown since the last look.
    pub fn shown(&mut self) -> String {
        let mut shown = Vec::new();
        // It ends with the error that there is nothing more now.
        let _ = self.master.read_to_end(&mut shown);
        String::from_utf8_lossy(&shown).into_owned()
    }
}

/// What a person says to each question.
pub type Answers = fn(&str, &Value) -> Option<Value>;

/// A person who closes each question.
pub fn nothing(method: &str, _: &Value) -> Option<Value> {
    answered(method, || json!({"outcome": {"outcome": "cancelled"}}))
}

/// A person who says no.
pub fn no(method: &str, params: &Value) -> Option<Value> {
    answered(method, || chosen(params, "reject_once"))
}

/// A person who says yes, once.
pub fn yes(method: &str, params: &Value) -> Option<Value> {
    answered(method, || chosen(params, "allow_once"))
}

fn answered(method: &str, answer: impl Fn() -> Value) -> Option<Value> {
    match method {
        "skills/lm/request" => Some(json!({"accepted": true})),
        "skills/permission/request" => Some(answer()),
        _ => None,
    }
}

fn chosen(params: &Value, kind: &str) -> Value {
    let options = params["options"].as_array().into_iter().flatten();
    let mut options = options.filter(|option| option["kind"] == kind);
    match options.next() {
        Some(option) => json!({"outcome": {"outcome": "selected", "optionId": option["optionId"]}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    }
}

/// A server that runs, and its editor, whose model is the test.
pub struct Served {
    /// The editor.
    pub editor: Editor,
    /// The server.
    pub server: Child,
}

impl Served {
    /// Starts the server in a terminal, with options and further environment variables.
    ///
    /// # Errors
    /// Where it does not start.
    pub async fn start(
        place: &Place,
        terminal: Option<&Terminal>,
        mut options: Value,
        variables: &[(&str, &str)],
        answers: Answers,
    ) -> Result<Self> {
        let mut command = place.skills_ls(&["lsp"]);
        command
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(place.outside().join("server.log"))?);
        if let Some(terminal) = terminal {
            command.env("SKILLS_TEST_TERMINAL", &terminal.path);
        }
        let mut server = command.spawn()?;
        let (output, input) = (server.stdout.take(), server.stdin.take());
        let (output, input) = (output.context("no output")?, input.context("no input")?);
        let mut editor = Editor::new(output, input);
        editor.answer = answers;
        let mut capabilities = crate::capabilities();
        capabilities["experimental"]["skillsAgent"]["lm"] = json!({});
        options["model"] = json!({"provider": "editor"});
        let began = editor.initialize(&place.root, capabilities, options).await;
        began.with_context(|| fs::read_to_string(place.outside().join("server.log")).unwrap_or_default())?;
        Ok(Self { editor, server })
    }

    /// The server's process.
    pub fn id(&self) -> u32 {
        self.server.id().unwrap_or_default()
    }

    /// Says something; gives the model's first request of the turn.
    ///
    /// # Errors
    /// Where the server ends, or nothing happens.
    pub async fn says(&mut self, text: &str) -> Result<Value> {
        let prompt = json!({"prompt": [{"type": "text", "text": text}]});
        self.editor.request("skills/session/prompt", prompt).await?;
        self.asked().await
    }

    /// The model's next request.
    ///
    /// # Errors
    /// Where the server ends, or nothing happens.
    pub async fn asked(&mut self) -> Result<Value> {
        let asked = tokio::time::timeout(PATIENCE, self.editor.wait_for("skills/lm/request")).await;
        asked.context("the model was not asked any more")?
    }

    /// Answers a request of the model.
    ///
    /// # Errors
    /// Where the server has ended.
    pub async fn answers(&mut self, request: &Value, part: Value) -> Result<()> {
        let request = &request["requestId"];
        let chunk = json!({"requestId": request, "part": part});
        self.editor.notify("skills/lm/chunk", chunk).await?;
        let end = json!({"requestId": request});
        self.editor.notify("skills/lm/end", end).await
    }

    /// Has the model make a call as its answer to a request.
    ///
    /// # Errors
    /// Where the server has ended.
    pub async fn calls(&mut self, request: &Value, tool: &str, input: &Value) -> Result<()> {
        let call = json!({"type": "tool_call", "callId": "c", "name": tool, "input": input});
        self.answers(request, call).await
    }

    /// A turn in which the model makes these calls one after the other; gives what it was told about each.
    ///
    /// # Errors
    /// Where the server ends, or nothing happens.
    pub async fn obeys(&mut self, prompt: &str, calls: &[(&str, Value)]) -> Result<Vec<String>> {
        let mut request = self.says(prompt).await?;
        let mut told = Vec::new();
        for (tool, input) in calls {
            self.calls(&request, tool, input).await?;
            request = self.asked().await?;
            told.push(result(&request)?);
        }
        self.answers(&request, json!({"type": "text", "text": "ok"})).await?;
        let ends = |params: &Value| params["update"]["state"] == "idle";
        let ended = tokio::time::timeout(PATIENCE, self.editor.wait_until("skills/session/update", ends)).await;
        ended.context("the turn did not end")??;
        Ok(told)
    }

    /// The questions that the person was asked since the last look: title and description.
    pub fn questions(&mut self) -> Vec<String> {
        let unread = self.editor.unread().into_iter();
        let questions = unread.filter(|(method, _)| method == "skills/permission/request");
        let text = |params: &Value, key: &str| params[key].as_str().unwrap_or_default().to_owned();
        questions
            .map(|(_, params)| format!("{}\n{}", text(&params, "title"), text(&params, "description")))
            .collect()
    }
}

/// What the model is told about its last call.
///
/// # Errors
/// Where a request ends with no result.
pub fn result(request: &Value) -> Result<String> {
    let last = request["messages"].as_array().and_then(|messages| messages.last());
    let blocks = last
        .and_then(|message| message["content"].as_array())
        .into_iter()
        .flatten();
    let mut texts = blocks.filter_map(|block| block["content"].as_str().or_else(|| block["output"].as_str()));
    match texts.next() {
        Some(text) => Ok(text.to_owned()),
        None => bail!("the request ends with no result of a tool: {last:#?}"),
    }
}
