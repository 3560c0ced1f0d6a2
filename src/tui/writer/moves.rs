//! Escape sequences that move the cursor, appended to a text. Must not know where the cursor is.

/// Appends `CSI n letter`; a single 1 is omitted, being the default.
pub(super) fn csi(n: u16, letter: char, way: &mut String) {
    way.push_str("\x1b[");
    if n != 1 {
        number(n, way);
    }
    way.push(letter);
}

/// Appends a number.
fn number(n: u16, way: &mut String) {
    if n >= 10 {
        number(n / 10, way);
    }
    way.push(char::from(b'0' + (n % 10) as u8));
}

/// Appends a move to a position, from any position.
pub(super) fn absolute(x: u16, y: u16, way: &mut String) {
    if x == 0 {
        return csi(y + 1, 'H', way);
    }
    way.push_str("\x1b[");
    number(y + 1, way);
    way.push(';');
    number(x + 1, way);
    way.push('H');
}

/// A move to another column of the row.
pub(super) fn by_column(from: u16, to: u16, way: &mut String) {
    match to.abs_diff(from) {
        0 => {}
        n if to > from => csi(n, 'C', way),
        n @ 1..=3 => way.extend(std::iter::repeat_n('\u{8}', usize::from(n))),
        n => csi(n, 'D', way),
    }
}

/// Appends the same move by way of the first column.
pub(super) fn by_home(_from: u16, to: u16, way: &mut String) {
    way.push('\r');
    if to > 0 {
        csi(to, 'C', way);
    }
}

/// A move to another row of the column.
pub(super) fn vertical(rows: u16, down: bool, way: &mut String) {
    match (rows, down) {
        (0, _) => {}
        (1..=2, true) => way.extend(std::iter::repeat_n('\n', usize::from(rows))),
        (rows, true) => csi(rows, 'B', way),
        (rows, false) => csi(rows, 'A', way),
    }
}
