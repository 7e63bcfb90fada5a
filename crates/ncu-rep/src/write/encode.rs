//! Protobuf's wire format, written.

use crate::wire::Wire;

/// Bytes of one message under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    bytes: Vec<u8>,
}

impl Message {
    #[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
    pub(crate) fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn tag(&mut self, field: u32, wire_type: u64) {
        self.varint(u64::from(field) << 3 | wire_type);
    }

    pub(crate) fn uint(&mut self, field: u32, value: u64) {
        self.tag(field, 0);
        self.varint(value);
    }

    pub(crate) fn float64(&mut self, field: u32, value: f64) {
        self.tag(field, 1);
        self.bytes.extend(value.to_le_bytes());
    }

    pub(crate) fn float32(&mut self, field: u32, value: f32) {
        self.tag(field, 5);
        self.bytes.extend(value.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, field: u32, value: &[u8]) {
        self.tag(field, 2);
        self.varint(value.len() as u64);
        self.bytes.extend(value);
    }

    pub(crate) fn text(&mut self, field: u32, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    pub(crate) fn text_if(&mut self, field: u32, value: &str) {
        if !value.is_empty() {
            self.text(field, value);
        }
    }

    /// Writes a field as it was read; a group, which no known message uses, is left out.
    pub(crate) fn wire(&mut self, field: u32, content: Wire<'_>) {
        match content {
            Wire::Varint(value) => self.uint(field, value),
            Wire::Fixed64(bits) => self.float64(field, f64::from_bits(bits)),
            Wire::Fixed32(bits) => self.float32(field, f32::from_bits(bits)),
            Wire::Bytes(bytes) => self.bytes(field, bytes),
            Wire::Group => {}
        }
    }

    pub(crate) fn message(&mut self, field: u32, fill: impl FnOnce(&mut Self)) {
        let mut nested = Self::default();
        fill(&mut nested);
        self.bytes(field, &nested.bytes);
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes
    }
}
