//! Picker of earlier sessions, to continue one.

use std::path::{Path, PathBuf};

use nucleo::Injector;

use crate::base::error::Report;
use crate::base::plural::pluralize;
use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::push;
use crate::ide::core::layers::picker::{PickerSpec, RowSource};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::state::State;
use crate::ide::features::sessions::events as sessions;
use crate::ide::model::age::age;
use crate::runtime::history::navigation::SessionSwitch;
use crate::runtime::history::previews;

/// Picker of the sessions of this folder.
pub const PICKER: PickerSpec = PickerSpec {
    id: "sessions",
    title: "Sessions of this folder",
    footer: "Enter resume  Ctrl-d delete",
    load: |_| RowSource::Task(|cx, injector, picker| list(cx, injector, picker, false)),
    preview: Some(last_messages),
    has_places: false,
    accept: resume_session,
    commands: &["session.delete"],
    ..PickerSpec::EMPTY
};

/// The session file that a row represents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile(pub PathBuf);

/// Returns what is shown beside a session: its last messages.
pub fn last_messages(_: &State, pick: &Pick) -> Option<PreviewTarget> {
    let SessionFile(path) = pick.get()?;
    Some(PreviewTarget::made("session.md", path.to_str()?.to_string(), |_, path| {
        Box::pin(on_thread_or_problem(move || previews::last_messages(Path::new(&path))))
    }))
}

/// Runs what reads a session on another thread; the error says why there is nothing to show.
pub async fn on_thread_or_problem(
    read: impl FnOnce() -> Result<String, Report> + Send + 'static,
) -> Result<String, String> {
    match tokio::task::spawn_blocking(read).await {
        Ok(read) => read.map_err(|report| report.to_string()),
        Err(error) => Err(format!("cannot read the session: {error}")),
    }
}

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
