//! The log in a session's directory (spec S5).

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

/// What a directory holds of a session.
#[derive(Debug, PartialEq, Eq)]
pub enum Session {
    /// The name of its log.
    Log(String),
    /// The same generation plain and compressed.
    Both(String, String),
    /// No log.
    Nothing,
}

/// The log of the highest version in a directory.
pub fn session_in(directory: &Path) -> io::Result<Session> {
    let mut found: Vec<(Version, bool, String)> = Vec::new();
    for entry in fs::read_dir(directory)? {
        if let Some((version, is_zstd, name)) = named(&entry?.file_name()) {
            found.push((version, is_zstd, name));
        }
    }
    found.sort();
    Ok(match (found.pop(), found.pop()) {
        (None, _) => Session::Nothing,
        (Some((version, _, compressed)), Some((other, _, plain))) if version == other => {
            Session::Both(plain, compressed)
        }
        (Some((_, _, name)), _) => Session::Log(name),
    })
}

/// A number of any size, in an order: by its digits' count, then by them.
type Version = (usize, String);

/// The version in `session[.vN].jsonl[.zstd]`, whether it is compressed, and the name; None for any other name.
fn named(name: &OsStr) -> Option<(Version, bool, String)> {
    let name = name.to_str()?;
    let plain = name.strip_suffix(".zstd");
    let middle = plain.unwrap_or(name).strip_prefix("session")?.strip_suffix(".jsonl")?;
    let version = match middle.strip_prefix(".v") {
        Some(digits) if !digits.starts_with('0') && !digits.is_empty() => digits,
        None if middle.is_empty() => "",
        _ => return None,
    };
    if !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(((version.len(), version.to_owned()), plain.is_some(), name.to_owned()))
}
