//! Diagnostics that a server gives only when it is asked (`textDocument/diagnostic` and `workspace/diagnostic`, LSP 3.17).

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::incoming::{FileDiagnostics, FileReport, PARTIAL};
use super::{Client, QuestionError, Reported};
use crate::base::json::json;
use crate::lsp::answers::diagnostics::{self, Diagnostic};
use crate::lsp::answers::list::raw_list;
use crate::lsp::uri;

const METHOD: &str = "textDocument/diagnostic";
/// Method for the diagnostics of all files.
pub const WORKSPACE: &str = "workspace/diagnostic";
/// Maximum number of files whose reports have a name that is kept.
const REPORTED_MAX: usize = 100_000;

impl Client {
    /// Asks for the diagnostics of an open text, and of files that depend on it as the server likes. Also returns the version
    /// of the text if its diagnostics are as before; then they are left out.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn pull_diagnostics(
        &self,
        path: &Path,
    ) -> Result<(Vec<FileDiagnostics>, Option<u64>), QuestionError> {
        let asked = self.text(path).ok_or(QuestionError::NotOpen)?;
        let uri = uri::of_path(path).ok_or(QuestionError::NotOpen)?;
        let params = {
            let shared = self.shared.lock();
            let options = shared.capabilities.options(METHOD).ok_or(QuestionError::NotOffered)?;
            let mut params = json!({ "textDocument": { "uri": uri } });
            if options["identifier"].is_string() {
                params["identifier"] = options["identifier"].clone();
            }
            if let Some(id) = shared.documents.get(path).and_then(|known| known.result_id.as_deref()) {
                params["previousResultId"] = id.into();
            }
            params
        };
        let answer: Box<RawValue> = self.connection.request(METHOD, params, self.timeout).await?;
        let report = Report::read(&answer);
        let encoding = self.encoding();
        let mut found = Vec::new();
        let is_unchanged = report.is_unchanged();
        if !is_unchanged {
            if let Some(known) = self.shared.lock().documents.get_mut(path) {
                known.result_id = report.result_id.as_str().map(String::from);
            }
            let all = FileDiagnostics::new(path.to_path_buf(), Some(&asked), report.diagnostics(), encoding);
            found.push(FileDiagnostics { is_pulled: true, ..all });
        }
        let related = report.related_documents.map(|related| serde_json::from_str(related.get()));
        let related: BTreeMap<String, &RawValue> = related.and_then(Result::ok).unwrap_or_default();
        let others = related.into_iter().filter_map(|(uri, report)| Some((uri::to_path(&uri)?, report)));
        found.extend(others.filter_map(|(path, report)| self.related(path, &Report::read(report))));
        Ok((found, is_unchanged.then_some(asked.version)))
    }

    /// Decodes the report about another file.
    fn related(&self, path: PathBuf, report: &Report<'_>) -> Option<FileDiagnostics> {
        if report.is_unchanged() {
            return None;
        }
        let (list, known) = (report.diagnostics(), self.text(&path));
        let found = FileDiagnostics::new(path, known.as_ref(), list, self.encoding());
        Some(FileDiagnostics { is_pulled: true, ..found })
    }

    /// Asks for the diagnostics of all files of the project. A server may send them in parts, as events, and may wait with the
    /// end of its answer until something changes; so there is no deadline. Files that are as before are left out.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn pull_project(&self) -> Result<Vec<FileReport>, QuestionError> {
        let params = {
            let shared = self.shared.lock();
            let options = shared.capabilities.options(WORKSPACE).ok_or(QuestionError::NotOffered)?;
            let known = shared.reported.values();
            let known: Vec<Value> =
                known.map(|one| json!({ "uri": one.uri, "value": one.result_id })).collect();
            let mut params = json!({ "previousResultIds": known, "partialResultToken": PARTIAL });
            if options["identifier"].is_string() {
                params["identifier"] = options["identifier"].clone();
            }
            params
        };
        let answer: Box<RawValue> = self.connection.request(WORKSPACE, params, Duration::MAX).await?;
        Ok(self.reports(&answer))
    }

    /// Forgets the names of the reports about files at or below these paths, which the server then reports in full.
    pub fn forget_reports(&self, paths: &[PathBuf]) {
        let reported = &mut self.shared.lock().reported;
        for path in paths {
            // Paths are ordered by their parts: what is below a folder follows it.
            let below = reported.range::<Path, _>((Bound::Included(path.as_path()), Bound::Unbounded));
            let below: Vec<PathBuf> =
                below.map(|(found, _)| found).take_while(|found| found.starts_with(path)).cloned().collect();
            for found in below {
                reported.remove(&found);
            }
        }
    }

    /// Decodes a part of the answer for all files.
    pub(super) fn reports(&self, answer: &RawValue) -> Vec<FileReport> {
        let list = Report::read(answer).items.map(raw_list).unwrap_or_default();
        let encoding = self.encoding();
        let one = |report: &RawValue| {
            let report = Report::read(report);
            let uri = report.uri.as_str()?.to_string();
            let path = uri::to_path(&uri)?;
            if report.is_unchanged() {
                return None;
            }
            let mut shared = self.shared.lock();
            match report.result_id.as_str() {
                Some(id) if shared.reported.len() < REPORTED_MAX || shared.reported.contains_key(&path) => {
                    shared.reported.insert(path.clone(), Reported { uri, result_id: id.to_string() });
                }
                _ => drop(shared.reported.remove(&path)),
            }
            drop(shared);
            let (found, _) = report.diagnostics();
            Some(FileReport { path, diagnostics: found.iter().map(Into::into).collect(), encoding })
        };
        list.into_iter().filter_map(one).collect()
    }
}

/// A report about a file, or about all of them, whose long parts are left as they were written.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Report<'a> {
    uri: Value,
    kind: Value,
    result_id: Value,
    #[serde(borrow)]
    items: Option<&'a RawValue>,
    #[serde(borrow)]
    related_documents: Option<&'a RawValue>,
}

impl<'a> Report<'a> {
    /// Reads a report; one of another shape is without anything.
    fn read(from: &'a RawValue) -> Self {
        serde_json::from_str(from.get()).unwrap_or_else(|error| {
            tracing::debug!(%error, "language server: an invalid report of diagnostics is left out");
            Self::default()
        })
    }

    fn is_unchanged(&self) -> bool {
        self.kind == "unchanged"
    }

    fn diagnostics(&self) -> (Vec<Diagnostic>, usize) {
        self.items.map(diagnostics::decode).unwrap_or_default()
    }
}
