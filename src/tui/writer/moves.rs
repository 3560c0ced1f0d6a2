//! Escape sequences that move the cursor, appended to a text. Must not know where the cursor is.

/// Appends `CSI n letter`; a single 1 is omitted, being the default.
pub(super) fn csi(n: u16, letter: char, out: &mut String) {
    out.push_str("\x1b[");
    if n != 1 {
        number(n, out);
    }
    out.push(letter);
}

/// Appends a number.
fn number(n: u16, out: &mut String) {
    if n >= 10 {
        number(n / 10, out);
    }
    out.push(char::from(b'0' + (n % 10) as u8));
}

/// Appends a move to a position, from any position.
pub(super) fn absolute(x: u16, y: u16, out: &mut String) {
    if x == 0 {
        return csi(y + 1, 'H', out);
    }
    out.push_str("\x1b[");
    number(y + 1, out);
    out.push(';');
    number(x + 1, out);
    out.push('H');
}

/// A move to another column of the row.
pub(super) fn by_column(from: u16, to: u16, out: &mut String) {
    match to.abs_diff(from) {
        0 => {}
        n if to > from => csi(n, 'C', out),
        n @ 1..=3 => out.extend(std::iter::repeat_n('\u{8}', usize::from(n))),
        n => csi(n, 'D', out),
    }
}

/// Appends the same move by way of the first column.
pub(super) fn by_home(_from: u16, to: u16, out: &mut String) {
    out.push('\r');
    if to > 0 {
        csi(to, 'C', out);
    }
}

/// A move to another row of the column.
pub(super) fn vertical(rows: u16, down: bool, out: &mut String) {
    match (rows, down) {
        (0, _) => {}
        (1..=2, true) => out.extend(std::iter::repeat_n('\n', usize::from(rows))),
        (rows, true) => csi(rows, 'B', out),
        (rows, false) => csi(rows, 'A', out),
    }
}
