//! Diagrams of Mermaid in answers, drawn as text by a task once their block is complete. Must not know the position of
//! a block in its answer.

use crate::base::width::text_width;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::features::transcript::agents;
use crate::tui::widgets::markdown::code_blocks::Block;

/// Longer sources are shown as they are: the time that drawing takes grows faster than their length.
const BYTES_MAX: usize = 8 << 10;
/// Kinds of diagrams that are drawn: what these take grows with the source. Others have sizes as numbers.
const KINDS: [&str; 7] =
    ["graph", "flowchart", "sequenceDiagram", "stateDiagram", "stateDiagram-v2", "classDiagram", "erDiagram"];
/// Sources with longer numbers are not drawn.
const DIGITS_MAX: usize = 4;
/// Higher drawings are not shown.
const LINES_MAX: usize = 500;
/// Columns before the code of a block.
const INDENT: u16 = 1;

/// Returns whether a block is the source of a diagram that can be drawn.
pub fn is_diagram(block: &Block) -> bool {
    block.language == "mermaid" && block.width > INDENT && block.code.len() <= BYTES_MAX
}

/// Draws the diagram in a task and shows it in place of its source. What cannot be drawn in the width of the text stays
/// source.
pub fn draw(cx: &Cx<'_>, item: u64, block: Block) {
    let (code, width) = (block.code.clone(), usize::from(block.width - INDENT));
    let work = move || lines(&code, width);
    cx.tasks.spawn_blocking("transcript.draw-diagram", work, move |cx, drawn| {
        let lines = match drawn {
            Ok(Some(lines)) => lines,
            Ok(None) => return,
            // The source is on the screen.
            Err(error) => return tracing::warn!("a diagram was not drawn: {error}"),
        };
        let (transcript, view) = agents::shown(&cx.state.slots);
        if view.borrow_mut().draw_block(transcript, item, &block, lines) {
            cx.state.damage.add(Part::Transcript);
        }
    });
}

/// Returns the lines of a diagram, if it can be drawn in that width.
fn lines(code: &str, width: usize) -> Option<Vec<String>> {
    // Drawings are aligned by columns: a control character would move what stands behind it.
    if code.chars().any(|c| c.is_control() && c != '\n' && c != '\r' && c != '\t') {
        return None;
    }
    let is_comment = |line: &&str| line.is_empty() || line.starts_with("%%");
    let first = code.lines().map(str::trim).find(|line| !is_comment(line))?;
    let kind = first.split(|c: char| c.is_whitespace() || c == ';').next()?;
    let has_large_number = code.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > DIGITS_MAX);
    if !KINDS.contains(&kind) || has_large_number {
        return None;
    }
    let drawn = mermaid_text::render_with_width(code, Some(width)).ok()?;
    let lines: Vec<String> = drawn.trim_end().lines().map(|line| line.trim_end().to_string()).collect();
    let fits = lines.len() <= LINES_MAX && lines.iter().all(|line| text_width(line) <= width);
    (fits && !drawn.trim().is_empty()).then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagram_of_flow_chart_fits_or_stays_source() {
        let code = "flowchart LR\n A[Start] --> B[End]\n";
        let drawn = lines(code, 60).unwrap();
        assert!(drawn.iter().any(|line| line.contains("Start") && line.contains("End")), "{drawn:#?}");
        assert!(drawn.iter().all(|line| text_width(line) <= 60));
        assert_eq!(lines(code, 5), None);
    }

    #[test]
    fn diagram_of_sequence_is_drawn() {
        let drawn =
            lines("sequenceDiagram\n Alice->>Bob: Hello\n Bob-->>Alice: Hi\n", 60).unwrap().join("\n");
        assert!(drawn.contains("Alice") && drawn.contains("Hello") && drawn.contains("Hi"), "{drawn}");
    }

    #[test]
    fn diagram_with_errors_or_control_characters_stays_source() {
        assert_eq!(lines("no diagram", 60), None);
        for code in [
            "block-beta\ncolumns 100000000000\na\n",
            "packet-beta\n0-2000000000: \"x\"\n",
            "graph TD\n A12345 --> B\n",
        ] {
            assert_eq!(lines(code, 60), None, "{code}");
        }
        assert!(lines("%% a comment\n\n graph TD;\n A --> B;\n", 60).is_some());
        assert_eq!(lines("graph TD\n A[\u{1b}[31mred] --> B\n", 60), None);
    }
}
