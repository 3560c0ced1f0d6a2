//! The session's tree and other sessions, on the loop: what is asked of the session, and what its answers
//! lead to. Must not know how the tree is drawn, nor how the session is asked.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::effect::Effect;
use crate::ide::core::overlay::Overlay;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::sessions;
use crate::ide::features::sessions::view::{Missing, SessionView};
use crate::ide::features::sessions::work::{Told, Work};
use crate::ide::shell::session_events;
use crate::runtime::Summary;
use crate::runtime::moving::Spot;

fn ask(cx: &mut Cx<'_>, work: Work) {
    cx.effects.push(Effect::Session(Box::new(work)));
}

/// Asks for something, once there is a session.
pub fn begin(cx: &mut Cx<'_>, work: Work) {
    if cx.state.agent.connected {
        ask(cx, work);
    } else {
        cx.state.say("the session is still starting; try again in a moment");
    }
}

/// Shows the tree.
pub fn open(cx: &mut Cx<'_>) {
    show(cx, |_| {});
}

/// Shows the tree with all entries, this one selected.
pub fn open_with(cx: &mut Cx<'_>, entry: &str) {
    show(cx, |view| view.want(entry));
}

fn show(cx: &mut Cx<'_>, set: impl FnOnce(&mut SessionView)) {
    if !cx.state.agent.connected {
        return cx.state.say("the session is still starting; try again in a moment");
    }
    cx.state.overlays.retain(|overlay| !matches!(overlay, Overlay::Session(_)));
    cx.state.agent.session_views += 1;
    let mut view = SessionView::new(cx.state.agent.session_views, cx.now_ms, cx.state.agent.name.clone());
    set(&mut view);
    let (number, filter) = (view.number, view.filter);
    cx.state.push_overlay(Overlay::Session(Box::new(view)));
    ask(cx, Work::Outline(number, filter));
}

/// The tree, if it is on top or below what was put over it.
pub fn view_of(state: &mut State) -> Option<&mut SessionView> {
    state.overlays.iter_mut().rev().find_map(|overlay| match overlay {
        Overlay::Session(view) => Some(&mut **view),
        _ => None,
    })
}

/// Does something to the tree that is shown.
pub fn with(cx: &mut Cx<'_>, change: impl FnOnce(&mut SessionView)) {
    match view_of(cx.state) {
        Some(view) => {
            change(view);
            cx.state.damage.add(Part::Overlay);
        }
        None => open(cx),
    }
}

/// Does something about the row that is selected.
pub fn at_row(cx: &mut Cx<'_>, act: impl FnOnce(&mut Cx<'_>, u64, String)) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    let number = view.number;
    match view.selected_row().map(|row| row.id.to_string()) {
        Some(id) => act(cx, number, id),
        None => cx.state.say("there is nothing to choose"),
    }
}

/// Asks for what the screen still lacks.
pub fn settle(cx: &mut Cx<'_>) {
    let rows = sessions::draw::height(cx.state.size);
    let Some(view) = view_of(cx.state) else { return };
    let (number, missing) = (view.number, view.missing(rows));
    for what in missing {
        ask(
            cx,
            match what {
                Missing::Words(ids) => Work::Words(number, ids),
                Missing::Turn(id) => Work::Turn(number, id),
            },
        );
    }
}

/// Other entries have rows from now on.
pub fn filter(cx: &mut Cx<'_>) {
    let Some(view) = view_of(cx.state) else { return open(cx) };
    view.set_filter(view.next_filter());
    let (number, filter) = (view.number, view.filter);
    cx.state.damage.add(Part::Overlay);
    ask(cx, Work::Outline(number, filter));
}

/// Looks for what entries say, in all that the filter has.
pub fn search(cx: &mut Cx<'_>, text: &str) {
    let Some(view) = view_of(cx.state) else { return };
    let number = view.number;
    if text.trim().is_empty() {
        return with(cx, |view| view.set_found(None));
    }
    let filter = view.filter;
    ask(cx, Work::Search(number, text.to_string(), filter));
}

/// Shows everything again where something was looked for; `false` where nothing was.
pub fn end_search(cx: &mut Cx<'_>) -> bool {
    let Some(Overlay::Session(view)) = cx.state.overlays.last_mut() else { return false };
    let looked = view.found.is_some();
    if looked {
        view.set_found(None);
        cx.state.damage.add(Part::Overlay);
    }
    looked
}

/// Goes to the selected row.
pub fn accept(cx: &mut Cx<'_>) {
    at_row(cx, |cx, _, id| ask(cx, Work::Go(Spot::To(id), Summary::None)));
}

/// Goes to the selected row with a summary of what is left, which is about this above all if anything.
pub fn summarise(cx: &mut Cx<'_>, about: &str) {
    let summary = match about.trim() {
        "" => Summary::Written,
        about => Summary::WithInstructions(about.to_string()),
    };
    at_row(cx, |cx, _, id| {
        cx.state.say("summing up what is left; Escape gives it up");
        ask(cx, Work::Go(Spot::To(id), summary));
    });
}

/// An answer came.
pub fn told(cx: &mut Cx<'_>, told: Told) {
    let named = |state: &mut State, number: u64| view_of(state).is_some_and(|view| view.number == number);
    match told {
        Told::Outline(number, outline) if named(cx.state, number) => with(cx, |view| view.take(*outline)),
        Told::Words(number, words) if named(cx.state, number) => with(cx, |view| view.tell(words)),
        Told::Turn(number, id, turn) if named(cx.state, number) => with(cx, |view| {
            if view.asked.as_ref().is_some_and(|asked| *asked == id) {
                view.turn = turn.map(|turn| *turn);
            }
        }),
        Told::Found(number, text, ids) if named(cx.state, number) => {
            if ids.is_empty() {
                return cx.state.say(format!("nothing here says {text}"));
            }
            with(cx, |view| view.set_found(Some((text, ids))));
        }
        Told::Labelled(number) if named(cx.state, number) => {
            if let Some(view) = view_of(cx.state) {
                view.forget();
                let filter = view.filter;
                ask(cx, Work::Outline(number, filter));
            }
        }
        Told::Outline(..) | Told::Words(..) | Told::Turn(..) | Told::Found(..) | Told::Labelled(_) => {}
        Told::Named(name) => {
            cx.state.say(format!("the session is called {name}"));
            if let Some(view) = view_of(cx.state) {
                view.name = Some(name.clone());
            }
            cx.state.agent.name = Some(name);
            cx.state.damage.all();
        }
        Told::Moved(Err(report), _) => cx.state.fail(report.to_string()),
        Told::Moved(Ok(said), words) => {
            cx.state.overlays.retain(|overlay| !matches!(overlay, Overlay::Session(_)));
            panes::focus(cx, Focus::Agent);
            cx.state.say(words);
            if let Some(message) = said {
                session_events::dequeued(cx, vec![message]);
            }
            cx.state.damage.all();
        }
    }
}
