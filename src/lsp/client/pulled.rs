//! Diagnostics that a server gives only when it is asked (`textDocument/diagnostic` and `workspace/diagnostic`, LSP 3.17).

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::incoming::{FileDiagnostics, FileReport, PARTIAL};
use super::{Client, QuestionError};
use crate::base::json::json;
use crate::lsp::answers::diagnostics;
use crate::lsp::answers::list::{as_list, take_field};
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
        let mut report: Value = self.connection.request(METHOD, params, self.timeout).await?;
        let related = take_field(&mut report, "relatedDocuments");
        let encoding = self.encoding();
        let mut found = Vec::new();
        let is_unchanged = report["kind"] == "unchanged";
        if !is_unchanged {
            if let Some(known) = self.shared.lock().documents.get_mut(path) {
                known.result_id = report["resultId"].as_str().map(String::from);
            }
            let list = diagnostics::decode(take_field(&mut report, "items"));
            let all = FileDiagnostics::new(path.to_path_buf(), Some(&asked), list, encoding);
            found.push(FileDiagnostics { is_pulled: true, ..all });
        }
        if let Value::Object(related) = related {
            let others =
                related.into_iter().filter_map(|(address, report)| Some((uri::to_path(&address)?, report)));
            found.extend(others.filter_map(|(path, report)| self.related(path, report)));
        }
        Ok((found, is_unchanged.then_some(asked.version)))
    }

    /// Decodes the report about another file.
    fn related(&self, path: PathBuf, mut report: Value) -> Option<FileDiagnostics> {
        if report["kind"] == "unchanged" {
            return None;
        }
        let (list, known) = (diagnostics::decode(take_field(&mut report, "items")), self.text(&path));
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
            let known = shared.reported.iter().map(|(uri, id)| json!({ "uri": uri, "value": id }));
            let known: Vec<Value> = known.collect();
            let mut params = json!({ "previousResultIds": known, "partialResultToken": PARTIAL });
            if options["identifier"].is_string() {
                params["identifier"] = options["identifier"].clone();
            }
            params
        };
        let answer = self.connection.request(WORKSPACE, params, Duration::MAX).await?;
        Ok(self.reports(answer))
    }

    /// Decodes a part of the answer for all files.
    pub(super) fn reports(&self, mut answer: Value) -> Vec<FileReport> {
        let list = as_list(take_field(&mut answer, "items")).into_iter();
        let encoding = self.encoding();
        let one = |mut report: Value| {
            let uri = report["uri"].as_str()?.to_string();
            let path = uri::to_path(&uri)?;
            if report["kind"] == "unchanged" {
                return None;
            }
            let mut shared = self.shared.lock();
            match report["resultId"].as_str() {
                Some(id) if shared.reported.len() < REPORTED_MAX || shared.reported.contains_key(&uri) => {
                    shared.reported.insert(uri, id.to_string());
                }
                _ => drop(shared.reported.remove(&uri)),
            }
            drop(shared);
            let (found, _) = diagnostics::decode(take_field(&mut report, "items"));
            Some(FileReport { path, diagnostics: found.iter().map(Into::into).collect(), encoding })
        };
        list.filter_map(one).collect()
    }
}
