//! Typed storage: one value for each feature with state. Must not know any feature.

use std::any::{Any, TypeId};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use crate::ide::core::options::Options;

/// Typed key of a feature's value: `state.slots[TERMINALS]`.
pub struct Slot<T>(PhantomData<fn() -> T>);

impl<T: Any + Send> Slot<T> {
    /// The slot of values of type `T`.
    #[expect(clippy::new_without_default, reason = "a name, and no value that could have a default")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slot<T> {}

/// A value of any feature.
pub type Value = Box<dyn Any + Send>;

/// The values of all features.
pub struct Slots(Vec<(TypeId, Value)>);

impl Slots {
    /// Creates the values from the options. Each type occurs once.
    pub fn new(make: impl IntoIterator<Item = fn(&Options) -> Value>, options: &Options) -> Self {
        let value = |make: fn(&Options) -> Value| {
            let value = make(options);
            ((*value).type_id(), value)
        };
        Self(make.into_iter().map(value).collect())
    }
}

impl<T: Any + Send> Index<Slot<T>> for Slots {
    type Output = T;

    fn index(&self, _: Slot<T>) -> &T {
        let value = self.0.iter().find(|(id, _)| *id == TypeId::of::<T>());
        value.and_then(|(_, value)| value.downcast_ref()).expect("the row of every feature makes its value")
    }
}

impl<T: Any + Send> IndexMut<Slot<T>> for Slots {
    fn index_mut(&mut self, _: Slot<T>) -> &mut T {
        let value = self.0.iter_mut().find(|(id, _)| *id == TypeId::of::<T>());
        value.and_then(|(_, value)| value.downcast_mut()).expect("the row of every feature makes its value")
    }
}
