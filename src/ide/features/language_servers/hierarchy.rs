//! Call and type hierarchies: what calls the function at the caret, what it calls, and what the type there is derived from.
//! Each list is the answer to one question; a key asks the same about the selected row, and another goes back.

use crate::base::width::{text_width, visible};
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::layers::picker::{Location, Pick, PickRow, Picker};
use crate::ide::core::layers::replaced_rows::replace_rows;
use crate::ide::features::language_servers::places::PlaceReader;
use crate::ide::features::language_servers::questions::{
    ask, client, failure, has_server, is_at, no_answer, shown_version,
};
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::lsp::answers::hierarchy::{HierarchyItem, RelatedItem};
use crate::lsp::client::hierarchy::Relation;
use crate::lsp::client::{Client, QuestionError};
use crate::lsp::table::Feature;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("lsp.callers", "Show callers", &["incoming calls", "call hierarchy", "who calls this"], |cx| {
        begin(cx, Relation::Caller);
    })
    .when(has_server),
    command("lsp.callees", "Show callees", &["outgoing calls", "called functions"], |cx| {
        begin(cx, Relation::Callee);
    })
    .when(has_server),
    command("lsp.supertypes", "Show supertypes", &["type hierarchy", "base classes", "parent types"], |cx| {
        begin(cx, Relation::Supertype);
    })
    .when(has_server),
    command("lsp.subtypes", "Show subtypes", &["derived classes", "type hierarchy down"], |cx| {
        begin(cx, Relation::Subtype);
    })
    .when(has_server),
    command("lsp.hierarchy-next", "Show next hierarchy level", &["callers of row", "follow calls"], next),
    command("lsp.hierarchy-back", "Show previous hierarchy level", &["hierarchy back"], back),
];

/// Lists that "back" leads to.
const LEVELS_MAX: usize = 64;
/// Cells between the columns of the list.
const COLUMN_GAP: usize = 2;
/// Functions or types at the caret that are asked about.
const ROOTS_MAX: usize = 10;

/// What is said where no list of a hierarchy is shown.
const NOT_SHOWN: &str = "No call or type hierarchy is shown";

/// The lists through which the user has gone, the shown one last.
#[derive(Debug, Default)]
pub struct Hierarchy {
    levels: Vec<Level>,
}

impl Hierarchy {
    /// Returns what the shown list has.
    pub fn title(&self) -> Option<&str> {
        self.levels.last().map(|level| level.title.as_str())
    }

    /// Returns the rows of the shown list.
    pub fn rows(&self) -> Vec<PickRow> {
        self.levels.last().map(|level| level.rows.clone()).unwrap_or_default()
    }
}

/// One list.
#[derive(Debug)]
struct Level {
    /// What it has, such as "callers of main".
    title: String,
    rows: Vec<PickRow>,
    /// The row from which the next list came.
    selected: Option<Pick>,
}

/// A function or type as a row.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedRow {
    /// Where to go: a call, or its name.
    pub place: Location,
    /// What the list was asked for.
    relation: Relation,
    /// Number of the server.
    server: u32,
    item: HierarchyItem,
}

/// What is related to the items that were asked about: the title of the list, and its rows.
type Answer = Result<(String, Vec<PickRow>), String>;

fn feature(relation: Relation) -> Feature {
    match relation {
        Relation::Caller | Relation::Callee => Feature::CallHierarchy,
        Relation::Supertype | Relation::Subtype => Feature::TypeHierarchy,
    }
}

/// What the rows are.
fn plural(relation: Relation) -> &'static str {
    match relation {
        Relation::Caller => "callers",
        Relation::Callee => "callees",
        Relation::Supertype => "supertypes",
        Relation::Subtype => "subtypes",
    }
}

/// What the server is asked for.
fn what(relation: Relation) -> &'static str {
    match relation {
        Relation::Caller => "find callers",
        Relation::Callee => "find callees",
        Relation::Supertype => "find supertypes",
        Relation::Subtype => "find subtypes",
    }
}

/// What is shown where nothing can be asked about.
fn nothing(relation: Relation) -> &'static str {
    match relation {
        Relation::Caller | Relation::Callee => "No function at the cursor",
        Relation::Supertype | Relation::Subtype => "No type at the cursor",
    }
}

/// Asks about what is at the caret, and opens the list.
fn begin(cx: &mut Cx<'_>, relation: Relation) {
    let Some(asked) = ask(cx, feature(relation)) else { return };
    let (id, at, version) = (asked.buffer, asked.at, shown_version(cx.state));
    let mut reader = PlaceReader::new(cx);
    let work = async move {
        let mut problems = Vec::new();
        for server in asked.servers {
            let Some(client) = server.client.await else { continue };
            match client.hierarchy_items(relation, &asked.path, asked.at.0).await {
                Ok(roots) if !roots.is_empty() => {
                    let question = Question { relation, server: server.number, client: &client };
                    let answer = question.ask(&roots, &mut reader).await;
                    return answer.map_err(|error| failure(&server.name, what(relation), &error))?;
                }
                Ok(_) | Err(QuestionError::NotOffered) => {}
                Err(error) => problems.push(failure(&server.name, what(relation), &error)),
            }
        }
        Err(no_answer(&problems, nothing(relation)))
    };
    cx.tasks.spawn("language-servers.hierarchy", work, move |cx, answer| {
        let Some(answer) = answer_or_error(cx, "ask language servers", answer) else { return };
        // The user has gone on meanwhile.
        if !is_at(cx.state, id, version, at) {
            return;
        }
        match answer {
            Ok((title, rows)) => {
                let levels = vec![Level { title, rows, selected: None }];
                cx.state.slots[LANGUAGE_SERVERS].hierarchy = Hierarchy { levels };
                cx.defer_picker("language-server-hierarchy");
            }
            Err(reason) => cx.state.set_status(visible(&reason).into_owned()),
        }
    });
}

/// What the row of a related function or type says.
struct FoundItem {
    name: String,
    /// Its kind, where it is, and how many calls there are.
    columns: [String; 3],
    /// The line there.
    shown: String,
    pick: Pick,
}

/// Returns the rows, each column as wide as its widest text.
fn aligned(found: Vec<FoundItem>) -> Vec<PickRow> {
    let width = |n: usize| found.iter().map(|item| text_width(&item.columns[n])).max().unwrap_or(0);
    let widths: [usize; 3] = std::array::from_fn(width);
    let row = |FoundItem { name, columns, shown, pick }: FoundItem| {
        let mut detail = String::new();
        for (text, width) in columns.iter().zip(widths).filter(|(_, width)| *width > 0) {
            detail.push_str(text);
            detail.push_str(&" ".repeat(width - text_width(text) + COLUMN_GAP));
        }
        let detail = format!("{detail}{shown}").trim_end().to_string();
        PickRow { text: name, aliases: Vec::new(), group: None, detail, pick }
    };
    found.into_iter().map(row).collect()
}

/// A question to a server.
struct Question<'a> {
    relation: Relation,
    server: u32,
    client: &'a Client,
}

impl Question<'_> {
    /// Asks what is related to items of one name; inside, the reason if there is nothing.
    async fn ask(&self, items: &[HierarchyItem], reader: &mut PlaceReader) -> Result<Answer, QuestionError> {
        let name = items.first().map(|item| item.name.as_str()).unwrap_or_default();
        let mut found: Vec<FoundItem> = Vec::new();
        for item in items.iter().take(ROOTS_MAX) {
            for related in self.client.related_items(self.relation, item).await? {
                let item = self.found(related, reader).await;
                if found.iter().all(|known| known.pick != item.pick) {
                    found.push(item);
                }
            }
        }
        let title = visible(&format!("{} of {name}", plural(self.relation))).into_owned();
        Ok(if found.is_empty() { Err(format!("No {title}")) } else { Ok((title, aligned(found))) })
    }

    /// Returns what the row of a related item says, which leads to its first call if that is in its file, else to its name.
    async fn found(&self, related: RelatedItem, reader: &mut PlaceReader) -> FoundItem {
        let RelatedItem { item, calls } = related;
        let call = calls.first().filter(|_| self.relation == Relation::Caller);
        let start = call.map_or(item.range.start, |call| call.start);
        let (place, shown) = reader.place(&item.path, start, self.client.encoding()).await;
        let count = match calls.len() {
            0 | 1 => String::new(),
            count => format!("{count} calls"),
        };
        FoundItem {
            name: visible(&item.name).into_owned(),
            columns: [visible(item.kind).into_owned(), reader.label(&place), count],
            shown,
            pick: Pick::new(RelatedRow { place, relation: self.relation, server: self.server, item }),
        }
    }
}

/// Returns the number of the list and its selected row, if it is the topmost layer.
fn shown_list(cx: &mut Cx<'_>) -> Option<(u64, Option<Pick>)> {
    let picker = cx.state.layers.top_mut::<Picker>();
    let picker = picker.filter(|picker| picker.spec.id == "language-server-hierarchy")?;
    picker.catch_up();
    Some((picker.number, picker.current().map(|row| row.pick.clone())))
}

/// Asks about the selected row what the list was asked for.
fn next(cx: &mut Cx<'_>) {
    let Some((number, pick)) = shown_list(cx) else { return cx.state.set_status(NOT_SHOWN) };
    let Some(pick) = pick else { return };
    let Some(row) = pick.get::<RelatedRow>().cloned() else { return };
    let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server(row.server) else {
        return cx.state.set_error("The language server does not run any more");
    };
    let (name, client) = (server.spec.name.clone(), client(server));
    let mut reader = PlaceReader::new(cx);
    let work = async move {
        let client = client.await.ok_or_else(|| format!("{name} does not run"))?;
        let question = Question { relation: row.relation, server: row.server, client: &client };
        let answer = question.ask(&[row.item], &mut reader).await;
        answer.map_err(|error| failure(&name, what(row.relation), &error))?
    };
    cx.tasks.spawn("language-servers.hierarchy-next", work, move |cx, answer| {
        let Some(answer) = answer_or_error(cx, "ask language servers", answer) else { return };
        // Another row or list may be wanted by now.
        if shown_list(cx) != Some((number, Some(pick.clone()))) {
            return;
        }
        match answer {
            Ok((title, rows)) => {
                let levels = &mut cx.state.slots[LANGUAGE_SERVERS].hierarchy.levels;
                if let Some(level) = levels.last_mut() {
                    level.selected = Some(pick);
                }
                if levels.len() == LEVELS_MAX {
                    levels.remove(0);
                }
                levels.push(Level { title, rows, selected: None });
                show(cx, number, None);
            }
            Err(reason) => cx.state.set_status(visible(&reason).into_owned()),
        }
    });
}

/// Shows the list before.
fn back(cx: &mut Cx<'_>) {
    let Some((number, _)) = shown_list(cx) else { return cx.state.set_status(NOT_SHOWN) };
    let levels = &mut cx.state.slots[LANGUAGE_SERVERS].hierarchy.levels;
    if levels.len() < 2 {
        return cx.state.set_status("This is the first list");
    }
    levels.pop();
    let selected = levels.last_mut().and_then(|level| level.selected.take());
    show(cx, number, selected);
}

/// Shows the last level in the list, without a query.
fn show(cx: &mut Cx<'_>, number: u64, selected: Option<Pick>) {
    let (rows, now_ms) = (cx.state.slots[LANGUAGE_SERVERS].hierarchy.rows(), cx.now_ms);
    if let Some(picker) = cx.state.layers.top_mut::<Picker>().filter(|picker| picker.number == number) {
        picker.query.set("", now_ms);
        picker.marked.clear();
        picker.refilter();
        picker.select(0);
    }
    replace_rows(cx, number, rows);
    if let Some(picker) = cx.state.layers.top_mut::<Picker>().filter(|picker| picker.number == number) {
        let at = selected.as_ref().and_then(|pick| {
            let mut rows = picker.rows(0, picker.matches());
            rows.position(|row| row.pick == *pick)
        });
        picker.select_again(u32::try_from(at.unwrap_or(0)).unwrap_or(0), selected);
    }
    cx.state.damage.add_all();
}
