//! The current branch, for the status line. A task asks git when it may have changed. Must not know how it is drawn.

use crate::base::width::visible;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::slots::Slot;
use crate::ide::features::git::run::run;
use crate::workspace::git::root_of;

/// The feature's state.
pub const BRANCH: Slot<CurrentBranch> = Slot::new();

/// Prints the branch, or the beginning of the commit's hash in parentheses.
const SCRIPT: &str = r#"
safe_git symbolic-ref --short -q HEAD || { hash=$(safe_git rev-parse --short HEAD) && printf '(%s)\n' "$hash"; }
"#;
/// Maximum bytes of a name.
const NAME_MAX: usize = 1024;

/// The current branch.
#[derive(Debug, Default)]
pub struct CurrentBranch {
    name: Option<String>,
    is_stale: bool,
    is_running: bool,
    /// Whether the workspace is in no repository.
    is_missing: bool,
}

impl CurrentBranch {
    /// Returns its name without control characters; `None` outside of repositories.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns whether there is no repository, as far as is known.
    pub fn is_missing(&self) -> bool {
        self.is_missing
    }
}

/// Records that it may be another one.
pub fn invalidate(cx: &mut Cx<'_>) {
    cx.state.slots[BRANCH].is_stale = true;
}

/// Asks git if the branch may be another one.
pub fn after_frame(cx: &mut Cx<'_>) {
    let branch = &mut cx.state.slots[BRANCH];
    if !branch.is_stale || branch.is_running {
        return;
    }
    (branch.is_stale, branch.is_running) = (false, true);
    let env = cx.env.clone();
    let work = async move { (root_of(env.root()).is_none(), run(&*env, SCRIPT, "", NAME_MAX).await) };
    cx.tasks.spawn("git.branch", work, |cx, answer| {
        let branch = &mut cx.state.slots[BRANCH];
        branch.is_running = false;
        // If the task failed, that is not known.
        branch.is_missing = answer.as_ref().is_ok_and(|(is_missing, _)| *is_missing);
        // Without a repository, git or a commit there is none to show.
        let name = answer.ok().and_then(|(_, name)| name.ok()).map(|name| visible(name.trim()).into_owned());
        let name = name.filter(|name| !name.is_empty());
        if name != branch.name {
            branch.name = name;
            cx.state.damage.add(Part::Status);
        }
        // It may have changed while git was asked.
        after_frame(cx);
    });
}
