//! Commands that change display options until the program ends. Their initial values are in the settings.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::model::buffers::Buffer;
use crate::ide::model::view::display::{DisplayOptions, SoftWrap, TabLineDisplay};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("view.toggle-numbers", "Toggle line numbers", &["gutter"], |cx| {
        toggle(cx, "line numbers", |look| &mut look.numbers);
    }),
    command("view.toggle-relative-numbers", "Toggle relative line numbers", &["gutter"], |cx| {
        toggle(cx, "relative line numbers", |look| &mut look.relative);
    }),
    command(
        "view.toggle-caret-line",
        "Toggle cursor line highlight",
        &["current line", "cursorline"],
        |cx| {
            toggle(cx, "cursor line highlight", |look| &mut look.caret_line);
        },
    ),
    command("view.toggle-brackets", "Toggle matching bracket highlight", &["matchparen"], |cx| {
        toggle(cx, "brackets", |look| &mut look.matching_brackets);
    }),
    command("view.toggle-rainbow", "Toggle rainbow brackets", &["bracket pair colorization"], |cx| {
        toggle(cx, "rainbow brackets", |look| &mut look.rainbow);
    }),
    command(
        "view.toggle-whitespace",
        "Cycle whitespace display",
        &["render whitespace", "list", "invisibles"],
        |cx| {
            let next = cx.state.display.whitespace.next();
            cx.state.display.whitespace = next;
            cx.state.set_status(format!("Whitespace: {}", next.name()));
            cx.state.damage.add_all();
        },
    ),
    command("view.toggle-wrap", "Toggle word wrap", &["wrap", "soft wrap", "line wrap"], wrap),
    command("view.toggle-guides", "Toggle indent guides", &["indentation lines"], |cx| {
        toggle(cx, "Indent guides", |look| &mut look.indent_guides);
    }),
    command("view.toggle-breadcrumbs", "Toggle breadcrumbs", &["path of symbols", "winbar"], |cx| {
        toggle(cx, "Breadcrumbs", |look| &mut look.breadcrumbs);
    }),
    command("view.toggle-sticky", "Toggle sticky scroll", &["context header"], |cx| {
        toggle(cx, "Sticky scroll", |look| &mut look.sticky_scroll);
    }),
    command("view.toggle-tabs", "Toggle tab bar", &["buffer line", "open editors"], |cx| {
        let shown = cx.state.display.tabs != TabLineDisplay::Never;
        cx.state.display.tabs = if shown { TabLineDisplay::Never } else { TabLineDisplay::Always };
        cx.state.set_status(format!("Tab bar: {}", if shown { "off" } else { "on" }));
        cx.state.damage.add_all();
    }),
    command("view.toggle-rulers", "Toggle rulers", &["colorcolumn"], rulers),
    command("view.toggle-scrollbar", "Toggle scrollbar", &["minimap"], |cx| {
        toggle(cx, "Scrollbar", |look| &mut look.scrollbar);
    }),
];

fn toggle(cx: &mut Cx<'_>, what: &str, which: impl Fn(&mut DisplayOptions) -> &mut bool) {
    let shown = which(&mut cx.state.display);
    *shown = !*shown;
    let now = if *shown { "on" } else { "off" };
    cx.state.set_status(format!("{what}: {now}"));
    cx.state.damage.add_all();
}

/// Turns wrapping on or off in all files, as the shown one has it not.
fn wrap(cx: &mut Cx<'_>) {
    let path = cx.state.buffers.current().and_then(Buffer::kind_path);
    let is_on = !cx.state.display.wrap.is_on(path);
    cx.state.display.wrap = SoftWrap::always(is_on);
    cx.state.set_status(format!("Word wrap: {}", if is_on { "on" } else { "off" }));
    cx.state.damage.add_all();
}

fn rulers(cx: &mut Cx<'_>) {
    let wrap_column = cx.state.text_options.wrap_column;
    let display = &mut cx.state.display;
    if display.rulers.is_empty() && display.line_max == 0 {
        // Without configured rulers one appears where paragraphs are wrapped.
        display.rulers.push(wrap_column + 1);
        display.rulers_shown = true;
        let column = wrap_column + 1;
        cx.state.set_status(format!("Ruler at column {column}. More: setting `rulers`"));
        return cx.state.damage.add_all();
    }
    toggle(cx, "Rulers", |display| &mut display.rulers_shown);
}
