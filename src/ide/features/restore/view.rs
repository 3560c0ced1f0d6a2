//! State of the preview of a restore: the paths, and the user's decisions about conflicts. Must not know how
//! it is drawn, nor how files are restored.

use crate::runtime::restore::target::{Preview, PreviewPath};
use crate::workspace::checkpoint::{Decision, Decisions};

/// The preview.
#[derive(Debug)]
pub struct RestoreView {
    /// What the restore would do.
    pub preview: Preview,
    /// The decisions about conflicts.
    pub decisions: Decisions,
    /// Which path is selected.
    pub selected: usize,
    /// The first row shown of the diff.
    pub top: usize,
}

impl RestoreView {
    /// Returns a preview without decisions.
    pub fn new(preview: Preview) -> Self {
        Self { preview, decisions: Decisions::new(), selected: 0, top: 0 }
    }

    /// The selected path.
    pub fn current(&self) -> Option<&PreviewPath> {
        self.preview.files.get(self.selected)
    }

    /// Selects another path; its diff is shown from the start.
    pub fn step(&mut self, by: isize) {
        let last = self.preview.files.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
        self.top = 0;
    }

    /// Scrolls the difference.
    pub fn scroll(&mut self, by: isize) {
        let rows = self.current().and_then(|file| file.diff.as_ref()).map_or(0, |diff| diff.rows.len());
        self.top = self.top.saturating_add_signed(by).min(rows.saturating_sub(1));
    }

    /// Returns the decision about a path.
    pub fn decision(&self, file: &PreviewPath) -> Decision {
        let decided = self.decisions.get(&file.name).copied().unwrap_or_default();
        file.conflict.as_ref().map_or(decided, |conflict| conflict.reason.allowed(decided))
    }

    /// Decides about the selected path; the error is a message.
    pub fn decide(&mut self, decision: Decision) -> Result<(), &'static str> {
        let Some((name, conflict_reason)) = self
            .current()
            .and_then(|file| file.conflict.as_ref().map(|conflict| (file.name.clone(), conflict.reason)))
        else {
            return Err("No conflict in this file");
        };
        match conflict_reason.allowed(decision) {
            done if done == decision => {
                self.decisions.insert(name, decision);
                Ok(())
            }
            Decision::KeepBoth => Err("Unrecorded file is not overwritten. Keep both: b"),
            _ => Err("Another file is in the way: cannot restore it there"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::restore::target::{RestoreScope, RestoreTarget};
    use crate::workspace::checkpoint::plan::ConflictReason;
    use crate::workspace::checkpoint::{Conflict, Name};

    #[test]
    fn restore_view_offers_only_possible_decisions() {
        let view = |clash: Option<ConflictReason>| {
            let name = Name::from_bytes(b"a").unwrap();
            let decision = Decision::Ours;
            let conflict = clash.map(|clash| Conflict {
                name: name.clone(),
                reason: clash,
                ours: None,
                theirs: None,
                decision,
            });
            let file = PreviewPath { name, from: None, to: None, diff: None, merged: false, conflict };
            let way = RestoreTarget::To(String::new(), RestoreScope::Code);
            RestoreView::new(Preview { target: way, files: vec![file], skipped: Vec::new() })
        };
        let decided = |clash, decision| {
            let mut view = view(clash);
            let said = view.decide(decision);
            (said.is_ok(), view.decision(&view.preview.files[0]))
        };
        assert_eq!(decided(None, Decision::Theirs), (false, Decision::Ours));
        assert_eq!(decided(Some(ConflictReason::Changed), Decision::Theirs), (true, Decision::Theirs));
        for clash in [ConflictReason::Unrecorded, ConflictReason::InTheWay] {
            assert_eq!(decided(Some(clash), Decision::Theirs), (false, Decision::Ours), "{clash:?}");
        }
        assert_eq!(decided(Some(ConflictReason::Unrecorded), Decision::KeepBoth), (true, Decision::KeepBoth));
    }
}
