//! Wrapper for values that may be secret: usable like any other, but never displayed. Must not know the
//! content.

use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

/// A value that `Debug` omits, in whatever it is contained.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret<T>(T);

impl<T> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: FromIterator<A>, A> FromIterator<A> for Secret<T> {
    fn from_iter<I: IntoIterator<Item = A>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<T> Deref for Secret<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Secret<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_hidden_in_debug_and_roundtrips() {
        let hidden = Secret::from("hunter2".to_string());
        assert_eq!((format!("{hidden:?}").as_str(), hidden.len()), ("…", 7));
        let list: Secret<Vec<u8>> = (1..3).collect();
        assert_eq!(list.iter().map(|n| n * 2).collect::<Vec<_>>(), [2, 4]);
        let text = serde_json::to_string(&hidden).unwrap();
        assert_eq!(text, "\"hunter2\"");
        assert_eq!(serde_json::from_str::<Secret<String>>(&text).unwrap(), hidden);
    }
}
