//! File actions: read and change files.

pub mod apply_patch;
pub mod edit;
pub mod notebook_edit;
pub mod read;
pub mod read_many;
pub mod view_image;
pub mod write;
