//! Rounding to half precision and back, as the GPU's conversion instructions do it (to nearest, ties to even).

/// The bits of the half that is nearest to a number.
pub(crate) fn to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = low_16(bits >> 16) & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7fff; // The one NaN that the instruction makes.
    }
    // Halfway between the largest half and the next power of two: from here on it is infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    // Below 2^-14 a half is a multiple of 2^-24; adding 0.5 makes the floating-point unit round to that multiple.
    if magnitude < 0x3880_0000 {
        let shifted = f32::from_bits(magnitude) + 0.5;
        return sign | low_16(shifted.to_bits() - 0x3f00_0000);
    }
    let odd = (magnitude >> 13) & 1;
    sign | low_16((magnitude - 0x3800_0000 + 0xfff + odd) >> 13)
}

/// The number that a half is.
pub(crate) fn from_half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from(bits >> 10) & 0x1f;
    let fraction = u32::from(bits & 0x3ff);
    let magnitude = match exponent {
        0 => (fraction as f32 * f32::from_bits(0x3380_0000)).to_bits(), // fraction * 2^-24
        0x1f => 0x7f80_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// A number as it comes back from storage in half precision.
pub(crate) fn through_half(value: f32) -> f32 {
    from_half(to_half(value))
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is wanted")]
fn low_16(bits: u32) -> u16 {
    bits as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_there_and_back() {
        for bits in 0..=u16::MAX {
            let value = from_half(bits);
            if value.is_nan() {
                assert_eq!(to_half(value) & 0x7fff, 0x7fff);
            } else {
                assert_eq!(to_half(value), bits, "{value}");
            }
        }
    }

    #[test]
    fn known_values() {
        for (value, bits) in [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.99, 0x7bff),
            (65520.0, 0x7c00),
            (f32::INFINITY, 0x7c00),
            (5.960_464_5e-8, 0x0001),
            (2.980_232_2e-8, 0x0000), // a tie goes to the even one
            (2.980_233e-8, 0x0001),
            (6.103_515_6e-5, 0x0400),
            (1.0 / 3.0, 0x3555),
        ] {
            assert_eq!(to_half(value), bits, "{value}");
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "a tie is exact")]
    fn no_neighbour_is_nearer() {
        let mut random = crate::random::Random::new(7);
        for _ in 0..100_000 {
            let value = random.uniform() * 3.0;
            let bits = to_half(value);
            let distance = (from_half(bits) - value).abs();
            for other in [bits.wrapping_sub(1), bits + 1] {
                let other_distance = (from_half(other) - value).abs();
                assert!(
                    distance < other_distance || (distance == other_distance && bits & 1 == 0),
                    "{value} became {}",
                    from_half(bits)
                );
            }
        }
    }
}
