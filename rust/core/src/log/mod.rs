//! Logs: files, bytes in memory and streams of JSON Lines. It knows frames, lines and directions, and no meaning.

pub mod ahead;
pub mod array;
pub mod directory;
pub mod document;
pub mod frames;
pub mod lines;
pub mod needles;
pub mod reading;
pub mod records;
pub mod source;
pub mod stream;
pub mod stretches;
