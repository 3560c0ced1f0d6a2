//! Keeps other processes of the same user from reading this one's memory.
//!
//! Must not know what is secret in it.

/// Makes the process not dumpable: its environment, memory and open files under `/proc` belong to root from
/// then on, no debugger attaches to it and it writes no core file. Processes that it starts are dumpable again.
/// Fails where the system refuses; elsewhere than on Linux it does nothing.
pub fn disable() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}
