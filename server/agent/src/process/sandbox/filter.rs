//! The system calls that a confined command may not make.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// The kinds of sockets that a command may open. Those of this machine's other programs (`AF_UNIX`) lead out of the sandbox:
/// to editors, terminals, agents of keys, containers. A filter can't see which socket is meant, so none is opened;
/// `socketpair` is.
const FAMILIES: &[i32] = &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
/// The same where the network is closed and nothing else closes it.
const WITHOUT_NETWORK: &[i32] = &[libc::AF_NETLINK];

/// Kinds of sockets that send wherever each message says, also from a pair: `SOCK_DGRAM`, and `SOCK_RAW`, which is the same.
const ADDRESSED: &[u64] = &[2, 3];
/// The bits of a socket's type that say its kind.
const KIND: u64 = 0xf;

/// Calls that do by other ways what is refused here, or reach what no namespace holds.
const REFUSED: &[i64] = &[
    // Opens sockets and files without the calls that are looked at.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Keys of the person's other programs.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // Ways into the kernel that no build or test needs.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_open_by_handle_at,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
];

/// Memory, queues and semaphores that all programs of the machine share by numbers. A command with namespaces has its own,
/// which `initdb` and `fakeroot` need.
const SHARED: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// `TIOCSTI` types into a terminal, `TIOCLINUX` pastes into one.
const TERMINAL_CALLS: &[u64] = &[0x5412, 0x541c];

/// On x86-64 a second set of numbers, 32 bits wide, means the same calls.
const SECOND_NUMBERS: &[i64] = if cfg!(target_arch = "x86_64") {
    &[0, 0x4000_0000]
} else {
    &[0]
};

/// Refuses these calls to this process and to all that it starts. Calls of a foreign architecture end the process.
/// `has_network` is whether it may use the machine's network.
///
/// # Errors
/// Where the kernel has no filters.
pub(super) fn apply(has_network: bool, has_namespaces: bool) -> io::Result<()> {
    let program = program(has_network, has_namespaces).map_err(io::Error::other)?;
    seccompiler::apply_filter(&program).map_err(io::Error::other)
}

fn program(has_network: bool, has_namespaces: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    let families = match has_network || has_namespaces {
        true => FAMILIES,
        false => WITHOUT_NETWORK,
    };
    let shared = SHARED.iter().filter(|_| !has_namespaces);
    let refused: Vec<&i64> = REFUSED.iter().chain(shared).collect();
    let is_other = families
        .iter()
        .map(|family| compare(0, SeccompCmpOp::Ne, u64::from(family.unsigned_abs())))
        .collect::<Result<Vec<_>, _>>()?;
    let mut rules = BTreeMap::new();
    for numbers in SECOND_NUMBERS {
        rules.insert(numbers | libc::SYS_socket, vec![SeccompRule::new(is_other.clone())?]);
        let pairs = ADDRESSED
            .iter()
            .map(|kind| SeccompRule::new(vec![compare(1, SeccompCmpOp::MaskedEq(KIND), *kind)?]))
            .collect::<Result<Vec<_>, _>>()?;
        rules.insert(numbers | libc::SYS_socketpair, pairs);
        // Limits of this process are its own; those of others end them.
        let others = vec![SeccompRule::new(vec![compare(0, SeccompCmpOp::Ne, 0)?])?];
        rules.insert(numbers | libc::SYS_prlimit64, others);
        let types = TERMINAL_CALLS
            .iter()
            .map(|call| SeccompRule::new(vec![compare(1, SeccompCmpOp::Eq, *call)?]))
            .collect::<Result<Vec<_>, _>>()?;
        rules.insert(numbers | libc::SYS_ioctl, types);
        rules.extend(refused.iter().map(|call| (numbers | **call, Vec::new())));
    }
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EACCES.unsigned_abs()),
        std::env::consts::ARCH.try_into()?,
    )?;
    filter.try_into()
}

fn compare(argument: u8, how: SeccompCmpOp, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    // The kernel looks at the lower half of these arguments alone.
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value)
}
