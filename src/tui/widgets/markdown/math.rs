//! Formulas of TeX as text: symbols, indices, fractions and roots in one line. What has no form as text stays TeX.
//!
//! Must not know Markdown, except for how formulas are marked in it. Symbols and small letters are those of the crate
//! `unicodeit`, which is asked for one of them at a time: it replaces names within longer names.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use parking_lot::Mutex;

/// Longer formulas stay TeX.
const BYTES_MAX: usize = 1 << 10;
/// Maximum number of commands whose characters are kept.
const KNOWN_MAX: usize = 4096;
/// Groups nested deeper than this stay TeX.
const DEPTH_MAX: usize = 24;

/// Names that are written as they are.
const FUNCTIONS: &[&str] = &[
    "arccos", "arcsin", "arctan", "arg", "argmax", "argmin", "cos", "cosh", "cot", "csc", "deg", "det",
    "dim", "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min",
    "mod", "bmod", "Pr", "sec", "sin", "sinh", "sup", "tan", "tanh",
];
/// Commands whose argument is text in another font, which is left out.
const FONTS: &[&str] = &[
    "text",
    "textbf",
    "textit",
    "textrm",
    "mathrm",
    "mathit",
    "mathsf",
    "mathtt",
    "operatorname",
    "boldsymbol",
    "mbox",
];
/// Commands that only change sizes or spaces.
const IGNORED: &[&str] = &[
    "left",
    "right",
    "big",
    "Big",
    "bigl",
    "bigr",
    "Bigl",
    "Bigr",
    "bigg",
    "Bigg",
    "displaystyle",
    "textstyle",
    "limits",
    "nolimits",
    "!",
];
/// Commands for spaces.
const SPACES: &[&str] = &["quad", "qquad", ",", ";", ":", " ", "enspace", "thinspace"];

/// Returns a formula as text, or `None` if a part of it has no form as text.
pub fn text(tex: &str) -> Option<String> {
    if tex.len() > BYTES_MAX {
        return None;
    }
    let mut reader = Reader { rest: tex, depth: 0 };
    let text = reader.group(None)?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns whether what stands between two dollar signs is meant as a formula, and not as two prices.
pub fn is_formula(tex: &str) -> bool {
    let mut letters = tex.trim().chars();
    let is_letter = letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
    is_letter || tex.contains(['\\', '^', '_', '=', '<', '>', '+']) && tex.contains(char::is_alphabetic)
}

/// Returns a Markdown text in which formulas in `\(…\)` and `\[…\]` stand between dollar signs. Code is unchanged.
pub fn with_dollars(text: &str) -> String {
    if !text.contains("\\(") && !text.contains("\\[") {
        return text.to_string();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '\\']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        // An escaped bracket behind a letter belongs to that word, as an index does.
        let is_in_word = out.ends_with(char::is_alphanumeric);
        let (taken, replaced) = token(from);
        out.push_str(&replaced.filter(|_| !is_in_word).unwrap_or_else(|| from[..taken].to_string()));
        rest = &from[taken..];
    }
    out.push_str(rest);
    out
}

/// Returns the length of the code, the formula or the escape at the start of a text, and what stands for it.
fn token(from: &str) -> (usize, Option<String>) {
    if from.starts_with('`') {
        let ticks = &from[..from.len() - from.trim_start_matches('`').len()];
        let end = from[ticks.len()..].find(ticks).map_or(ticks.len(), |end| end + 2 * ticks.len());
        return (end, None);
    }
    for (open, close, dollars) in [("\\(", "\\)", "$"), ("\\[", "\\]", "$$")] {
        let Some(inner) = from.strip_prefix(open) else { continue };
        let Some(end) = inner.find(close).filter(|end| !inner[..*end].contains("\n\n")) else { continue };
        let formula = inner[..end].trim();
        let is_link = inner[end + close.len()..].starts_with('(');
        if is_formula(formula) && !formula.contains('$') && !is_link {
            let text = format!("{dollars}{formula}{dollars}");
            return (open.len() + end + close.len(), Some(text));
        }
    }
    let escaped = from.chars().nth(1).map_or(0, char::len_utf8);
    (1 + escaped, None)
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// Reads up to a closing sign, or to the end.
    fn group(&mut self, close: Option<char>) -> Option<String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let mut out = String::new();
        while let Some(c) = self.rest.chars().next() {
            if Some(c) == close {
                self.rest = &self.rest[c.len_utf8()..];
                self.depth -= 1;
                return Some(out);
            }
            if c == '}' || c == '&' {
                return None;
            }
            if matches!(c, '^' | '_') {
                self.rest = &self.rest[1..];
                let index = self.argument()?;
                write_index(&mut out, c, index.trim());
                continue;
            }
            out.push_str(&self.unit()?);
        }
        self.depth -= 1;
        close.is_none().then_some(out)
    }

    /// Reads what a command is about: a group, a command or a character.
    fn argument(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        self.unit()
    }

    fn unit(&mut self) -> Option<String> {
        let c = self.rest.chars().next()?;
        match c {
            '{' => {
                self.rest = &self.rest[1..];
                self.group(Some('}'))
            }
            '\\' => self.command(),
            '\'' => {
                self.rest = &self.rest[1..];
                Some("′".to_string())
            }
            '-' => {
                self.rest = &self.rest[1..];
                Some("−".to_string())
            }
            '~' => {
                self.rest = &self.rest[1..];
                Some(" ".to_string())
            }
            c => {
                self.rest = &self.rest[c.len_utf8()..];
                Some(c.to_string())
            }
        }
    }

    fn command(&mut self) -> Option<String> {
        let name = self.name()?;
        match name {
            "{" | "}" | "%" | "$" | "#" | "_" | "&" => Some(name.to_string()),
            "|" => Some("‖".to_string()),
            "\\" | "begin" | "end" => None,
            "frac" | "dfrac" | "tfrac" => {
                let (over, under) = (self.argument()?, self.argument()?);
                Some(format!("{}/{}", in_parentheses(&over), in_parentheses(&under)))
            }
            "binom" => {
                let (over, under) = (self.argument()?, self.argument()?);
                Some(format!("C({over}, {under})"))
            }
            "sqrt" => self.root(),
            name if FONTS.contains(&name) => self.plain_text(),
            "mathbb" | "mathcal" | "mathfrak" | "mathbf" => {
                let letters = self.argument()?;
                letters.chars().map(|c| symbol(&format!("\\{name}{{{c}}}"))).collect()
            }
            "hat" | "bar" | "vec" | "tilde" | "dot" | "ddot" | "overline" => {
                let letter = self.argument()?;
                if letter.chars().count() == 1 { symbol(&format!("\\{name}{{{letter}}}")) } else { None }
            }
            name if FUNCTIONS.contains(&name) => Some(self.spaced(name)),
            name if IGNORED.contains(&name) => {
                // `\left.` is a delimiter that is not seen.
                self.rest = self.rest.strip_prefix('.').unwrap_or(self.rest);
                Some(String::new())
            }
            name if SPACES.contains(&name) => Some(" ".to_string()),
            name => symbol(&format!("\\{name}")),
        }
    }

    /// Reads the name of a command: letters, or one other character.
    fn name(&mut self) -> Option<&'a str> {
        let after = &self.rest[1..];
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let length = if letters > 0 { letters } else { after.chars().next()?.len_utf8() };
        let (name, rest) = after.split_at(length);
        self.rest = rest.strip_prefix('*').filter(|_| letters > 0).unwrap_or(rest);
        Some(name)
    }

    /// Returns the name of a function, apart from a letter that follows.
    fn spaced(&self, name: &str) -> String {
        let is_joined = self.rest.starts_with(['^', '_', '(', ' ', '{', '[']) || self.rest.is_empty();
        if is_joined { name.to_string() } else { format!("{name} ") }
    }

    fn root(&mut self) -> Option<String> {
        let sign = match self.rest.strip_prefix('[') {
            Some(rest) => {
                self.rest = rest;
                match self.group(Some(']'))?.as_str() {
                    "3" => "∛",
                    "4" => "∜",
                    _ => return None,
                }
            }
            None => "√",
        };
        let inside = self.argument()?;
        let is_single = inside.chars().count() == 1 || inside.chars().all(|c| c.is_ascii_digit());
        Some(if is_single { format!("{sign}{inside}") } else { format!("{sign}({inside})") })
    }

    /// Reads the argument of a command that contains text, not a formula.
    fn plain_text(&mut self) -> Option<String> {
        let inner = self.rest.trim_start().strip_prefix('{')?;
        let end = inner.find('}')?;
        let text = &inner[..end];
        self.rest = &inner[end + 1..];
        (!text.contains(['\\', '{', '$'])).then(|| text.to_string())
    }
}

/// Writes an index or an exponent in small letters, or, if one of its characters has none, in parentheses.
fn write_index(out: &mut String, sign: char, index: &str) {
    if index == "∘" {
        out.push('°');
        return;
    }
    let small: Option<String> = index.chars().filter(|c| *c != ' ').map(|c| small(sign, c)).collect();
    let written = match small {
        Some(small) => write!(out, "{small}"),
        None if index.chars().count() == 1 => write!(out, "{sign}{index}"),
        None => write!(out, "{sign}({index})"),
    };
    written.expect("a string can be written to");
}

/// Returns a character as an exponent (`^`) or as an index (`_`), if there is such a character.
fn small(sign: char, c: char) -> Option<String> {
    match (sign, c) {
        ('^', '′') => return Some("′".to_string()),
        ('^', '−') => return Some("⁻".to_string()),
        ('_', '−') => return Some("₋".to_string()),
        _ => {}
    }
    let found = replaced(&format!("{sign}{{{c}}}"));
    let is_one = found.chars().count() == 1 && !found.contains(sign);
    is_one.then_some(found)
}

/// Returns what the crate makes of one command. It goes through all that it knows, so that answers are kept.
fn replaced(command: &str) -> String {
    static KNOWN: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock();
    if let Some(found) = known.get(command) {
        return found.clone();
    }
    if known.len() >= KNOWN_MAX {
        known.clear();
    }
    let found = unicodeit::replace(command);
    known.insert(command.to_string(), found.clone());
    found
}

/// Returns the character of a command.
fn symbol(command: &str) -> Option<String> {
    let found = replaced(command);
    let is_whole = !found.contains(['\\', '{', '}']) && found.chars().count() <= 2;
    let is_other = !found.is_ascii();
    // A name within the name was replaced.
    let has_rest =
        found.chars().count() > 1 && found.chars().any(|c| c.is_ascii_alphabetic()) && !command.contains('{');
    (is_whole && is_other && !has_rest).then_some(found)
}

/// Returns a part of a fraction, in parentheses unless it is one number, letter or function.
fn in_parentheses(part: &str) -> String {
    let part = part.trim();
    let is_single =
        part.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '′') || part.chars().count() == 1;
    if is_single { part.to_string() } else { format!("({part})") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn math_formulas_become_text() {
        for (tex, wanted) in [
            (r"\alpha^2 + \beta_{ij} \le \sum_{i=0}^{n} x_i", "α² + βᵢⱼ ≤ ∑ᵢ₌₀ⁿ xᵢ"),
            (r"\frac{a+b}{c}", "(a+b)/c"),
            (r"\frac{\partial f}{\partial x}", "(∂ f)/(∂ x)"),
            (r"\sqrt{x^2+1}", "√(x²+1)"),
            (r"\sqrt2", "√2"),
            (r"\sqrt[3]{8}", "∛8"),
            (r"f : \mathbb{R}^n \to \mathbb{R}", "f : ℝⁿ → ℝ"),
            (r"e^{i\pi} + 1 = 0", "e^(iπ) + 1 = 0"),
            (r"\text{if } x \in A \cup B", "if x ∈ A ∪ B"),
            (r"\left( \frac{1}{n} \right)", "( 1/n )"),
            (r"O(n \log n)", "O(n log n)"),
            (r"\log_2 n", "log₂ n"),
            (r"\sin x", "sin x"),
            (r"A \implies B \quad \forall x \neq 0", "A ⟹ B ∀ x ≠ 0"),
            (r"90^\circ", "90°"),
            (r"f'(x) = -x^{-1}", "f′(x) = −x⁻¹"),
            (r"\{ x \mid x > 0 \}", "{ x ∣ x > 0 }"),
            (r"x_{max}", "xₘₐₓ"),
        ] {
            assert_eq!(text(tex).as_deref(), Some(wanted), "{tex}");
        }
    }

    #[test]
    fn math_without_form_as_text_stays_tex() {
        for tex in [
            r"\begin{matrix} a & b \end{matrix}",
            r"a \\ b",
            r"\unknowncommand",
            "a}b",
            "{a",
            r"\",
            r"\frac{a}",
        ] {
            assert_eq!(text(tex), None, "{tex}");
        }
        assert_eq!(text(&"{".repeat(10_000)), None);
    }

    #[test]
    fn math_prices_are_no_formulas() {
        assert!(!["5-", "5 and ", "10", "5/", "HOME"].into_iter().any(is_formula));
        assert!(["x", "x^2", r"\alpha", "a=b", "n_1"].into_iter().all(is_formula));
    }

    #[test]
    fn math_in_brackets_is_found_outside_code() {
        assert_eq!(with_dollars(r"so \(x^2\) is \[ y \] `\(a\)`"), r"so $x^2$ is $$y$$ `\(a\)`");
        assert_eq!(with_dollars(r"\\(a\) \( \) \[a"), r"\\(a\) \( \) \[a");
        assert_eq!(with_dollars("`a \\(b"), "`a \\(b");
        for unchanged in [r"arr\[i=0\]", r"foo\(a_b\)", r"\[a_b\](link)", r"\[0\]", r"\(see above\)"] {
            assert_eq!(with_dollars(unchanged), unchanged);
        }
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn math_any_text_is_harmless(tex in r"[\\a-z{}^_ $&\[\]\(\)é∑0-9]{0,40}") {
            let _ = text(&tex);
            let _ = with_dollars(&tex);
        }
    }
}
