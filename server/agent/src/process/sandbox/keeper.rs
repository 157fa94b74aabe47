//! The namespaces that all confined commands of a server share: a user namespace, in which nobody has rights over the machine,
//! and a network of which the loopback interface is all. A server that one command starts is reached by the next.
#![expect(clippy::disallowed_methods, reason = "the kernel is told by files")]

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{ExitCode, Stdio};

use nix::sched::CloneFlags;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

use super::own_program;

/// The first argument of a process that keeps namespaces.
pub(super) const ARGUMENT: &str = "--keep-namespaces";

/// Says that the next step is done.
const DONE: u8 = b'+';

/// A process that keeps the namespaces. It ends when this is dropped, and when the server does.
#[derive(Debug)]
pub(in crate::process) struct Keeper {
    /// Its number.
    pub(in crate::process) process: i32,
    _alive: UnixStream,
}

impl Keeper {
    /// Makes the namespaces. Blocks for a few milliseconds.
    ///
    /// # Errors
    /// Where this machine does not let this person make them.
    pub(in crate::process) fn start(program: &Path) -> io::Result<Self> {
        let (mut ours, theirs) = UnixStream::pair()?;
        let mut command = own_program(program, ARGUMENT);
        let mut child = command
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        drop(command);
        let mut set_up = || {
            wait(&mut ours)?;
            map_people(child.id())?;
            ours.write_all(&[DONE])?;
            wait(&mut ours)
        };
        if let Err(error) = set_up() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        let process = i32::try_from(child.id()).map_err(io::Error::other)?;
        // Nobody waits for it: it ends with the server, or when the other end of its socket is closed.
        std::thread::spawn(move || child.wait());
        Ok(Self { process, _alive: ours })
    }
}

fn wait(other: &mut UnixStream) -> io::Result<()> {
    let mut byte = [0];
    other.read_exact(&mut byte)
}

/// Gives the people of this machine to a new user namespace: a person alone to a namespace of the person, where they are
/// called root until they are told otherwise; all to one of root.
fn map_people(process: u32) -> io::Result<()> {
    let of = |name: &str| format!("/proc/{process}/{name}");
    if rustix::process::geteuid().is_root() {
        for name in ["uid_map", "gid_map"] {
            fs::write(of(name), same(&fs::read_to_string(format!("/proc/self/{name}"))?))?;
        }
        return Ok(());
    }
    fs::write(of("uid_map"), format!("0 {} 1", rustix::process::geteuid().as_raw()))?;
    fs::write(of("setgroups"), "deny")?;
    fs::write(of("gid_map"), format!("0 {} 1", rustix::process::getegid().as_raw()))
}

/// A map by which everybody is called as in the namespace with this map.
fn same(map: &str) -> String {
    let lines = map.lines().filter_map(|line| {
        let mut numbers = line.split_whitespace();
        let (inside, _, count) = (numbers.next()?, numbers.next()?, numbers.next()?);
        Some(format!("{inside} {inside} {count}\n"))
    });
    lines.collect()
}

/// The process that keeps the namespaces, until its standard input ends.
pub(super) fn run() -> ExitCode {
    let kept = || -> io::Result<()> {
        let mut server = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        nix::sched::unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)?;
        server.write_all(&[DONE])?;
        wait(&mut server)?;
        raise_loopback()?;
        server.write_all(&[DONE])?;
        let ended = wait(&mut server);
        ended.or(Ok(()))
    };
    kept().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

/// Turns the loopback interface of this network on, by one message to the kernel (rtnetlink(7)).
fn raise_loopback() -> io::Result<()> {
    const LENGTH: u32 = 32;
    let route = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    let mut message = Vec::with_capacity(LENGTH as usize);
    // struct nlmsghdr: length, type, flags, sequence, port.
    message.extend(LENGTH.to_ne_bytes());
    message.extend(libc::RTM_NEWLINK.to_ne_bytes());
    message.extend((libc::NLM_F_REQUEST as u16 | libc::NLM_F_ACK as u16).to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    // struct ifinfomsg: family and filler, type, index (the loopback interface is the first), flags, which of them change.
    message.extend([0_u8; 4]);
    message.extend(1_i32.to_ne_bytes());
    message.extend((libc::IFF_UP as u32).to_ne_bytes());
    message.extend((libc::IFF_UP as u32).to_ne_bytes());
    rustix::net::sendto(&route, &message, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut answer = [0_u8; 1024];
    rustix::net::recv(&route, &mut answer[..], RecvFlags::empty())?;
    // struct nlmsgerr behind the header begins with the error, 0 for none.
    match i32::from_ne_bytes([answer[16], answer[17], answer[18], answer[19]]) {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_keep_their_numbers() {
        assert_eq!(same("         0          0 4294967295\n"), "0 0 4294967295\n");
        assert_eq!(same("0 1000 1\n1 100000 65536\n"), "0 0 1\n1 1 65536\n");
    }
}
