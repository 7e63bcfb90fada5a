//! The tails of Student's t, and what they need.

/// From here on the asymptotic series are exact to the last digits.
const LARGE: f64 = 10.0;

/// How often Student's t of so many degrees of freedom is at least this far from zero, on either side.
pub(super) fn t_two_sided(t: f64, freedom: f64) -> f64 {
    beta_regularised(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

fn ln_gamma(mut x: f64) -> f64 {
    let mut product = 1.0;
    while x < LARGE {
        product *= x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - y * (1.0 / 360.0
            - y * (1.0 / 1260.0
                - y * (1.0 / 1680.0 - y * (1.0 / 1188.0 - y * 691.0 / 360_360.0)))))
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - f64::ln(product)
}

/// The regularised incomplete beta function.
fn beta_regularised(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    // The fraction converges fast on this side only.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(1.0 - x, b, a) / b
    }
}

/// Its continued fraction, evaluated from the front (Lentz).
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut above = 1.0;
    let mut below = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = below;
    for step in (1..1000).map(f64::from) {
        let double = a + 2.0 * step;
        let even = step * (b - step) * x / ((double - 1.0) * double);
        let odd = -(a + step) * (a + b + step) * x / (double * (double + 1.0));
        let before = fraction;
        for term in [even, odd] {
            below = 1.0 / away_from_zero(1.0 + term * below);
            above = away_from_zero(1.0 + term / above);
            fraction *= above * below;
        }
        if (fraction / before - 1.0).abs() < 1e-15 {
            break;
        }
    }
    fraction
}

/// What Student's t of so many degrees of freedom exceeds, on either side, as often as this.
pub(super) fn t_beyond(probability: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while t_two_sided(high, freedom) > probability && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if t_two_sided(middle, freedom) > probability { low = middle } else { high = middle }
    }
    high
}
