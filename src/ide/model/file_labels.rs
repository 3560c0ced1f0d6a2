//! Texts that tell open files apart, for tabs and titles: the name, after the shortest end of the folder's path that no
//! other open file of that name has. Must not know where they are drawn.

use std::collections::HashMap;
use std::path::Path;

use crate::base::width::visible;
use crate::ide::model::buffers::Buffer;

/// Returns the labels of files, in their order, each with a blank at both ends.
pub fn labels(buffers: &[Buffer]) -> Vec<String> {
    let mut same: HashMap<String, Vec<Vec<String>>> = HashMap::new();
    for buffer in buffers {
        same.entry(buffer.name()).or_default().push(folders(buffer));
    }
    let label = |buffer: &Buffer| {
        let others = &same[&buffer.name()];
        if others.len() == 1 {
            return buffer.label();
        }
        let folder = distinguishing_folder(&folders(buffer), others);
        if folder.is_empty() { buffer.label() } else { format!(" {folder}/{}", buffer.label().trim_start()) }
    };
    buffers.iter().map(label).collect()
}

/// Returns the names of the folders of a file, innermost first.
fn folders(buffer: &Buffer) -> Vec<String> {
    let folder = buffer.path.as_deref().and_then(Path::parent);
    let names = folder.into_iter().flat_map(Path::iter).rev();
    names.map(|name| visible(&name.to_string_lossy()).into_owned()).filter(|name| name != "/").collect()
}

/// Returns the shortest end of a folder's path that only one of `all` ends with; all of it if there is none.
fn distinguishing_folder(own: &[String], all: &[Vec<String>]) -> String {
    let is_unique = |count: &usize| all.iter().filter(|other| other.starts_with(&own[..*count])).count() == 1;
    let count = (1..own.len()).find(is_unique).unwrap_or(own.len());
    let names: Vec<&str> = own[..count].iter().rev().map(String::as_str).collect();
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_of(own: &str, all: &[&str]) -> String {
        let split = |path: &str| path.rsplit('/').filter(|name| !name.is_empty()).map(String::from).collect();
        let all: Vec<Vec<String>> = all.iter().map(|path| split(path)).collect();
        let own: Vec<String> = split(own);
        distinguishing_folder(&own, &all)
    }

    #[test]
    fn file_label_has_the_shortest_folder_that_distinguishes() {
        assert_eq!(folder_of("/w/a", &["/w/a", "/w/b"]), "a");
        let deep = ["/w/one/src", "/w/two/src", "/w/two/tests"];
        assert_eq!(deep.map(|own| folder_of(own, &deep)), ["one/src", "two/src", "tests"]);
        // One folder inside the other.
        assert_eq!(["/w", "/x/w"].map(|own| folder_of(own, &["/w", "/x/w"])), ["w", "x/w"]);
    }
}
