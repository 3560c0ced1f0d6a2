//! Sessions that were left: picking one goes on with it.

use std::path::PathBuf;

use nucleo::Injector;

use crate::base::counted::counted;
use crate::ide::core::context::{Cx, succeeded};
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{Load, Row};
use crate::ide::features::sessions::events as sessions;
use crate::ide::features::undo_tree::view::age;
use crate::runtime::history::navigation::Change;

/// Those of this folder.
pub const PICKER: Row = Row {
    id: "sessions",
    title: "Sessions of this folder",
    footer: "Enter resume  Ctrl-d delete",
    load: |_| Load::Task(|cx, injector, picker| list(cx, injector, picker, false)),
    accept: go_on,
};

/// Goes on with the session that was picked.
/// The file of a session that a row stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile(pub PathBuf);

pub fn go_on(cx: &mut Cx<'_>, pick: &Pick, _marked: &[Pick]) {
    if let Some(SessionFile(path)) = pick.get() {
        sessions::replace(cx, Change::Open(path.clone(), None));
    }
}

/// Puts the sessions of this folder, or of every one, into the picker of this number.
pub fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, picker: u64, anywhere: bool) {
    let Some(session) = cx.session.cloned() else { return cx.state.filled(picker) };
    let now_ms = cx.now_ms;
    let listed = async move {
        for listed in session.sessions(anywhere).await? {
            let summary = &listed.summary;
            let mut detail = vec![counted(summary.prompts, "turn", "turns"), age(now_ms, summary.active_ms)];
            if anywhere {
                detail.insert(0, summary.cwd.clone());
            }
            let text = summary.title().to_string();
            let pick = Pick::new(SessionFile(listed.path));
            push(&injector, PickRow { text, aliases: Vec::new(), detail: detail.join("  "), pick });
        }
        Ok(())
    };
    cx.tasks.spawn("sessions.list", listed, move |cx, listed| {
        cx.state.filled(picker);
        succeeded(cx, "list sessions", listed);
    });
}
