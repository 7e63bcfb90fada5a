//! The colours that drawings and the page share, light and dark.
//!
//! Scales change in lightness all the way, so that they can be told apart without seeing hue and in a print without colour;
//! colours of kinds are blue, orange and their like, which differ under every kind of colour blindness.
//! The page gets them as variables of its style and as a constant of its script; what only the page uses is in its style sheet.

use std::fmt::Write as _;

/// A colour without transparency, as 0xRRGGBB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour(u32);

/// Text on dark colours and on light ones.
const INKS: [Colour; 2] = [Colour(0xf5_f8_fb), Colour(0x10_15_1c)];

impl Colour {
    /// `#rrggbb`.
    pub(crate) fn hex(self) -> String {
        format!("#{:06x}", self.0)
    }

    fn channels(self) -> [u8; 3] {
        let [_, channels @ ..] = self.0.to_be_bytes();
        channels
    }

    /// The text colour that can be read on it.
    pub(crate) fn ink(self) -> Self {
        let [red, green, blue] = self.channels().map(linear);
        let light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        INKS[usize::from(light > 0.19)]
    }
}

/// The colours of one theme.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    pub(crate) background: Colour,
    pub(crate) text: Colour,
    pub(crate) muted: Colour,
    pub(crate) line: Colour,
    pub(crate) axis: Colour,
    /// Blocks and bars whose metric has no value.
    pub(crate) plain: Colour,
    /// Results without a region.
    pub(crate) unlabeled: Colour,
    pub(crate) second_bar: Colour,
    pub(crate) warning: Colour,
    scale: [Colour; 6],
    /// From faster to slower.
    change: [Colour; 5],
    kinds: [Colour; 6],
}

const LIGHT: Palette = Palette {
    background: Colour(0xff_ff_ff),
    text: Colour(0x1a_21_2b),
    muted: Colour(0x5a_65_72),
    line: Colour(0xdf_e3_e8),
    axis: Colour(0x8c_96_a2),
    plain: Colour(0xe7_ea_ee),
    unlabeled: Colour(0xf7_dc_b4),
    second_bar: Colour(0xd6_78_14),
    warning: Colour(0xa3_32_0b),
    scale: [
        Colour(0xd0_e1_f1),
        Colour(0xa6_c8_e6),
        Colour(0x6b_a8_d7),
        Colour(0x2f_7a_b9),
        Colour(0x12_4e_8a),
        Colour(0x08_2c_5c),
    ],
    change: [
        Colour(0x18_56_96),
        Colour(0x78_aa_d6),
        Colour(0xe0_e3_e7),
        Colour(0xec_a7_60),
        Colour(0xb0_54_08),
    ],
    kinds: [
        Colour(0x00_72_b2),
        Colour(0xc8_5a_00),
        Colour(0x00_8764),
        Colour(0xb2_50_8c),
        Colour(0x78_64_00),
        Colour(0x46_50_5a),
    ],
};

const DARK: Palette = Palette {
    background: Colour(0x15_1a_21),
    text: Colour(0xe3_e8_ee),
    muted: Colour(0x97_a3_b2),
    line: Colour(0x29_31_3c),
    axis: Colour(0x62_6e_7d),
    plain: Colour(0x26_2d_37),
    unlabeled: Colour(0x5c_46_28),
    second_bar: Colour(0xf0_a0_54),
    warning: Colour(0xff_9b_78),
    scale: [
        Colour(0x1e_2d_3e),
        Colour(0x24_46_68),
        Colour(0x2a_66_98),
        Colour(0x42_8d_c4),
        Colour(0x7a_b6_e4),
        Colour(0xbe_de_f8),
    ],
    change: [
        Colour(0x7a_b6_e4),
        Colour(0x3a_64_8e),
        Colour(0x34_3a_42),
        Colour(0x96_5c_28),
        Colour(0xf0_a0_54),
    ],
    kinds: [
        Colour(0x56_b4_e9),
        Colour(0xf0_96_3c),
        Colour(0x3c_c8_a0),
        Colour(0xe2_8c_be),
        Colour(0xe6_d7_5a),
        Colour(0xbe_c8_d2),
    ],
};

impl Palette {
    pub(crate) fn new(dark: bool) -> Self {
        if dark { DARK } else { LIGHT }
    }

    /// Bars that have no metric to be coloured by.
    pub(crate) fn bar(&self) -> Colour {
        self.scale[3]
    }

    /// The colour of a percentage.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the position is within the scale, a mixture of two bytes is a byte"
    )]
    pub(crate) fn of_percent(&self, percent: f64) -> Colour {
        let last = self.scale.len() - 1;
        let at = (percent / 100.0).clamp(0.0, 1.0) * last as f64;
        let left = (at.floor() as usize).min(last - 1);
        let (from, to) = (self.scale[left].channels(), self.scale[left + 1].channels());
        let mix = |channel: usize| {
            let (from, to) = (f64::from(from[channel]), f64::from(to[channel]));
            (from + (to - from) * (at - left as f64)).round() as u8
        };
        Colour(u32::from_be_bytes([0, mix(0), mix(1), mix(2)]))
    }

    /// The colour of the nth kind of thing; repeats after six.
    pub(crate) fn of_kind(&self, index: usize) -> Colour {
        self.kinds[index % self.kinds.len()]
    }

    fn css(&self, selector: &str) -> String {
        let mut css = format!("{selector} {{");
        for (name, colour) in [
            ("surface", self.background),
            ("text", self.text),
            ("muted", self.muted),
            ("line", self.line),
            ("plain", self.plain),
            ("high", self.warning),
        ] {
            let _ = write!(css, " --{name}: {};", colour.hex());
        }
        for (kind, colour) in self.kinds.iter().enumerate() {
            let _ = write!(css, " --kind-{kind}: {};", colour.hex());
        }
        css + " }\n"
    }

    fn scales(&self) -> String {
        let list = |colours: &[Colour]| -> String {
            let colours: Vec<String> =
                colours.iter().map(|colour| format!("{:?}", colour.channels())).collect();
            colours.join(", ")
        };
        format!("{{ scale: [{}], change: [{}] }}", list(&self.scale), list(&self.change))
    }
}

/// The variables of the page's style.
pub(crate) fn css() -> String {
    LIGHT.css(":root") + &DARK.css(":root[data-theme=\"dark\"]")
}

/// The constant of the page's script.
pub(crate) fn javascript() -> String {
    let [on_dark, on_light] = INKS.map(Colour::hex);
    format!(
        "const PALETTE = {{ light: {}, dark: {}, inks: ['{on_dark}', '{on_light}'] }};\n",
        LIGHT.scales(),
        DARK.scales()
    )
}

fn linear(part: u8) -> f64 {
    let value = f64::from(part) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}
