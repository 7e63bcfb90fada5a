//! The memory of the model: what every buffer holds before the first launch.
//!
//! All of it is known before anything runs, because memory must not be allocated inside a range that a profiler replays.

/// A buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferId(usize);

impl BufferId {
    /// Its place in a list of all buffers.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

/// All buffers with their first content.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers {
    contents: Vec<Vec<f32>>,
}

impl Buffers {
    /// A buffer with a content.
    pub(crate) fn filled(&mut self, content: Vec<f32>) -> BufferId {
        self.contents.push(content);
        BufferId(self.contents.len() - 1)
    }

    /// A buffer of zeros.
    pub(crate) fn zeros(&mut self, count: usize) -> BufferId {
        self.filled(vec![0.0; count])
    }

    /// The first content of every buffer, in order.
    pub(crate) fn contents(&self) -> &[Vec<f32>] {
        &self.contents
    }
}
