//! Shell expansions in names: whether `e*n` or `${x}ron` may become `environ`.
//!
//! Pure. Errs towards yes.

/// A piece of a path component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Char(char),
    One,
    Any,
}

/// Splits the component into pieces; quotes are removed.
fn pieces(component: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut chars = component.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\'' | '\\' => {}
            '*' => pieces.push(Piece::Any),
            // One of several alternatives, the last of which may be missing.
            '{' => {
                while chars.next_if(|c| *c != '}').is_some() {}
                chars.next();
                pieces.push(Piece::Any);
            }
            // The end of a substitution is unknown.
            '`' | '(' => {
                pieces.push(Piece::Any);
                break;
            }
            '?' => pieces.push(Piece::One),
            '[' => {
                while chars.next_if(|c| *c != ']').is_some() {}
                chars.next();
                pieces.push(Piece::One);
            }
            '$' => {
                if chars.peek() == Some(&'(') {
                    pieces.push(Piece::Any);
                    break;
                }
                if chars.next_if_eq(&'{').is_some() {
                    while chars.next_if(|c| *c != '}').is_some() {}
                    chars.next();
                } else if chars.next_if(|c| !(c.is_ascii_alphanumeric() || *c == '_')).is_none() {
                    while chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_').is_some() {}
                }
                pieces.push(Piece::Any);
            }
            c => pieces.push(Piece::Char(c)),
        }
    }
    pieces
}

/// Whether a component may become this name, in letters of any size.
pub(super) fn may_match(component: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    matches(&pieces(component), &name)
}

fn matches(pieces: &[Piece], name: &[char]) -> bool {
    // `at` marks the positions in the name that the pieces so far can reach.
    let mut at = vec![false; name.len() + 1];
    at[0] = true;
    for piece in pieces {
        let mut next = vec![false; name.len() + 1];
        for n in 0..=name.len() {
            match piece {
                Piece::Any => next[n] = at[n] || (n > 0 && next[n - 1]),
                Piece::One => next[n] = n > 0 && at[n - 1],
                Piece::Char(c) => next[n] = n > 0 && at[n - 1] && name[n - 1].eq_ignore_ascii_case(c),
            }
        }
        at = next;
    }
    at[name.len()]
}

/// Whether a component has no fixed text: `*`, `$x`.
pub(super) fn is_pure_wildcard(component: &str) -> bool {
    pieces(component).iter().all(|piece| !matches!(piece, Piece::Char(_))) && !component.is_empty()
}

/// Whether a shell expands a component.
pub(super) fn is_expanded(component: &str) -> bool {
    pieces(component).iter().any(|piece| !matches!(piece, Piece::Char(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansion_component_may_match_name() {
        for (component, expected) in [
            ("environ", true),
            ("'envi'ron", true),
            ("env*", true),
            ("${x}ron", true),
            ("$x$y", true),
            ("e[mn]v?ron", true),
            ("$(echo environ)", true),
            ("{environ,x}", true),
            ("ENVIRON", true),
            ("$1ron", true),
            ("environs", false),
            ("env", false),
            ("m*", false),
            ("?", false),
            ("", false),
        ] {
            assert_eq!(may_match(component, "environ"), expected, "{component}");
        }
        assert!(
            is_pure_wildcard("\"$x\"")
                && is_pure_wildcard("*")
                && !is_pure_wildcard("a*")
                && !is_pure_wildcard("")
        );
        assert!(is_expanded("a*") && !is_expanded("'a'"));
    }
}
