//! Rows of images below a message or a call. Must not know how terminals show them.

use crate::ide::features::images::data::ImageData;
use crate::ide::features::transcript::cards::form::CardForm;
use crate::ide::features::transcript::cards::rows::{INDENT, fit};
use crate::tui::images::decode::cells_of;
use crate::tui::images::placeholder::SIDE_MAX;
use crate::tui::widgets::line::{ImageRow, Line, Role, Span};

/// Rows of an image in short form.
const SHORT_ROWS: u16 = 12;
/// Rows of an image where all is shown.
const WHOLE_ROWS: u16 = 40;

/// Returns the rows of an image: its label where images are not shown.
pub fn rows(image: &ImageData, form: &CardForm<'_>) -> Vec<Line> {
    let scope = "agent.tool.output";
    let room = form.width.saturating_sub(INDENT.len() as u16).clamp(1, SIDE_MAX);
    let indent = || Span::decoration(INDENT, scope);
    let label = fit(vec![Span::new(image.label(), scope)], usize::from(room));
    let (false, Some(cell), Some(header)) = (form.is_closed, form.image_cell, image.header) else {
        return vec![std::iter::once(indent()).chain(label).collect()];
    };
    let max = (room, if form.is_full { WHOLE_ROWS } else { SHORT_ROWS });
    let (_, rows) = cells_of((header.width, header.height), cell, max);
    let text: String = label.into_iter().map(|span| span.text).collect();
    let row = |row: u16| {
        let text = if row == 0 { text.clone() } else { String::new() };
        vec![indent(), Span::new(text, scope).with_role(Role::Image(ImageRow { key: image.key, row, max }))]
    };
    (0..rows).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::features::transcript::cards::form::CardKeys;
    use crate::ide::features::transcript::layout::ItemOptions;
    use crate::ide::model::view::text_options::TextOptions;

    fn form(keys: &CardKeys, image_cell: Option<(u16, u16)>, is_full: bool, width: u16) -> CardForm<'_> {
        let show = TextOptions { image_cell, expand_output: is_full, ..TextOptions::new(4, true, 80) };
        CardForm::new(width, ItemOptions { show, is_closed: false }, keys, &[])
    }

    #[test]
    fn cards_image_has_rows_of_its_shape_or_a_label() {
        let png =
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x02\0\0\0\xba\xb3K\xb3\0\0\0\0IDAT";
        let image = ImageData::from_bytes(png.to_vec());
        let keys = CardKeys::default();
        assert_eq!(rows(&image, &form(&keys, Some((8, 16)), false, 80)).len(), 12);
        assert_eq!(rows(&image, &form(&keys, Some((8, 16)), true, 200)).len(), 30);
        assert_eq!(rows(&image, &form(&keys, Some((8, 16)), true, 18)).len(), 6);
        let label = rows(&image, &form(&keys, None, false, 80));
        assert_eq!((label.len(), label[0][1].text.as_str()), (1, "[image: PNG 640x480]"));
        let broken = rows(&ImageData::from_bytes(b"x".to_vec()), &form(&keys, Some((8, 16)), false, 80));
        assert_eq!((broken.len(), broken[0][1].text.as_str()), (1, "[image: broken]"));
        let narrow = rows(&image, &form(&keys, None, false, 12));
        assert_eq!(crate::tui::widgets::line::width(&narrow[0]), 12);
    }
}
