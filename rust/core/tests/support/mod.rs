//! What the core's tests share: their own JSON, generators, a naive model, and every way into the core.

// Each test binary uses its part of it.
#![allow(dead_code)]

pub mod generate;
pub mod json;
pub mod naive;
pub mod said;
pub mod tape;
pub mod ways;
