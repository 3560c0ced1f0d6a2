//! What processes use of the machine. Must not know why they run.

use std::time::Duration;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

use crate::exec::Usage;

/// Returns what processes use together; those that have ended use nothing. It reads some files for each. `None` where the
/// system does not say.
pub(super) fn of(pids: &[u32]) -> Option<Usage> {
    let pids: Vec<Pid> = pids.iter().map(|pid| Pid::from_u32(*pid)).collect();
    let mut system = System::new().ok()?;
    // Without its tasks: threads share the memory of their process.
    let what = ProcessRefreshKind::nothing().with_memory().with_cpu().without_tasks();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&pids), true, what);
    let mut usage = Usage::default();
    for process in pids.iter().filter_map(|pid| system.process(*pid)) {
        usage.memory += process.memory();
        usage.cpu += Duration::from_millis(process.accumulated_cpu_time());
    }
    Some(usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_of_own_process_is_counted_and_of_none_is_nothing() {
        let own = of(&[std::process::id()]).unwrap();
        assert!(own.memory > 1 << 20, "{own:?}");
        let page = vec![1_u8; 64 << 20];
        let more = of(&[std::process::id()]).unwrap();
        assert!(more.memory >= own.memory + (32 << 20), "{own:?} {more:?} {}", page.len());
        assert_eq!(of(&[]), Some(Usage::default()));
        assert_eq!(of(&[u32::MAX / 2]), Some(Usage::default()));
    }
}
