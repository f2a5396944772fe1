//! Bytes that decide what is generated: a shorter tape, or smaller bytes, make something simpler.

/// Read from the front; after its end it says 0 for ever, which is the simplest choice.
pub struct Tape<'a> {
    rest: &'a [u8],
}

impl<'a> Tape<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub fn byte(&mut self) -> u8 {
        match self.rest.split_first() {
            Some((&byte, rest)) => {
                self.rest = rest;
                byte
            }
            None => 0,
        }
    }

    /// A number below `count`, which is at most 256.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    /// A number below `count`, of any size up to 65536.
    pub fn below_wide(&mut self, count: usize) -> usize {
        (usize::from(self.byte()) << 8 | usize::from(self.byte())) % count
    }

    /// True once in so many times.
    pub fn rarely(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
