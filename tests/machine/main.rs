//! `skills-ls` as it is on another machine, imitated from outside, so that the product has no switch for it.
//!
//! `SKILLS_TEST_LACKS` names what that machine's kernel lacks; `SKILLS_TEST_TERMINAL` is the path of the terminal that
//! the person started the editor in. Without both it is `skills-ls`.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    {
        let (lacks, terminal) = (std::env::var_os(LACKS), std::env::var_os(TERMINAL));
        if lacks.is_some() || terminal.is_some() {
            let error = elsewhere(lacks.unwrap_or_default(), terminal);
            eprintln!("this machine can't be made to look like another one: {error:#}");
            return ExitCode::from(70);
        }
    }
    // As its own `main` does.
    skills_agent::process::sandbox::enter().unwrap_or_else(skills_ls::cli::run)
}

#[cfg(target_os = "linux")]
use imitated::{LACKS, TERMINAL, elsewhere};

#[cfg(target_os = "linux")]
mod imitated {
    use std::convert::Infallible;
    use std::ffi::OsString;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use anyhow::{Context, Result, bail};
    use rustix::fs::{Mode, OFlags};
    use seccompiler::{
        SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, apply_filter,
    };

    pub const LACKS: &str = "SKILLS_TEST_LACKS";
    pub const TERMINAL: &str = "SKILLS_TEST_TERMINAL";

    /// A kernel built without Landlock, or older than 5.13.
    const LANDLOCK: &[i64] = &[
        libc::SYS_landlock_create_ruleset,
        libc::SYS_landlock_add_rule,
        libc::SYS_landlock_restrict_self,
    ];
    /// What mounts, the old calls and the new ones.
    const MOUNTS: &[i64] = &[
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_open_tree,
        libc::SYS_move_mount,
        libc::SYS_fsopen,
        libc::SYS_fsmount,
        libc::SYS_mount_setattr,
    ];
    /// Each kind of namespace.
    const NAMESPACES: &[libc::c_int] = &[
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ];

    /// Becomes skills-ls there; comes back only with an error.
    pub fn elsewhere(lacks: OsString, terminal: Option<OsString>) -> anyhow::Error {
        match set_up(lacks, terminal) {
            Ok(never) => match never {},
            Err(error) => error,
        }
    }

    fn set_up(lacks: OsString, terminal: Option<OsString>) -> Result<Infallible> {
        if let Some(terminal) = terminal {
            rustix::process::setsid().context("no session of its own")?;
            // The first terminal that the leader of a session opens controls it.
            rustix::fs::open(&terminal, OFlags::RDWR, Mode::empty()).context("no terminal")?;
        }
        for lack in lacks.to_string_lossy().split(',').filter(|lack| !lack.is_empty()) {
            let everything = |calls: &[i64]| calls.iter().map(|call| (*call, Vec::new())).collect::<Vec<_>>();
            match lack {
                "landlock" => refuse(everything(LANDLOCK), libc::ENOSYS)?,
                // Without Ubuntu's leave a namespace comes without the right to mount in it.
                "mounts" => refuse(everything(MOUNTS), libc::EPERM)?,
                "namespaces" => {
                    refuse(everything(&[libc::SYS_clone3]), libc::ENOSYS)?;
                    let making = || NAMESPACES.iter().map(|flag| flagged(*flag)).collect::<Result<Vec<_>>>();
                    let mut calls = everything(&[libc::SYS_setns]);
                    calls.extend([(libc::SYS_unshare, making()?), (libc::SYS_clone, making()?)]);
                    refuse(calls, libc::EPERM)?;
                }
                _ => bail!("{lack} is nothing that a machine can lack here"),
            }
        }
        let arguments = std::env::args_os().skip(1);
        let mut command = Command::new(std::env::current_exe()?);
        Err(command
            .args(arguments)
            .env_remove(LACKS)
            .env_remove(TERMINAL)
            .exec()
            .into())
    }

    /// Calls whose first argument has this flag.
    fn flagged(flag: libc::c_int) -> Result<SeccompRule> {
        let flag = u64::try_from(flag)?;
        let is_set = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(flag), flag)?;
        Ok(SeccompRule::new(vec![is_set])?)
    }

    /// Has these calls fail with an error, for this process and all that it starts.
    fn refuse(calls: Vec<(i64, Vec<SeccompRule>)>, error: libc::c_int) -> Result<()> {
        let answer = SeccompAction::Errno(error.unsigned_abs());
        let filter = SeccompFilter::new(
            calls.into_iter().collect(),
            SeccompAction::Allow,
            answer,
            std::env::consts::ARCH.try_into()?,
        )?;
        let program: seccompiler::BpfProgram = filter.try_into()?;
        Ok(apply_filter(&program)?)
    }
}
