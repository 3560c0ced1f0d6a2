//! Detects names of files that expose other processes' memory: `/proc/PID/environ` and similar files contain
//! the keys that are withheld from commands.
//!
//! Pure. A path composed only of variables is not detected; the kernel refuses it, unless the user is root.

use super::expansions::{is_expanded, is_pure_wildcard, may_match};

/// Files of a process that expose its memory, arguments or files.
const OF_PROCESS: [&str; 14] = [
    "environ",
    "mem",
    "maps",
    "smaps",
    "numa_maps",
    "auxv",
    "cmdline",
    "fd",
    "map_files",
    "pagemap",
    "root",
    "cwd",
    "task",
    "exe",
];
/// Files of a process that do not.
const HARMLESS: [&str; 9] =
    ["status", "stat", "statm", "comm", "limits", "mounts", "mountinfo", "cgroup", "io"];
/// Files about the whole system.
const OF_SYSTEM: [&str; 16] = [
    "cpuinfo",
    "meminfo",
    "version",
    "loadavg",
    "uptime",
    "mounts",
    "filesystems",
    "stat",
    "swaps",
    "partitions",
    "diskstats",
    "vmstat",
    "devices",
    "interrupts",
    "modules",
    "sys",
];

/// Whether a text names such a file.
pub(in crate::tools::command) fn names_process_memory(text: &str) -> bool {
    // Quotes and backslashes are removed; separators keep words apart.
    let ends = |c: char| c.is_whitespace() || ";|&<>=:,()`".contains(c);
    let bare: String = text.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect();
    bare.split(ends).any(is_memory)
}

fn is_memory(path: &str) -> bool {
    let components: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "." | "")).collect();
    let absolute = path.starts_with('/');
    (0..components.len()).any(|at| {
        let rest = &components[at + 1..];
        let begins = at == 0 && absolute || at > 0 && components[at - 1] == "..";
        match components[at] {
            "proc" if begins => !is_harmless(rest),
            "proc" => reveals_memory(rest, false),
            // `/p*/1/environ`.
            name if begins && is_expanded(name) && may_match(name, "proc") => reveals_memory(rest, true),
            // `$x/1/environ`: the rest must be conclusive.
            name if at == 0 && is_pure_wildcard(name) => reveals_memory(rest, false),
            _ => false,
        }
    })
}

/// Whether the components after `/proc` are harmless.
fn is_harmless(rest: &[&str]) -> bool {
    match rest {
        [name] => OF_SYSTEM.contains(name),
        ["sys", ..] => rest.iter().all(|name| *name != ".."),
        [process, name] => *process != ".." && HARMLESS.contains(name),
        _ => false,
    }
}

/// Whether a path names a file of a process. `open`: also by `*` and `$x` alone.
fn reveals_memory(rest: &[&str], open: bool) -> bool {
    let named = |name: &&str| OF_PROCESS.iter().any(|file| may_match(name, file));
    rest.len() >= 2 && rest[1..].iter().any(|name| (open || !is_pure_wildcard(name)) && named(name))
        || rest.first().is_some_and(|name| !open && *name == "environ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_memory_access_is_detected() {
        for text in [
            "cat /proc/$PPID/environ",
            "cat /proc/1/environ",
            "strings /proc/*/environ",
            "strings /proc/self/../1/environ",
            "tr '\\0' '\\n' < /proc/$PPID/environ",
            "cat \"/pr\"oc/1/env\"iron\"",
            "cat /pro\\c/1/maps",
            "cat //proc//1/./mem",
            "cat /p*/1/environ",
            "cat /*/*/environ",
            "cat /pr[o]c/$PPID/e*",
            "grep -az KEY /proc/[0-9]*/environ",
            "find /proc -name environ",
            "cd /proc/$PPID && cat environ",
            "cd / && cat proc/1/environ",
            "cat ../../../proc/1/environ",
            "cat ../../p*c/1/env*",
            "x=/proc/1/environ; cat $x",
            "cat $x/environ",
            "x=/proc; cat $x/$PPID/environ",
            "printf /proc/%s/environ 1 | xargs cat",
            "ls -l /proc/1/fd",
            "cat /proc/1/fd/3",
            "cat /proc/1/cmdline",
            "cat /proc/1/task/1/environ",
            "cat /proc/1/root/proc/1/environ",
            "grep -r KEY /proc",
            "cat {/proc/1/environ,x}",
        ] {
            assert!(names_process_memory(text), "{text}");
        }
        for text in [
            "cat /proc/cpuinfo /proc/meminfo",
            "cat /proc/1/status",
            "cat /proc/sys/kernel/pid_max",
            "cat src/proc/mod.rs src/proc/maps/a.rs",
            "cat src/*.rs $x \"$y\"",
            "ls */mem",
            "for f in *; do cat \"$f\"; done",
            "cat process/environ.rs environ",
            "cat $HOME/src/*",
            "ls /usr/*",
        ] {
            assert!(!names_process_memory(text), "{text}");
        }
    }
}
