//! Colours, light and dark.
//!
//! Scales change in lightness all the way, so that they can be told apart without seeing hue and in a print without colour;
//! colours of kinds are blue, orange and their like, which differ under every kind of colour blindness. The scales are those of the HTML page.

/// A colour without transparency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) [u8; 3]);

impl Colour {
    /// `#rrggbb`.
    pub(crate) fn hex(self) -> String {
        let [red, green, blue] = self.0;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// The text colour that can be read on it.
    pub(crate) fn ink(self) -> Self {
        let [red, green, blue] = self.0.map(linear);
        let light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        if light > 0.19 { Self([16, 21, 28]) } else { Self([245, 248, 251]) }
    }
}

/// The colours of a drawing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    pub(crate) background: Colour,
    pub(crate) text: Colour,
    pub(crate) muted: Colour,
    pub(crate) line: Colour,
    pub(crate) axis: Colour,
    /// What has no value.
    pub(crate) plain: Colour,
    /// Results without a region.
    pub(crate) unlabeled: Colour,
    /// Bars that have no metric to be coloured by.
    pub(crate) bar: Colour,
    pub(crate) second_bar: Colour,
    pub(crate) warning: Colour,
    /// Memory ceilings.
    pub(crate) memory: Colour,
    scale: [[u8; 3]; 6],
    kinds: [[u8; 3]; 6],
}

const LIGHT: Palette = Palette {
    background: Colour([255, 255, 255]),
    text: Colour([26, 33, 43]),
    muted: Colour([90, 101, 114]),
    line: Colour([228, 232, 237]),
    axis: Colour([140, 150, 162]),
    plain: Colour([231, 234, 238]),
    unlabeled: Colour([247, 220, 180]),
    bar: Colour([47, 122, 185]),
    second_bar: Colour([214, 120, 20]),
    warning: Colour([163, 50, 11]),
    memory: Colour([90, 101, 114]),
    scale: [
        [208, 225, 241],
        [166, 200, 230],
        [107, 168, 215],
        [47, 122, 185],
        [18, 78, 138],
        [8, 44, 92],
    ],
    kinds: [
        [0, 114, 178],
        [200, 90, 0],
        [0, 135, 100],
        [178, 80, 140],
        [120, 100, 0],
        [70, 80, 90],
    ],
};

const DARK: Palette = Palette {
    background: Colour([21, 26, 33]),
    text: Colour([227, 232, 238]),
    muted: Colour([151, 163, 178]),
    line: Colour([41, 49, 60]),
    axis: Colour([98, 110, 125]),
    plain: Colour([46, 54, 65]),
    unlabeled: Colour([92, 70, 40]),
    bar: Colour([66, 141, 196]),
    second_bar: Colour([240, 160, 84]),
    warning: Colour([255, 155, 120]),
    memory: Colour([151, 163, 178]),
    scale: [
        [30, 45, 62],
        [36, 70, 104],
        [42, 102, 152],
        [66, 141, 196],
        [122, 182, 228],
        [190, 222, 248],
    ],
    kinds: [
        [86, 180, 233],
        [240, 150, 60],
        [60, 200, 160],
        [226, 140, 190],
        [230, 215, 90],
        [190, 200, 210],
    ],
};

impl Palette {
    pub(crate) fn new(dark: bool) -> Self {
        if dark { DARK } else { LIGHT }
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
        let (from, to, part) = (self.scale[left], self.scale[left + 1], at - left as f64);
        let mix = |channel: usize| {
            let (from, to) = (f64::from(from[channel]), f64::from(to[channel]));
            (from + (to - from) * part).round() as u8
        };
        Colour([mix(0), mix(1), mix(2)])
    }

    /// The colour of the nth kind of thing; repeats after six.
    pub(crate) fn of_kind(&self, index: usize) -> Colour {
        Colour(self.kinds[index % self.kinds.len()])
    }
}

fn linear(part: u8) -> f64 {
    let value = f64::from(part) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}
