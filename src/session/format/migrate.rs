//! Migration of pi's session formats 1 and 2 to format 3. Pure.
//!
//! Format 1 is a plain list: entries have no ids, and a compaction refers to the first kept entry by its
//! index in the list, where the header is 0 and invalid lines are not counted. Format 2 has the tree;
//! extension messages have the role `hookMessage` there. Ids assigned here are derived from the position in
//! the file, so that the same file yields the same ids each time, as long as it is not appended to.

use serde_json::{Map, Value};

use crate::base::lenient::replace_lone_surrogates;

/// Returns the lines after the header in format 3, from those in format `version`. Lines that are not objects
/// are skipped; the second value has their numbers, from 1.
pub(in crate::session) fn upgrade(version: u64, lines: &[(usize, String)]) -> (Vec<String>, Vec<usize>) {
    let mut broken = Vec::new();
    let mut entries: Vec<Map<String, Value>> = Vec::new();
    for (number, line) in lines {
        match serde_json::from_str(&replace_lone_surrogates(line)) {
            Ok(fields) => entries.push(fields),
            Err(_) => broken.push(*number),
        }
    }
    if version < 2 {
        link_entries(&mut entries);
    }
    entries.iter_mut().for_each(rename_role);
    let lines = entries.into_iter().map(|fields| Value::Object(fields).to_string()).collect();
    (lines, broken)
}

pub(in crate::session) fn id_of(index: usize) -> String {
    format!("{index:08x}")
}

/// Links the entries of a list to a tree without branches.
fn link_entries(entries: &mut [Map<String, Value>]) {
    let count = entries.len();
    let mut before = Value::Null;
    for (at, fields) in entries.iter_mut().enumerate() {
        let id = Value::String(id_of(at + 1));
        let parent = std::mem::replace(&mut before, id.clone());
        fields.insert("id".to_string(), id);
        fields.insert("parentId".to_string(), parent);
        if fields.get("type").and_then(Value::as_str) != Some("compaction") {
            continue;
        }
        let first = fields.shift_remove("firstKeptEntryIndex").and_then(|index| index.as_u64());
        let first =
            first.and_then(|index| usize::try_from(index).ok()).filter(|index| (1..=count).contains(index));
        if let Some(first) = first {
            fields.insert("firstKeptEntryId".to_string(), Value::String(id_of(first)));
        } else {
            // It refers to the header or to nothing: then nothing before it is kept.
            let own = fields["id"].clone();
            fields.entry("firstKeptEntryId").or_insert(own);
        }
    }
}

fn rename_role(fields: &mut Map<String, Value>) {
    let role = fields.get_mut("message").and_then(|message| message.get_mut("role"));
    if let Some(role) = role.filter(|role| *role == "hookMessage") {
        *role = "custom".into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<(usize, String)> {
        texts.iter().enumerate().map(|(at, text)| (at + 2, (*text).to_string())).collect()
    }

    #[test]
    fn migrate_version_1_list_becomes_tree() {
        let old = lines(&[
            r#"{"type":"message","timestamp":"t","message":{"role":"user","content":"a"}}"#,
            "{broken",
            r#"{"type":"message","timestamp":"t","message":{"role":"hookMessage","content":"b"}}"#,
            r#"{"type":"compaction","timestamp":"t","summary":"S","firstKeptEntryIndex":2,"tokensBefore":1}"#,
            r#"{"type":"compaction","timestamp":"t","summary":"S","firstKeptEntryIndex":0,"tokensBefore":1}"#,
        ]);
        let (new, broken) = upgrade(1, &old);
        assert_eq!(broken, [3]);
        assert_eq!(
            new,
            [
                r#"{"type":"message","timestamp":"t","message":{"role":"user","content":"a"},"id":"00000001","parentId":null}"#,
                r#"{"type":"message","timestamp":"t","message":{"role":"custom","content":"b"},"id":"00000002","parentId":"00000001"}"#,
                r#"{"type":"compaction","timestamp":"t","summary":"S","tokensBefore":1,"id":"00000003","parentId":"00000002","firstKeptEntryId":"00000002"}"#,
                r#"{"type":"compaction","timestamp":"t","summary":"S","tokensBefore":1,"id":"00000004","parentId":"00000003","firstKeptEntryId":"00000004"}"#,
            ]
        );
    }

    #[test]
    fn migrate_version_2_renames_hook_role() {
        let old = lines(&[
            r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"hookMessage","customType":"x"}}"#,
            r#"{"type":"hologram","id":"b","parentId":"a","timestamp":"t","depth":3}"#,
        ]);
        let (new, broken) = upgrade(2, &old);
        assert_eq!((new[0].contains(r#""role":"custom","customType":"x""#), broken.len()), (true, 0));
        assert_eq!(new[1], old[1].1);
    }
}
