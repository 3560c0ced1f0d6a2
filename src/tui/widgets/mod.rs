//! Things to put on a canvas that hold state of their own.
//!
//! May not know what they are used for.
