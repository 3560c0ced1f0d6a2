//! Settings of the editor and the terminal that take effect at once. Each changes only what it is about: others may have been changed by
//! a command for this run.

use crate::config::Settings;
use crate::ide::core::context::Cx;
use crate::ide::core::feature::SettingSpec;
use crate::ide::core::options::Notify;
use crate::ide::model::view::display::DisplayOptions;
use crate::ide::model::view::text_options::TextOptions;

/// The area's rows.
pub const SETTINGS: &[SettingSpec] = &[
    SettingSpec::new("line-numbers", |cx, new| show(cx, new, |to, from| to.numbers = from.numbers)),
    SettingSpec::new("relative-numbers", |cx, new| show(cx, new, |to, from| to.relative = from.relative)),
    SettingSpec::new("caret-line", |cx, new| show(cx, new, |to, from| to.caret_line = from.caret_line)),
    SettingSpec::new("match-brackets", |cx, new| {
        show(cx, new, |to, from| to.matching_brackets = from.matching_brackets);
    }),
    SettingSpec::new("rainbow-brackets", |cx, new| show(cx, new, |to, from| to.rainbow = from.rainbow)),
    SettingSpec::new("syntax-memory", |cx, new| {
        show(cx, new, |to, from| to.syntax_memory = from.syntax_memory);
    }),
    SettingSpec::new("whitespace", |cx, new| show(cx, new, |to, from| to.whitespace = from.whitespace)),
    SettingSpec::new("indent-guides", |cx, new| {
        show(cx, new, |to, from| to.indent_guides = from.indent_guides);
    }),
    SettingSpec::new("rulers", |cx, new| show(cx, new, take_rulers)),
    SettingSpec::new("max-line-length", |cx, new| show(cx, new, take_rulers)),
    SettingSpec::new("scroll-margin", |cx, new| show(cx, new, |to, from| to.scrolloff = from.scrolloff)),
    SettingSpec::new("scrollbar", |cx, new| show(cx, new, |to, from| to.scrollbar = from.scrollbar)),
    SettingSpec::new("soft-wrap", |cx, new| show(cx, new, |to, from| to.wrap = from.wrap)),
    SettingSpec::new("breadcrumbs", |cx, new| show(cx, new, |to, from| to.breadcrumbs = from.breadcrumbs)),
    SettingSpec::new("sticky-lines", |cx, new| {
        show(cx, new, |to, from| to.sticky_scroll = from.sticky_scroll);
    }),
    SettingSpec::new("tree-follow", |cx, new| show(cx, new, |to, from| to.tree_follow = from.tree_follow)),
    SettingSpec::new("tab-line", |cx, new| show(cx, new, |to, from| to.tabs = from.tabs)),
    SettingSpec::new("accessible", |cx, new| {
        cx.state.text_options.accessible = new.accessible;
        cx.state.damage.add_all();
    }),
    SettingSpec::new("mouse", |cx, new| cx.ui.mouse = Some(new.mouse)),
    SettingSpec::new("notify", |cx, new| cx.ui.notify = Some(Notify::named(&new.notify))),
    SettingSpec::new("tab-width", type_with),
    SettingSpec::new("auto-pairs", type_with),
    SettingSpec::new("wrap-column", type_with),
];

/// Takes over a part of the display options.
fn show(cx: &mut Cx<'_>, new: &Settings, take: impl Fn(&mut DisplayOptions, DisplayOptions)) {
    take(&mut cx.state.display, DisplayOptions::from_settings(new));
    cx.state.damage.add_all();
}

fn take_rulers(to: &mut DisplayOptions, from: DisplayOptions) {
    (to.rulers, to.line_max, to.rulers_shown) = (from.rulers, from.line_max, from.rulers_shown);
}

/// Takes over how text is typed.
fn type_with(cx: &mut Cx<'_>, new: &Settings) {
    let options = TextOptions::new(new.tab_width, new.auto_pairs, new.wrap_column);
    let old = &mut cx.state.text_options;
    (old.tab_width, old.auto_pairs, old.wrap_column) =
        (options.tab_width, options.auto_pairs, options.wrap_column);
    cx.state.damage.add_all();
}
