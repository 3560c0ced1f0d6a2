//! Computes the areas of the panes from the screen size and the user's choices. Small windows have their own
//! layouts: below 100 columns the tree hides unless focused, below 80 there is one pane at a time, below 40
//! by 10 only the focused text and one status row. For screen readers the focused pane has the whole screen, between
//! its title in the first line and the announcement in the last ones.

use ratatui::layout::Rect;

use crate::ide::core::panes::{Focus, Panes};

/// Below this width the tree hides.
const TREE_COLS_MIN: u16 = 100;
/// Below this width there is one pane at a time.
const SPLIT_COLS_MIN: u16 = 80;
/// Below this size there is no tab line.
const TAB_LINE_MIN: (u16, u16) = (40, 10);
/// With fewer rows a column shows the editor or the terminals, not both.
const BOTH_ROWS_MIN: u16 = 10;
/// With fewer rows the left column shows the file tree or the session tree, not both.
const BOTH_TREES_ROWS_MIN: u16 = 10;
/// Minimum rows of either.
const PART_ROWS_MIN: u16 = 4;
/// Minimum and maximum columns of the agent beside an editor.
const AGENT_COLS: (u16, u16) = (30, 100);
/// From this width on the agent has at least [`AGENT_COLS_WIDE`] columns, below it half.
const WIDE_COLS_MIN: u16 = 130;
const AGENT_COLS_WIDE: u16 = 60;
/// Minimum columns of the file tree and of the editor beside panes that the user has widened.
const FILES_COLS_MIN: u16 = 10;
const EDITOR_COLS_MIN: u16 = 20;
/// Maximum rows of the prompt, with completions above it.
const PROMPT_ROWS_MAX: u16 = 16;
/// With as many rows above the prompt a waiting approval leaves a third of them to the conversation.
const SHARED_ROWS_MIN: u16 = 8;
/// With as many rows the conversation has a title above it.
const TITLED_ROWS_MIN: u16 = 8;

/// Area of each part; `None` where it does not fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Areas {
    /// The file tree.
    pub files: Option<Rect>,
    /// The line of open files, above the editor.
    pub tabs: Option<Rect>,
    /// The text.
    pub editor: Option<Rect>,
    /// The line above the conversation: its title and state.
    pub agent_title: Option<Rect>,
    /// The conversation.
    pub transcript: Option<Rect>,
    /// The call that waits for approval, above the prompt.
    pub approval: Option<Rect>,
    /// The prompt with the queue of messages above it.
    pub prompt: Option<Rect>,
    /// The terminals, below the editor.
    pub terminal: Option<Rect>,
    /// The tree of the session, below the file tree.
    pub session_tree: Option<Rect>,
    /// The current message, over other parts.
    pub toast: Option<Rect>,
    /// The last line.
    pub status: Option<Rect>,
}

/// What the parts of a screen ask for.
#[derive(Debug, Clone, Copy)]
pub struct LayoutRequest {
    /// Rows of the prompt, with what stands above it.
    pub prompt_rows: u16,
    /// Rows of the call that waits for approval, 0 if there is none.
    pub approval_rows: u16,
    /// Whether there is a line of open files where it fits.
    pub tab_line: bool,
    /// Whether the editor has a text. Without one the conversation takes its place.
    pub has_text: bool,
    /// Whether the screen is drawn for screen readers.
    pub accessible: bool,
    /// Rows of the announcement for screen readers.
    pub announcement_rows: u16,
}

/// Lays out a screen of `size` columns and rows.
pub fn areas((cols, rows): (u16, u16), panes: &Panes, request: LayoutRequest) -> Areas {
    let mut areas = Areas::default();
    if cols == 0 || rows == 0 {
        return areas;
    }
    if request.accessible {
        return one_pane((cols, rows), panes, request);
    }
    let bare = cols < TAB_LINE_MIN.0 || rows < TAB_LINE_MIN.1;
    let height = if rows >= 2 { rows - 1 } else { rows };
    if rows >= 2 {
        areas.status = Some(Rect::new(0, height, cols, 1));
    }
    let alone = cols < SPLIT_COLS_MIN || panes.is_zoomed();
    let shows = |pane: Focus| panes.is_open(pane) && (!alone || panes.focus == pane);
    let is_in_trees = matches!(panes.focus, Focus::Files | Focus::SessionTree);
    let has_trees = alone || cols >= TREE_COLS_MIN || is_in_trees;
    let (files, session_tree) = shown_trees(height, panes, |pane| has_trees && shows(pane));
    let (mut terminal, agent) = (shows(Focus::Terminal), shows(Focus::Agent));
    let is_needed = request.has_text || panes.focus == Focus::Editor || !agent;
    let mut editor = shows(Focus::Editor) && is_needed;
    if editor && terminal && height < BOTH_ROWS_MIN {
        (editor, terminal) = (panes.focus != Focus::Terminal, panes.focus == Focus::Terminal);
    }
    let column = editor || terminal;
    let files_width = match (files || session_tree, column || agent) {
        (false, _) => 0,
        (true, false) => cols,
        (true, true) => files_cols(cols, panes.sizes.files, session_tree),
    };
    let rest = cols - files_width;
    let agent_width = match (agent, column) {
        (false, _) => 0,
        (true, false) => rest,
        (true, true) => agent_cols(cols, rest, panes.sizes.agent),
    };
    let lower = lower_rows(height, (files, session_tree), panes.sizes.session_tree);
    areas.files = files.then_some(Rect::new(0, 0, files_width, height - lower));
    areas.session_tree = session_tree.then_some(Rect::new(0, height - lower, files_width, lower));
    let width = rest - agent_width;
    let below = lower_rows(height, (editor, terminal), panes.sizes.terminal);
    if terminal {
        areas.terminal = Some(Rect::new(files_width, height - below, width, below));
    }
    if editor {
        let tabs = u16::from(request.tab_line && !bare);
        areas.tabs = (tabs > 0).then_some(Rect::new(files_width, 0, width, 1));
        areas.editor = Some(Rect::new(files_width, tabs, width, height - below - tabs));
    }
    if agent {
        place_agent(&mut areas, Rect::new(cols - agent_width, 0, agent_width, height), request, bare);
    }
    areas
}

/// Returns the screen without its last `wanted` rows, which have the announcement for screen readers. A row is left to
/// the pane, if there are two.
pub fn above_announcement((cols, rows): (u16, u16), wanted: u16) -> Rect {
    Rect::new(0, 0, cols, rows - wanted.max(1).min(rows.saturating_sub(1)))
}

/// Lays out a screen for screen readers: the title of the focused pane, the pane, the announcements.
fn one_pane(size: (u16, u16), panes: &Panes, request: LayoutRequest) -> Areas {
    let pane = above_announcement(size, request.announcement_rows);
    let last = Rect { y: pane.height, height: size.1 - pane.height, ..pane };
    let mut areas = Areas { status: (pane.height < size.1).then_some(last), ..Areas::default() };
    match panes.focus {
        Focus::Files => areas.files = Some(pane),
        Focus::SessionTree => areas.session_tree = Some(pane),
        Focus::Terminal => areas.terminal = Some(pane),
        Focus::Editor => {
            let title = u16::from(pane.height >= 2);
            areas.tabs = (title > 0).then_some(Rect { height: title, ..pane });
            areas.editor = Some(Rect { y: title, height: pane.height - title, ..pane });
        }
        Focus::Agent => place_agent(&mut areas, pane, request, false),
    }
    areas
}

/// Divides the agent's pane: the prompt at the bottom, a waiting approval above it, then the conversation.
fn place_agent(areas: &mut Areas, pane: Rect, request: LayoutRequest, bare: bool) {
    let most = match (bare, request.approval_rows) {
        (true, 0) => pane.height.saturating_sub(1).clamp(1, 2),
        (true, _) => 1,
        (false, _) => PROMPT_ROWS_MAX.min(pane.height / 2),
    };
    let prompt = request.prompt_rows.clamp(1, most.max(1)).min(pane.height);
    let above = pane.height - prompt;
    // A screen reader reads the answers as a list rather than the conversation above.
    let kept = if above < SHARED_ROWS_MIN || request.accessible { 0 } else { above / 3 };
    let approval = request.approval_rows.min(above - kept);
    let rows = |y, height| (height > 0).then(|| Rect::new(pane.x, y, pane.width, height));
    let titled_min = if request.accessible { 2 } else { TITLED_ROWS_MIN };
    let title = u16::from(!bare && above - approval >= titled_min);
    areas.prompt = rows(above, prompt);
    areas.approval = rows(above - approval, approval);
    areas.agent_title = rows(0, title);
    areas.transcript = rows(title, above - approval - title);
}

/// Returns how many columns the left column has beside other panes, on a screen of `cols` columns: with the session
/// tree more, since its rows are sentences.
fn files_cols(cols: u16, chosen: Option<u16>, session_tree: bool) -> u16 {
    match (chosen, session_tree) {
        (Some(chosen), _) => chosen.clamp(FILES_COLS_MIN, (cols / 2).max(FILES_COLS_MIN)),
        (None, true) => (cols / 4).clamp(20, 40),
        (None, false) => (cols / 6).clamp(16, 30),
    }
}

/// Returns whether the left column shows the file tree and the session tree; of both only one in a low window.
fn shown_trees(height: u16, panes: &Panes, shows: impl Fn(Focus) -> bool) -> (bool, bool) {
    match (shows(Focus::Files), shows(Focus::SessionTree)) {
        (true, true) if height < BOTH_TREES_ROWS_MIN => {
            (panes.focus != Focus::SessionTree, panes.focus == Focus::SessionTree)
        }
        both => both,
    }
}

/// Returns how many of the `rest` columns beside the file tree the agent has beside an editor, on a screen of
/// `cols` columns. `chosen` is in thousandths of the rest.
fn agent_cols(cols: u16, rest: u16, chosen: Option<u16>) -> u16 {
    if let Some(chosen) = chosen {
        let wanted = (u32::from(rest) * u32::from(chosen.min(1000)) / 1000) as u16;
        let least = AGENT_COLS.0.min(rest / 2);
        return wanted.clamp(least, rest - EDITOR_COLS_MIN.min(rest / 2));
    }
    let wanted = if cols >= WIDE_COLS_MIN { (rest * 2 / 5).max(AGENT_COLS_WIDE) } else { rest / 2 };
    wanted.clamp(AGENT_COLS.0, AGENT_COLS.1)
}

/// Returns how many rows the lower part of a column has, such as the terminals below the editor, given whether the
/// column shows the upper and the lower one.
fn lower_rows(height: u16, (upper, lower): (bool, bool), share: u16) -> u16 {
    match (upper, lower) {
        (_, false) => 0,
        (false, true) => height,
        (true, true) => {
            let rows = (u32::from(height) * u32::from(share) / 100) as u16;
            rows.clamp(PART_ROWS_MIN, height - PART_ROWS_MIN)
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::ide::model::pane_sizes::PaneSizes;
    use proptest::prelude::*;

    fn all(areas: &Areas) -> Vec<Rect> {
        let beside = [
            areas.files,
            areas.session_tree,
            areas.agent_title,
            areas.transcript,
            areas.approval,
            areas.prompt,
            areas.status,
        ];
        [areas.tabs, areas.editor, areas.terminal].into_iter().chain(beside).flatten().collect()
    }

    /// What most screens ask for.
    pub const REQUEST: LayoutRequest = LayoutRequest {
        prompt_rows: 2,
        approval_rows: 0,
        tab_line: true,
        has_text: true,
        accessible: false,
        announcement_rows: 1,
    };

    #[test]
    fn layout_agent_has_sixty_columns_or_half_and_all_without_text() {
        let agent = |cols, focus, has_text| {
            let panes = Panes { focus, ..Panes::default() };
            let areas = areas((cols, 30), &panes, LayoutRequest { has_text, ..REQUEST });
            (areas.transcript.unwrap().width, areas.editor.map(|area| area.width))
        };
        assert_eq!(agent(130, Focus::Agent, true), (60, Some(49)));
        assert_eq!(agent(200, Focus::Agent, true), (68, Some(102)));
        assert_eq!(agent(120, Focus::Agent, true), (50, Some(50)));
        assert_eq!(agent(80, Focus::Agent, true), (40, Some(40)));
        assert_eq!(agent(120, Focus::Agent, false), (100, None));
        assert_eq!(agent(120, Focus::Editor, false), (50, Some(50)), "who goes there sees the editor");
    }

    #[test]
    fn layout_small_windows_show_fewer_panes() {
        let shown = |cols, rows, focus| {
            let areas = areas((cols, rows), &Panes { focus, ..Panes::default() }, REQUEST);
            [areas.files, areas.tabs, areas.editor, areas.transcript, areas.prompt, areas.status]
                .map(|a| a.is_some())
        };
        assert_eq!(shown(120, 30, Focus::Editor), [true; 6]);
        assert_eq!(shown(90, 30, Focus::Editor), [false, true, true, true, true, true]);
        assert_eq!(shown(70, 30, Focus::Editor), [false, true, true, false, false, true]);
        assert_eq!(shown(70, 30, Focus::Agent), [false, false, false, true, true, true]);
        assert_eq!(shown(20, 5, Focus::Editor), [false, false, true, false, false, true]);
        assert_eq!(shown(20, 5, Focus::Files), [true, false, false, false, false, true]);
    }

    #[test]
    fn layout_session_tree_is_below_the_files_and_leaves_with_them() {
        let shown = |cols, rows, focus, sizes: PaneSizes| {
            let mut panes = Panes { sizes, focus, ..Panes::default() };
            panes.set(Focus::SessionTree, true);
            let areas = areas((cols, rows), &panes, REQUEST);
            let area = |area: Option<Rect>| area.map(|area| (area.y, area.width, area.height));
            (area(areas.files), area(areas.session_tree))
        };
        let usual = PaneSizes::default();
        assert_eq!(shown(120, 31, Focus::Editor, usual), (Some((0, 30, 15)), Some((15, 30, 15))));
        let sizes = PaneSizes { files: Some(50), session_tree: 80, ..usual };
        assert_eq!(shown(120, 31, Focus::Editor, sizes), (Some((0, 50, 6)), Some((6, 50, 24))));
        assert_eq!(shown(99, 31, Focus::Editor, usual), (None, None));
        assert_eq!(shown(99, 31, Focus::SessionTree, usual), (Some((0, 24, 15)), Some((15, 24, 15))));
        assert_eq!(shown(120, 9, Focus::SessionTree, usual), (None, Some((0, 30, 8))));
        assert_eq!(shown(120, 9, Focus::Editor, usual), (Some((0, 20, 8)), None));
        assert_eq!(shown(60, 31, Focus::SessionTree, usual), (None, Some((0, 60, 30))));
        assert_eq!(shown(60, 31, Focus::Files, usual), (Some((0, 60, 30)), None));
    }

    #[test]
    fn layout_accessible_has_one_pane_between_title_and_announcements() {
        let panes = |focus| Panes { focus, terminal: true, ..Panes::default() };
        let request = LayoutRequest { accessible: true, ..REQUEST };
        let last = Some(Rect::new(0, 29, 200, 1));
        let all = areas((200, 30), &panes(Focus::Editor), request);
        let title = Some(Rect::new(0, 0, 200, 1));
        let editor = Some(Rect::new(0, 1, 200, 28));
        assert_eq!(all, Areas { tabs: title, editor, status: last, ..Areas::default() });
        let all = areas((200, 30), &panes(Focus::Agent), request);
        assert_eq!((all.editor, all.files, all.terminal, all.status), (None, None, None, last));
        assert_eq!(
            (all.agent_title, all.transcript, all.prompt),
            (title, Some(Rect::new(0, 1, 200, 26)), Some(Rect::new(0, 27, 200, 2)))
        );
        let long = LayoutRequest { announcement_rows: 4, ..request };
        let all = areas((200, 30), &panes(Focus::Agent), long);
        assert_eq!(
            (all.prompt, all.status),
            (Some(Rect::new(0, 24, 200, 2)), Some(Rect::new(0, 26, 200, 4)))
        );
    }

    #[test]
    fn layout_approval_leaves_a_third_of_the_rows_to_the_conversation() {
        let rows = |height, approval_rows| {
            let panes = Panes { focus: Focus::Agent, ..Panes::default() };
            let areas = areas((100, height), &panes, LayoutRequest { approval_rows, ..REQUEST });
            let parts = [areas.agent_title, areas.transcript, areas.approval, areas.prompt];
            parts.map(|area| area.map_or(0, |area| area.height))
        };
        assert_eq!(rows(30, 9), [1, 17, 9, 2]);
        assert_eq!(rows(30, 60), [1, 8, 18, 2]);
        assert_eq!(rows(5, 60), [0, 0, 3, 1]);
        assert_eq!(rows(30, 0), [1, 26, 0, 2]);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn layout_panes_cover_screen_without_overlap(cols in 1..300u16, rows in 1..100u16, focus in 0..5usize,
            open in prop::array::uniform5(any::<bool>()), prompt in 0..40u16, approval in 0..60u16, tabs: bool, text: bool, zoomed: bool, accessible: bool, announcement_rows in 0..120u16,
            sizes in (10..91u16, any::<Option<u16>>(), any::<Option<u16>>(), any::<u16>())) {
            let mut panes = Panes { focus: [Focus::Files, Focus::Editor, Focus::Agent, Focus::Terminal, Focus::SessionTree][focus], ..Panes::default() };
            panes.set(Focus::Files, open[0]);
            panes.set(Focus::Agent, open[1]);
            panes.set(Focus::Terminal, open[2]);
            panes.set(Focus::Editor, open[3]);
            panes.set(Focus::SessionTree, open[4]);
            panes.sizes = PaneSizes { terminal: sizes.0, files: sizes.1, agent: sizes.2, session_tree: sizes.3 };
            panes.zoomed = zoomed.then_some(panes.focus);
            let request = LayoutRequest { prompt_rows: prompt, approval_rows: approval, tab_line: tabs, has_text: text, accessible, announcement_rows };
            let rects = all(&areas((cols, rows), &panes, request));
            let cells: u32 = rects.iter().map(|r| u32::from(r.width) * u32::from(r.height)).sum();
            prop_assert_eq!(cells, u32::from(cols) * u32::from(rows));
            for (n, a) in rects.iter().enumerate() {
                prop_assert!(a.right() <= cols && a.bottom() <= rows);
                prop_assert!(rects[n + 1..].iter().all(|b| a.intersection(*b).is_empty()));
            }
        }
    }
}
