//! Compressed logs (spec S7 Frames): cut anywhere, damaged anywhere, read from either side.

// A test that can't go on says so by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;
mod laws;
mod speed;
mod written;
