//! What a scan hands on: the fold over the suffix, and what the scan alone could see.

use crate::explanation::Explanation;
use crate::fold::Fold;

/// The result of reading a list or a log.
#[derive(Debug)]
pub struct Outcome<K> {
    /// The fold over the suffix.
    pub fold: Fold<K>,
    /// Defects passed over after the winner, else in the suffix.
    pub skipped: u64,
    /// The suffix is silent and the rest is not.
    pub outside: bool,
    /// The log ends in the middle of a record.
    pub torn: bool,
    /// What the pass met, if it was to explain its answer.
    pub explanation: Option<Box<Explanation>>,
}
