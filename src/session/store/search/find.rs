//! Queries the index. Must not know how it is filled.
//!
//! Up to a limit, hits are ranked by frequency and density of the words. For words that occur nearly
//! everywhere the newest hits are taken, since ranking would read all of them. A hit in several files because
//! of a copied branch is shown once.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, params_from_iter};

use super::error::SearchError;
use super::schema;
use crate::session::search::hit::{Hit, Role, Snippet};
use crate::session::search::query::Query;
use crate::session::search::{entry_text, snippet};

/// Maximum number of hits that are ranked; of more, this many are taken.
const RANKED_MAX: i64 = 2000;
/// Maximum number of a project's files that a query names; with more files, a match is found soon anyway.
const FILES_MAX: usize = 300;
/// Maximum length of a line that yields a snippet, in bytes.
const LINE_MAX: i64 = 64 << 20;

/// A matching entry.
struct RankedHit {
    hit: Hit,
    weight: f64,
    start: i64,
    length: i64,
}

pub(super) fn find(
    database: &Connection,
    root: &Path,
    query: &Query,
    limit: usize,
) -> Result<Vec<Hit>, SearchError> {
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let mut hits = find_hits(database, root, query)?;
    hits.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(b.hit.at_ms.cmp(&a.hit.at_ms)));
    let mut seen = HashSet::new();
    hits.retain(|RankedHit { hit, .. }| seen.insert((hit.entry.clone(), hit.at_ms, hit.role.name())));
    hits.truncate(limit);
    Ok(hits.into_iter().map(|ranked| with_snippet(ranked, query)).collect())
}

fn find_hits(database: &Connection, root: &Path, query: &Query) -> rusqlite::Result<Vec<RankedHit>> {
    let projects = match project_files(database, query)? {
        Some(files) if files.is_empty() => return Ok(Vec::new()),
        files => files.filter(|files| files.len() <= FILES_MAX),
    };
    let (matching, fits, values) = conditions(query, projects.as_deref());
    let ask = |weight: &str| {
        let (from, order) = if matching {
            ("words JOIN entries e ON e.id = words.rowid", "words.rowid")
        } else {
            ("entries e", "e.id")
        };
        let mut ask = database.prepare(&format!(
            "SELECT e.entry, e.at, e.role, e.start, e.length, f.path, f.session, f.cwd, f.name, f.first, {weight}
             FROM {from} JOIN files f ON f.id = e.file WHERE {fits} ORDER BY {order} DESC LIMIT {RANKED_MAX}"
        ))?;
        let rows = ask.query_map(params_from_iter(&values), |row| parse_row(row, root))?;
        rows.collect::<rusqlite::Result<Vec<RankedHit>>>()
    };
    let hits = ask("1.0")?;
    let few = (hits.len() as i64) < RANKED_MAX;
    // Commands and files weigh more than text; the location columns weigh nothing.
    let by_words = query.to_fts().is_some();
    if few && by_words { ask("-bm25(words, 1.0, 0.5, 2.0, 2.0, 0.0)") } else { Ok(hits) }
}

/// Returns the files of the requested projects; `None` when the query names none.
fn project_files(database: &Connection, query: &Query) -> rusqlite::Result<Option<Vec<i64>>> {
    if query.projects.is_empty() {
        return Ok(None);
    }
    let any = vec!["instr(lower(cwd), lower(?)) > 0"; query.projects.len()].join(" OR ");
    let mut ask = database.prepare(&format!("SELECT id FROM files WHERE {any}"))?;
    let files = ask.query_map(params_from_iter(&query.projects), |row| row.get(0))?;
    files.collect::<rusqlite::Result<Vec<i64>>>().map(Some)
}

/// Returns whether words are required, the conditions, and their values. `files` restricts the search to
/// these, when they are few enough to be named.
fn conditions(query: &Query, files: Option<&[i64]>) -> (bool, String, Vec<Sql>) {
    let mut values: Vec<Sql> = Vec::new();
    let mut fits: Vec<String> = Vec::new();
    let mut given = |value: Sql| {
        values.push(value);
        format!("?{}", values.len())
    };
    let any = |words: Vec<String>| format!("(place : ({}))", words.join(" OR "));
    let number = |role: &Role| Role::ALL.iter().position(|one| one == role).unwrap_or_default();
    let roles: Vec<String> = query.roles.iter().map(|role| schema::role_word(number(role))).collect();
    let mut words: Vec<String> = query.to_fts().map(|words| format!("({words})")).into_iter().collect();
    words.extend(Some(roles).filter(|roles| !roles.is_empty()).map(any));
    words.extend(files.map(|files| any(files.iter().map(|file| schema::file_word(*file)).collect())));
    let matching = !words.is_empty();
    if matching {
        fits.push(format!("words MATCH {}", given(words.join(" AND ").into())));
    }
    if !query.projects.is_empty() && files.is_none() {
        let one =
            |project: &String| format!("instr(lower(f.cwd), lower({})) > 0", given(project.clone().into()));
        let any: Vec<String> = query.projects.iter().map(one).collect();
        fits.push(format!("({})", any.join(" OR ")));
    }
    fits.extend(query.since_ms.map(|ms| format!("e.at >= {}", given((ms as i64).into()))));
    fits.extend(query.before_ms.map(|ms| format!("e.at < {}", given((ms as i64).into()))));
    (matching, fits.join(" AND "), values)
}

fn parse_row(row: &Row<'_>, root: &Path) -> rusqlite::Result<RankedHit> {
    let path: Vec<u8> = row.get(5)?;
    let (name, first): (Option<String>, Option<String>) = (row.get(8)?, row.get(9)?);
    let role = usize::try_from(row.get::<_, i64>(2)?).ok().and_then(|at| Role::ALL.get(at).copied());
    let role = role.unwrap_or(Role::Note);
    let hit = Hit {
        path: root.join(OsStr::from_bytes(&path)),
        session: row.get(6)?,
        cwd: row.get(7)?,
        title: name.or(first).unwrap_or_default(),
        entry: row.get(0)?,
        at_ms: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
        role,
        snippet: Snippet::default(),
    };
    Ok(RankedHit {
        weight: row.get::<_, f64>(10)? * role_weight(role),
        hit,
        start: row.get(3)?,
        length: row.get(4)?,
    })
}

/// Weight of a role: users search for messages and names more often than for tool output.
fn role_weight(role: Role) -> f64 {
    match role {
        Role::Name | Role::Label => 2.0,
        Role::User => 1.5,
        Role::Assistant | Role::Summary => 1.2,
        Role::Tool | Role::Note => 1.0,
    }
}

/// Returns the hit with a snippet of its text, which is read from the session's file.
fn with_snippet(ranked: RankedHit, query: &Query) -> Hit {
    let RankedHit { mut hit, start, length, .. } = ranked;
    let line = read(&hit.path, start, length).and_then(|line| entry_text::parse_line(&line));
    hit.snippet = line.map_or_else(Snippet::default, |found| snippet::excerpt(&found.text(), query));
    hit
}

fn read(path: &Path, start: i64, length: i64) -> Option<String> {
    let length = usize::try_from(length.min(LINE_MAX)).ok()?;
    let mut bytes = vec![0; length];
    File::open(path).ok()?.read_exact_at(&mut bytes, u64::try_from(start).ok()?).ok()?;
    String::from_utf8(bytes).ok()
}
