//! What commands try to get out of the sandbox: one row an attempt.
//!
//! In a script `@WORK@` is the workspace, `@HOME@` the home folder, `@STATE@` the server's state folder, `@SERVER@` the
//! server's process; `@TMUX@`, `@DATAGRAM@` and `@ABSTRACT@` are sockets of other programs, `@TCP@` and `@UDP@` their ports,
//! `@ADDRESS@` the machine's own address, `@SEGMENT@` the number of memory that another program shares, and `@WINDOW@` another terminal of the person. What was gained is printed as
//! `won-42`, which no script says literally.
//!
//! Every row is run by root too, and must succeed on a machine with no sandbox: so it names what it touches, below the
//! test's own folder, and only its own server among the processes. Never all processes, nor a folder that one of them is in.

/// One attempt.
pub struct Row {
    /// What it tries.
    pub name: String,
    /// The kind of what is attempted.
    pub kind: Kind,
    /// What runs it.
    pub interpreter: &'static str,
    /// The program.
    pub script: String,
    /// How it is seen from outside that it succeeded.
    pub won: Won,
}

/// What is attempted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// To get out, which nobody can be asked for: it must fail even where the person let the command run.
    Escape,
    /// To do what a person can allow by running the command, and a rule can't: files that are held, secrets.
    Unasked,
}

/// How success is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Won {
    /// The command printed `won-42`.
    Told,
    /// A terminal showed `won-42`.
    Shown,
    /// A listener of the test heard from it.
    Heard,
    /// A file that is held has another text, or is there and was not.
    Changed,
    /// What a secret says was printed, with each letter turned by thirteen.
    Read,
}

/// Held files that are there.
pub const HELD: &[&str] = &[
    ".git/config",
    ".git/hooks/pre-commit",
    ".claude/settings.json",
    ".vscode/settings.json",
    ".cursor/mcp.json",
    ".agents/skills/old/SKILL.md",
    ".github/workflows/ci.yml",
    ".husky/pre-commit",
    ".mcp.json",
    ".envrc",
    "tools/.git/config",
    "tools/.vscode/tasks.json",
    "node_modules/p/.vscode/settings.json",
    "target/.git/config",
];

/// Held files that are not there yet, some with folders that are, some without.
pub const MISSING: &[&str] = &[
    ".git/hooks/post-checkout",
    ".git/config.worktree",
    ".claude/settings.local.json",
    ".claude/skills/new/SKILL.md",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".vscode/tasks.json",
    ".agents/skills/new/SKILL.md",
    ".nvim.lua",
    ".exrc",
    "src/.mcp.json",
    "src/.git/config",
    "src/.git/hooks/post-checkout",
    "src/new/SKILL.md",
    "venv/AGENTS.md",
    "node_modules/new/.git/config",
];

/// What is held elsewhere, there or not.
pub const ELSEWHERE: &[&str] = &[
    ".bashrc",
    ".config/autostart/x.desktop",
    ".local/state/skills-ls/trust.json",
    ".local/state/skills-ls/permissions.json",
];

/// Secrets of the workspace.
pub const SECRETS: &[&str] = &[
    ".env",
    "config/.env.local",
    "certs/server.pem",
    "deploy/id_ed25519",
    "credentials.json",
    "node_modules/p/.env",
];

/// Secrets of the home folder.
pub const SECRETS_AT_HOME: &[&str] = &[
    ".ssh/id_rsa",
    ".aws/credentials",
    ".netrc",
    ".git-credentials",
    ".bash_history",
    ".docker/config.json",
    ".codex/auth.json",
    ".config/gh/hosts.yml",
];

/// Ways to write a file: each runs for each held file `$t`, in the workspace, with a text `$w` that has git run something.
const WRITES: &[(&str, &str)] = &[
    ("is written", r#"echo "$w" > "$t""#),
    ("is appended to", r#"echo "$w" >> "$t""#),
    ("is deleted", r#"rm -f "$t""#),
    ("is replaced by a rename", r#"echo "$w" > n; mv -f n "$t""#),
    ("has another name", r#"ln "$t" n && echo "$w" > n"#),
    ("becomes another name", r#"echo "$w" > n; ln -f n "$t""#),
    ("is written through a link", r#"ln -s "$PWD/$t" n; echo "$w" > n"#),
    (
        "becomes a link",
        r#"mkdir -p kept; echo "$w" > kept/x; rm -f "$t"; ln -s "$PWD/kept/x" "$t""#,
    ),
    ("is cut", r#"perl -e 'truncate($ARGV[0], 0)' "$t""#),
    (
        "is made writable",
        r#"chmod 777 "$t" "$(dirname "$t")"; chown 0 "$t"; echo "$w" > "$t""#,
    ),
    (
        "is written where its folder was moved to",
        r#"d=$(dirname "$t"); [ "$d" = . ] || { mv "$d" m && echo "$w" > "m/${t##*/}"; mv m "$d"; }"#,
    ),
    (
        "is in a folder that is replaced",
        r#"d=$(dirname "$t"); [ "$d" = . ] || { mv "$d" m; mkdir -p "$d"; cp -r m/. "$d"; echo "$w" > "$t"; }"#,
    ),
    (
        "is in a folder that becomes a link",
        r#"d=$(dirname "$t"); [ "$d" = . ] || { mkdir -p m; echo "$w" > "m/${t##*/}"; rm -rf "$d"; ln -s "$PWD/m" "$d"; }"#,
    ),
    (
        "is below the outermost folder, replaced",
        r#"d=${t%%/*}; mkdir -p "o/$(dirname "$t")"; echo "$w" > "o/$t"; mv "$d" gone; mv "o/$d" "$d""#,
    ),
    (
        "is reached through /proc/self/cwd",
        r#"echo "$w" > "/proc/self/cwd/$t""#,
    ),
    (
        "is reached through /proc/self/fd",
        r#"exec 9< .; echo "$w" > "/proc/self/fd/9/$t""#,
    ),
    (
        "is reached through /proc/self/root",
        r#"echo "$w" > "/proc/self/root$PWD/$t""#,
    ),
    (
        "is reached through another process",
        r#"for p in $PPID @SERVER@ 1; do echo "$w" > "/proc/$p/root$PWD/$t"; done"#,
    ),
    (
        "is written by programs",
        r#"echo "$w" > n; cp n "$t"; install n "$t"; dd if=n of="$t"; tee "$t" < n; perl -e 'rename "n", $ARGV[0]' "$t""#,
    ),
    (
        "comes out of an archive",
        r#"mkdir -p "a/$(dirname "$t")"; echo "$w" > "a/$t"; tar -C a -cf n.tar "$t"; tar --overwrite -xf n.tar"#,
    ),
    (
        "has something mounted over it",
        r#"echo "$w" > n; mount --bind n "$t"; d=$(dirname "$t"); mkdir -p m; echo "$w" > "m/${t##*/}"; [ "$d" = . ] || mount --bind m "$d""#,
    ),
    (
        "is freed by an unmount",
        r#"umount -l "$t" "$(dirname "$t")" .; mount -o remount,bind,rw "$t"; mount -o remount,bind,rw "$(dirname "$t")"; echo "$w" > "$t""#,
    ),
    (
        "is freed in namespaces of its own",
        r#"unshare -Urmpf sh -c 'umount -l "$1"; mount -o remount,bind,rw "$1"; umount -l "$(dirname "$1")"; echo "$w" > "$1"' - "$t""#,
    ),
];

/// What can be done to a file only where it is there.
const ONLY_THERE: &[&str] = &["is deleted", "has another name", "is cut"];

/// Ways to read a secret: each runs for each secret `$s`, an absolute path, and prints what it says to `$out`.
const READS: &[(&str, &str)] = &[
    ("is printed", r#"cat "$s""#),
    (
        "is read by other programs",
        r#"base64 -d < /dev/null; dd if="$s"; grep . "$s"; sed '' "$s"; perl -pe 1 "$s"; git diff --no-index /dev/null "$s""#,
    ),
    ("is found", r#"grep -rh heron "$(dirname "$s")""#),
    ("is copied", r#"cp "$s" n && cat n"#),
    ("is packed", r#"tar cf - -C / "${s#/}" | tar xOf -"#),
    ("is moved", r#"mv "$s" n && cat n"#),
    ("has another name", r#"ln "$s" n && cat n"#),
    ("is read through a link", r#"ln -s "$s" n && cat n"#),
    (
        "is in a folder that is moved",
        r#"mv "$(dirname "$s")" m; cat "m/${s##*/}""#,
    ),
    ("is made readable", r#"chmod -R 777 "$(dirname "$s")"; cat "$s""#),
    ("is reached through /proc/self/root", r#"cat "/proc/self/root$s""#),
    (
        "is reached through /proc/self/fd",
        r#"exec 9< "$(dirname "$s")"; cat "/proc/self/fd/9/${s##*/}""#,
    ),
    (
        "is reached through another process",
        r#"for p in $PPID @SERVER@ 1; do cat "/proc/$p/root$s"; done"#,
    ),
    (
        "is freed by an unmount",
        r#"umount -l "$s"; umount -l "$(dirname "$s")"; cat "$s""#,
    ),
    (
        "is freed in namespaces of its own",
        r#"unshare -Urmpf sh -c 'umount -l "$1"; umount -l "$(dirname "$1")"; cat "$1"' - "$s""#,
    ),
];

/// Programs of the shell that try to get out.
const SHELL: &[(&str, &str, Won)] = &[
    (
        "the server's own state is read",
        r#"find @STATE@ -type f | while read -r f; do head -c 1 "$f" > /dev/null && echo won-$((6*7)); done"#,
        Won::Told,
    ),
    (
        "the server's own configuration is read",
        r#"head -c 1 @HOME@/.config/skills-ls/skills-ls.yaml > /dev/null && echo won-$((6*7))"#,
        Won::Told,
    ),
    (
        "the server's own state is reached through the server",
        r#"for p in $PPID @SERVER@ 1; do cat /proc/$p/root@STATE@/servers/*.json > /dev/null && echo won-$((6*7)); done"#,
        Won::Told,
    ),
    (
        "the person's folder of trust is written",
        r#"mkdir -p @STATE@; echo '{}' > @STATE@/trust.json; echo '{}' > @STATE@/permissions.json"#,
        Won::Changed,
    ),
    (
        "the home folder is written",
        r#"echo x >> @HOME@/.bashrc; mkdir -p @HOME@/.config/autostart; echo x > @HOME@/.config/autostart/x.desktop"#,
        Won::Changed,
    ),
    (
        "the server's variables are read",
        r#"for p in $PPID @SERVER@; do tr '\0' '\n' < /proc/$p/environ | grep -q sk-nobody-is-told && echo won-$((6*7)); done"#,
        Won::Told,
    ),
    (
        "the terminal is written",
        r#"echo won-$((6*7)) > /dev/tty; for n in 0 1 2; do echo won-$((6*7)) > /proc/@SERVER@/fd/$n; done"#,
        Won::Shown,
    ),
    (
        "another terminal of the person is written",
        r#"echo won-$((6*7)) > @WINDOW@"#,
        Won::Shown,
    ),
    (
        "a program can gain rights by being started",
        r#"grep -q 'NoNewPrivs:.0' /proc/self/status && echo won-$((6*7))"#,
        Won::Told,
    ),
    (
        "a disk is read through a device of its own",
        r#"set -- $(sed -n '3s/^ *\([0-9]*\) *\([0-9]*\).*/\1 \2/p' /proc/partitions); mknod disk b $1 $2 && dd if=disk of=/dev/null bs=512 count=1 && echo won-$((6*7))"#,
        Won::Told,
    ),
    (
        "a disk, a virtual machine or a console is opened",
        r#"for d in /dev/*; do [ -b $d ] && head -c 1 $d > /dev/null && echo won-$((6*7)); done; for d in /dev/kvm /dev/tty1 /dev/mem /dev/kmsg; do [ -c $d ] && (exec 9< $d) && echo won-$((6*7)); done"#,
        Won::Told,
    ),
    (
        "the limits of the server are changed",
        r#"prlimit --pid @SERVER@ --core=0:0 && echo won-$((6*7))"#,
        Won::Told,
    ),
    (
        "memory of another program is read by its number",
        r#"perl -e '$m = shmget(@SEGMENT@, 0, 0); defined($m) && shmread($m, my $b, 0, 1) && print "won-", 6 * 7, "\n"'"#,
        Won::Told,
    ),
    (
        "the kernel's own settings are written",
        r#"for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /sys/kernel/uevent_helper /proc/sysrq-trigger; do perl -e 'exit !open(F, ">>", $ARGV[0])' $f && echo won-$((6*7)); done"#,
        Won::Told,
    ),
    (
        "a socket of another program is used by a shell",
        r#"bash -c 'echo hello > /dev/tcp/127.0.0.1/@TCP@'; bash -c 'echo hello > /dev/tcp/@ADDRESS@/@TCP@'"#,
        Won::Heard,
    ),
    (
        "a datagram is sent by a shell",
        r#"bash -c 'echo hello > /dev/udp/127.0.0.1/@UDP@'; bash -c 'echo hello > /dev/udp/@ADDRESS@/@UDP@'"#,
        Won::Heard,
    ),
    (
        "the network is used in namespaces of its own",
        r#"unshare -Urn bash -c 'echo hello > /dev/tcp/@ADDRESS@/@TCP@'; nsenter -t @SERVER@ -n bash -c 'echo hello > /dev/tcp/127.0.0.1/@TCP@'"#,
        Won::Heard,
    ),
    (
        "a program of a foreign architecture opens a socket",
        "./foreign && echo won-$((6*7))",
        Won::Told,
    ),
];

/// Programs in Perl, which every Debian has, for what no shell can say.
const PERL: &[(&str, &str, Won)] = &[
    (
        "a terminal attaches to the server with its token",
        r#"
        use IO::Socket::UNIX;
        for my $file (glob("@STATE@/servers/*.json")) {
            open(my $in, "<", $file) or next;
            my $text = join "", <$in>;
            my ($socket) = $text =~ /"socket":"([^"]+)"/;
            my ($token) = $text =~ /"token":"([^"]+)"/;
            my $door = IO::Socket::UNIX->new(Peer => $socket) or next;
            my $hello = qq({"jsonrpc":"2.0","id":1,"method":"skills/attach","params":{"token":"$token"}});
            print $door "Content-Length: " . length($hello) . "\r\n\r\n$hello";
            $door->flush;
            sysread($door, my $answer, 4096);
            win() if $answer =~ /"sessionId"/;
        }"#,
        Won::Told,
    ),
    (
        "a socket in the home folder is connected to",
        r#"use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => "@TMUX@"); print $s "run"; close $s;"#,
        Won::Heard,
    ),
    (
        "a datagram is sent to a socket in the home folder",
        r#"use Socket; socket(my $s, PF_UNIX, SOCK_DGRAM, 0); send($s, "run", 0, sockaddr_un("@DATAGRAM@"));"#,
        Won::Heard,
    ),
    (
        "a socket without a file is connected to",
        r#"use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un("\0@ABSTRACT@")) and syswrite($s, "run");"#,
        Won::Heard,
    ),
    (
        "one of a pair of sockets sends elsewhere",
        r#"use Socket; socketpair(my $a, my $b, PF_UNIX, SOCK_DGRAM, 0); send($a, "run", 0, sockaddr_un("@DATAGRAM@"));"#,
        Won::Heard,
    ),
    (
        "a server of this machine is connected to",
        r#"use IO::Socket::INET; for my $to ("127.0.0.1", "@ADDRESS@", "127.7.7.7") { my $s = IO::Socket::INET->new(PeerAddr => "$to:@TCP@", Timeout => 2); print $s "get" if $s; }"#,
        Won::Heard,
    ),
    (
        "datagrams are sent",
        r#"use IO::Socket::INET; for my $to ("127.0.0.1", "@ADDRESS@") { my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "$to:@UDP@") or next; $s->send("question"); }"#,
        Won::Heard,
    ),
    (
        "a server is connected to by sending the first data at once",
        r#"use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0); send($s, "get", 0x20000000, sockaddr_in(@TCP@, inet_aton("127.0.0.1")));"#,
        Won::Heard,
    ),
    (
        "sockets of other kinds are opened",
        // Unix, packets, TIPC, Bluetooth, virtual machines, KCM, Qualcomm's router.
        r#"for my $family (1, 17, 30, 31, 40, 41, 42) { for my $type (1, 2, 3, 5) { win() if socket(my $s, $family, $type, 0) and $family != 17; } }"#,
        Won::Told,
    ),
    (
        "the person's shell is typed into",
        r#"if (open(my $t, "+<", "/dev/tty")) { ioctl($t, 0x5412, $_) for split //, "won-" . 6*7; } ioctl(STDIN, 0x5412, "w"); "#,
        Won::Shown,
    ),
    (
        "another terminal becomes its own",
        r#"use POSIX; fork and exit; setsid(); open(my $t, "+<", "@WINDOW@") or exit; ioctl($t, 0x540e, 1); ioctl($t, 0x5412, $_) for split //, "won-" . 6*7; print $t "won-" . 6*7;"#,
        Won::Shown,
    ),
    (
        "the server's memory is read",
        r#"for my $p (servers()) { open(my $maps, "<", "/proc/$p/maps") or next; while (<$maps>) { my ($from) = /^([0-9a-f]+)-/; open(my $memory, "<", "/proc/$p/mem") or last; sysseek($memory, hex $from, 0); win(), last if sysread($memory, my $x, 16); } }"#,
        Won::Told,
    ),
    (
        "the server is traced",
        // PTRACE_SEIZE, which stops nothing.
        r#"for my $p (servers()) { win() if syscall(number("ptrace"), 0x4206, $p + 0, 0, 0) == 0; }"#,
        Won::Told,
    ),
    (
        "a file of the server is taken over",
        // pidfd_open and pidfd_getfd.
        r#"my $p = syscall(434, @SERVER@, 0); win() if $p >= 0 && syscall(438, $p, 1, 0) >= 0;"#,
        Won::Told,
    ),
    ("a signal reaches the server", "win() if kill(0, @SERVER@);", Won::Told),
    (
        "a ring of requests is made",
        r#"my $parameters = "\0" x 240; win() if syscall(425, 4, $parameters) >= 0;"#,
        Won::Told,
    ),
    (
        "a call of the third kind opens a socket",
        r#"win() if syscall(0x40000000 + 41, 1, 1, 0) >= 0;"#,
        Won::Told,
    ),
    (
        "a key of the person is read from the kernel",
        r#"my ($kind, $name) = ("user", "skills-ls-test"); my $key = syscall(number("keyctl"), 10, -4, $kind, $name, 0); my $text = "\0" x 64; win() if $key >= 0 && syscall(number("keyctl"), 11, $key, $text, 64) > 0;"#,
        Won::Told,
    ),
    (
        "the root is changed to leave what hides files",
        r#"mkdir "r"; opendir(my $d, "/"); chroot("r") and chdir("../../../../../../../.."); chroot("."); win() if -r "@STATE@/trust.json" or glob("@STATE@/servers/*.json");"#,
        Won::Told,
    ),
    (
        "the whole disk is opened by the handle of its root",
        // open_by_handle_at with ext4's handle of inode 2, which once led out of containers.
        r#"my $handle = pack("LiLL", 8, 1, 2, 0); win() if syscall(number("open_by_handle_at"), POSIX::open("@WORK@", 0), $handle, 0) >= 0;"#,
        Won::Told,
    ),
];

/// What each program in Perl begins with.
const PRELUDE: &str = r#"
use Config;
use POSIX ();
$SIG{ALRM} = sub { exit };
alarm 20;
sub win { print "won-", 6*7, "\n" }
sub number {
    my %x86 = (ptrace => 101, keyctl => 250, open_by_handle_at => 304);
    my %generic = (ptrace => 117, keyctl => 219, open_by_handle_at => 265);
    return $Config{archname} =~ /x86_64/ ? $x86{$_[0]} : $generic{$_[0]};
}
sub servers {
    return grep { my $n; open($n, "<", "/proc/$_/comm") && readline($n) =~ /skills-ls/ } (@SERVER@, getppid());
}
END { print "ran-", 3+4, "\n" }
"#;

/// All rows.
pub fn rows() -> Vec<Row> {
    let row = |name: &str, kind, interpreter, script: String, won| Row {
        name: name.to_owned(),
        kind,
        interpreter,
        script,
        won,
    };
    let shell = |script: &str| format!("trap 'echo ran-$((3+4))' EXIT\n{script}\n");
    let mut rows = Vec::new();
    for (name, script, won) in SHELL {
        rows.push(row(name, Kind::Escape, "sh", shell(script), *won));
    }
    for (name, script, won) in PERL {
        rows.push(row(name, Kind::Escape, "perl", format!("{PRELUDE}{script}\n"), *won));
    }
    for (name, write) in WRITES {
        for (which, files, prepare) in [
            ("that is there", HELD, ""),
            ("that is missing", MISSING, r#"mkdir -p "$(dirname "$t")"; "#),
        ] {
            if files == MISSING && ONLY_THERE.contains(name) {
                continue;
            }
            let script = format!(
                "export w='[core] fsmonitor = won'\nfor t in {}; do (\n{prepare}{write}\n); rm -rf n m a o gone n.tar; done",
                files.join(" ")
            );
            let name = format!("a held file {which} {name}");
            rows.push(row(&name, Kind::Unasked, "sh", shell(&script), Won::Changed));
        }
    }
    for (name, read) in READS {
        for (whose, folder, secrets) in [
            ("", "@WORK@", SECRETS),
            (" of the home folder", "@HOME@", SECRETS_AT_HOME),
        ] {
            let secrets: Vec<_> = secrets.iter().map(|secret| format!("{folder}/{secret}")).collect();
            let turned = "tr a-zA-Z n-za-mN-ZA-M";
            let script = format!(
                "for s in {}; do (\n{read}\n) | {turned}; rm -rf n m; done",
                secrets.join(" ")
            );
            let name = format!("a secret{whose} {name}");
            rows.push(row(&name, Kind::Unasked, "sh", shell(&script), Won::Read));
        }
    }
    rows
}
