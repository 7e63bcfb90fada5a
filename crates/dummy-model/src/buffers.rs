//! The memory of the model before the first launch.
//!
//! It is laid out before anything runs, because nothing may be allocated inside a range that a profiler replays.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferId(usize);

impl BufferId {
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
    pub(crate) fn filled(&mut self, content: Vec<f32>) -> BufferId {
        self.contents.push(content);
        BufferId(self.contents.len() - 1)
    }

    pub(crate) fn zeros(&mut self, count: usize) -> BufferId {
        self.filled(vec![0.0; count])
    }

    /// The first content of every buffer, in order.
    pub(crate) fn contents(&self) -> &[Vec<f32>] {
        &self.contents
    }
}
