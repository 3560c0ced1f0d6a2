//! Picker of earlier sessions, to continue one.

use std::path::PathBuf;

use nucleo::Injector;

use crate::base::plural::pluralize;
use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::features::sessions::events as sessions;
use crate::ide::model::age::age;
use crate::runtime::history::navigation::SessionSwitch;

/// Picker of the sessions of this folder.
pub const PICKER: PickerSpec = PickerSpec {
    id: "sessions",
    title: "Sessions of this folder",
    footer: "Enter resume  Ctrl-d delete",
    load: |_| RowSource::Task(|cx, injector, picker| list(cx, injector, picker, false)),
    accept: resume_session,
    commands: &["session.delete"],
    ..PickerSpec::EMPTY
};

/// The session file that a row represents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile(pub PathBuf);

pub fn resume_session(cx: &mut Cx<'_>, pick: &Pick, _marked: &[Pick]) {
    if let Some(SessionFile(path)) = pick.get() {
        sessions::replace(cx, SessionSwitch::Open(path.clone(), None));
    }
}

/// Adds the sessions of this folder, or of all folders, to the picker of this number.
pub fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64, anywhere: bool) {
    let Some(session) = cx.session.cloned() else { return cx.state.finish_filling(picker) };
    let now_ms = cx.now_ms;
    let listed = async move {
        for listed in session.sessions(anywhere).await? {
            let summary = &listed.summary;
            let mut detail =
                vec![pluralize(summary.prompts, "turn", "turns"), age(now_ms, summary.active_ms)];
            if anywhere {
                detail.insert(0, summary.cwd.clone());
            }
            let text = summary.title().to_string();
            let pick = Pick::new(SessionFile(listed.path));
            push(
                &injector,
                PickRow { text, aliases: Vec::new(), group: None, detail: detail.join("  "), pick },
            );
        }
        Ok(())
    };
    cx.tasks.spawn("sessions.list", listed, move |cx, listed| {
        cx.state.finish_filling(picker);
        success_or_error(cx, "list sessions", listed);
    });
}
