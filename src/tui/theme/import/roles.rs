//! Completes the palette of a converted theme: what it does not say is mixed from what it says, and texts of the program
//! get the contrast that the built-in themes have.
//!
//! Must not know formats.

use ratatui::style::Color;
use toml::de::DeTable;

use super::draft::Roles;
use crate::tui::theme::color::{self, blend};
use crate::tui::theme::contrast::{ENOUGH, contrast};
use crate::tui::theme::scheme::BUILTIN;

/// Steps in which a color is changed.
const STEPS: u32 = 40;

/// The contrast of text on the grounds of rows and changes, from which softer texts need some room.
const GROUND_CONTRAST: f64 = 6.0;

/// Grounds other than that of everything: of which color, and how much of it, each is mixed where a theme has none.
const GROUNDS: [(&str, &str, f64); 6] = [
    ("panel", "text", 0.04),
    ("raised", "text", 0.09),
    ("select", "accent", 0.25),
    ("match", "yellow", 0.28),
    ("add", "green", 0.15),
    ("remove", "red", 0.15),
];

/// Lines, likewise.
const LINES: [(&str, &str, f64); 3] =
    [("line", "text", 0.3), ("ghost", "text", 0.4), ("accent_deep", "accent", 0.55)];

/// Texts, likewise; the share of one that is not mixed is 1.
const TEXTS: [(&str, &str, f64); 9] = [
    ("soft", "text", 0.8),
    ("faint", "text", 0.65),
    ("accent", "accent", 1.0),
    ("red", "red", 1.0),
    ("green", "green", 1.0),
    ("yellow", "yellow", 1.0),
    ("orange", "orange", 1.0),
    ("purple", "purple", 1.0),
    ("cyan", "cyan", 1.0),
];

/// Texts that are drawn on the selected row, too.
const ROW_TEXTS: [&str; 2] = ["soft", "faint"];

/// Returns the names of all roles.
pub fn names() -> impl Iterator<Item = &'static str> {
    let mixed = GROUNDS.iter().map(|row| row.0).chain(LINES.map(|row| row.0)).chain(TEXTS.map(|row| row.0));
    ["bg", "text"].into_iter().chain(mixed)
}

/// Returns the palette of the default theme for dark or light terminals, which converted ones inherit.
pub fn inherited(dark: bool) -> Roles {
    let name = parent(dark);
    let text = BUILTIN.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
    let table = DeTable::parse(text).expect("a test parses every built-in theme").into_inner();
    let palette = table.get("palette").and_then(|palette| palette.get_ref().as_table());
    let color = |role: &str| color::parse(palette?.get(role)?.get_ref().as_str()?);
    names().filter_map(|role| Some((role, color(role)?))).collect()
}

/// Returns the name of the theme that a converted one inherits.
pub fn parent(dark: bool) -> &'static str {
    if dark { "bowline-dark" } else { "bowline-light" }
}

/// Changes a color in steps toward another one until a test is passed.
fn approach(color: Color, goal: Color, is_enough: impl Fn(Color) -> bool) -> Color {
    let steps = (0..=STEPS).map(|step| blend(goal, color, f64::from(step) / f64::from(STEPS)));
    // The color itself may not be one of red, green and blue.
    std::iter::once(color).chain(steps).find(|color| is_enough(*color)).unwrap_or(goal)
}

/// Returns a text's color with at least `ratio` on all grounds, as near to the given one as possible. Where a color is
/// known only to the terminal, nothing is changed.
pub fn readable(text: Color, grounds: &[Color], ratio: f64, dark: bool) -> Color {
    let goal = if dark { Color::Rgb(255, 255, 255) } else { Color::Rgb(0, 0, 0) };
    approach(text, goal, |text| grounds.iter().all(|ground| has_contrast(text, *ground, ratio)))
}

/// Returns a ground on which text is readable, as near to the given one as possible.
pub fn calm(ground: Color, roles: &Roles) -> Color {
    let (text, bg) = (roles["text"], roles["bg"]);
    // A theme of little contrast has no room to lose.
    let ratio = contrast(text, bg).map_or(GROUND_CONTRAST, |most| GROUND_CONTRAST.min(most * 0.9));
    approach(ground, bg, |ground| has_contrast(text, ground, ratio.max(ENOUGH.text)))
}

fn has_contrast(a: Color, b: Color, ratio: f64) -> bool {
    contrast(a, b).is_none_or(|found| found >= ratio)
}

/// Completes the roles that a theme gives.
pub fn complete(given: &Roles, dark: bool) -> Roles {
    let parent = inherited(dark);
    // Nothing could be mixed with a ground that only the terminal knows.
    let own_ground = given.get("bg").copied().filter(|bg| color::rgb(*bg).is_some());
    let bg = own_ground.unwrap_or(parent["bg"]);
    let is_own = own_ground.is_some() || given.contains_key("text");
    let text = given.get("text").copied().unwrap_or(parent["text"]);
    let mut roles = Roles::from([("bg", bg), ("text", readable(text, &[bg], ENOUGH.text, dark))]);
    let plain = |role: &str| -> Color {
        let mixed =
            || Some(blend(*given.get("red")?, *given.get("yellow")?, 0.5)).filter(|_| role == "orange");
        given.get(role).copied().or_else(mixed).unwrap_or(parent[role])
    };
    let value = |roles: &Roles, (role, of, share): (&'static str, &str, f64), is_mixed: bool| {
        let of = if of == "text" { roles["text"] } else { plain(of) };
        match given.get(role) {
            Some(color) => *color,
            None if is_mixed => blend(of, bg, share),
            None => plain(role),
        }
    };
    for row in GROUNDS {
        let color = calm(value(&roles, row, own_ground.is_some()), &roles);
        roles.insert(row.0, color);
    }
    let of = |roles: &Roles, names: &[&str]| names.iter().map(|name| roles[name]).collect::<Vec<_>>();
    let grounds = of(&roles, &["bg", "panel", "raised"]);
    for row in LINES {
        let color = value(&roles, row, own_ground.is_some());
        roles.insert(row.0, readable(color, &grounds, ENOUGH.line, dark));
    }
    let grounds = of(&roles, &["bg", "panel", "raised", "add", "remove"]);
    let row_grounds = [grounds.clone(), vec![roles["select"]]].concat();
    for row in TEXTS {
        let color = value(&roles, row, is_own && row.1 == "text");
        let grounds = if ROW_TEXTS.contains(&row.0) { &row_grounds } else { &grounds };
        roles.insert(row.0, readable(color, grounds, ENOUGH.text, dark));
    }
    roles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(roles: &Roles, text: &str, ground: &str) -> f64 {
        contrast(roles[text], roles[ground]).unwrap()
    }

    #[test]
    fn import_roles_are_those_of_the_default_themes() {
        for dark in [true, false] {
            let palette = inherited(dark);
            assert!(names().all(|role| palette.contains_key(role)));
            assert_eq!(complete(&Roles::new(), dark), palette, "nothing given, nothing changed");
        }
    }

    #[test]
    fn import_roles_are_mixed_and_made_readable() {
        let given = Roles::from([
            ("bg", Color::Rgb(250, 245, 230)),
            ("text", Color::Rgb(90, 90, 80)),
            ("accent", Color::Rgb(120, 170, 230)),
            ("select", Color::Rgb(120, 120, 120)),
            ("line", Color::Rgb(250, 245, 230)),
        ]);
        let roles = complete(&given, false);
        assert_eq!((roles["bg"], roles["text"]), (given["bg"], given["text"]));
        for text in TEXTS.map(|row| row.0) {
            for ground in ["bg", "panel", "raised", "add", "remove"] {
                assert!(ratio(&roles, text, ground) >= 4.5, "{text} on {ground}");
            }
        }
        assert!(ratio(&roles, "text", "select") >= 4.5 && ratio(&roles, "faint", "select") >= 4.5);
        assert!(ratio(&roles, "line", "raised") >= 2.0);
        assert_ne!(roles["panel"], inherited(false)["panel"]);
    }

    #[test]
    fn import_roles_of_the_terminal_are_kept() {
        let given =
            Roles::from([("bg", Color::Reset), ("text", Color::Indexed(7)), ("red", Color::Indexed(1))]);
        let roles = complete(&given, true);
        assert_eq!((roles["bg"], roles["text"]), (inherited(true)["bg"], Color::Indexed(7)));
        assert_eq!(roles["red"], Color::Indexed(1));
    }
}
