//! Protects this process's memory from other processes of the same user.
//!
//! Must not know which of its content is secret.

/// Makes the process non-dumpable: its environment, memory and open files under `/proc` then belong to root,
/// no debugger can attach, and it writes no core file. Child processes are dumpable again. Fails if the
/// system refuses; does nothing on systems other than Linux.
pub fn disable() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}
