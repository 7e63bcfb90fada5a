//! How noisy each row is on either side, as far as all rows together tell.
//!
//! A noise is a pair of variances, of the base and of the new side, out of a grid. How often each of them occurs is what makes the variances of all rows most
//! likely (empirical Bayes: the mixture is fitted, no shape is assumed, so that a fifth of the rows may become noisier on one side alone). The noise of a row
//! then is a distribution over the grid: how often each noise occurs in the other rows, times how well the row's own runs fit it.

/// From one variance of the grid to the next.
const STEP: f64 = 3.0;

/// The grid goes on so many steps above the largest variance that was measured: two runs may be much closer than their noise.
const STEPS_ABOVE: i32 = 10;

/// Rounds of the fit. It begins with all noises alike, and stops before it believes in every gap between the rows.
const ROUNDS: u32 = 20;

/// Noise of which no row gave an example occurs as often as in this many rows, spread over the grid: a row alone is then judged by its own runs, and no row is
/// taken to be like the others without doubt.
const UNSEEN: f64 = 1.0;

/// And as often as in this share of the rows.
const UNSEEN_SHARE: f64 = 0.01;

/// A noise that is less probable than this for a row, or fits it less well, has no say.
const LEAST_WEIGHT: f64 = 1e-12;

/// The variance that was measured on a side, and its degrees of freedom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) variance: f64,
    pub(super) freedom: f64,
}

/// How well a row on one side fits the variances of the grid, from one of them on; the others have no say.
#[derive(Debug)]
struct Fit {
    from: usize,
    of: Vec<f64>,
}

/// How often which noise occurs.
#[derive(Debug)]
pub(super) struct Noises {
    grid: Vec<f64>,
    fits: Vec<[Fit; 2]>,
    /// Of each pair of variances, in how many rows it occurs; a base variance after the other.
    rows: Vec<f64>,
    unseen: f64,
}

impl Noises {
    /// Fits them to rows with positive variances.
    pub(super) fn of(rows: &[[Measured; 2]]) -> Self {
        let grid = grid(rows);
        let fits = rows.iter().map(|row| row.map(|side| side.fit(&grid))).collect();
        let pairs = grid.len() * grid.len();
        let unseen = (UNSEEN + UNSEEN_SHARE * rows.len() as f64) / pairs as f64;
        let mut noises = Self { grid, fits, rows: vec![1.0; pairs], unseen };
        let mut weights = Vec::new();
        for _ in 0..ROUNDS {
            let mut sum = vec![unseen; pairs];
            for fit in &noises.fits {
                noises.weigh(fit, |rows, _| rows, &mut weights);
                let by_base = sum.chunks_exact_mut(noises.grid.len()).skip(fit[0].from);
                for (sum, weights) in by_base.zip(weights.chunks_exact(fit[1].of.len())) {
                    for (sum, weight) in sum.iter_mut().skip(fit[1].from).zip(weights) {
                        *sum += weight;
                    }
                }
            }
            noises.rows = sum;
        }
        noises
    }

    /// The noises that a row may have: both variances, and how probable they are, the most probable first.
    pub(super) fn of_row(&self, row: usize) -> Vec<([f64; 2], f64)> {
        let Some(fit) = self.fits.get(row) else { return Vec::new() };
        let (mut own, mut weights) = (Vec::new(), Vec::new());
        self.weigh(fit, |rows, _| rows, &mut own);
        // What the row itself gave is no evidence from others.
        let others = |rows: f64, at: usize| {
            (rows - own.get(at).copied().unwrap_or_default()).max(self.unseen)
        };
        self.weigh(fit, others, &mut weights);
        let [base, new] =
            fit.each_ref().map(|fit| self.grid.iter().skip(fit.from).take(fit.of.len()));
        let pairs = base.flat_map(|base| new.clone().map(|new| [*base, *new]));
        let mut noises: Vec<([f64; 2], f64)> =
            pairs.zip(weights).filter(|(_, weight)| *weight > LEAST_WEIGHT).collect();
        noises.sort_by(|(_, left), (_, right)| right.total_cmp(left));
        noises
    }

    /// How probable each pair of variances is for a row that fits them so, where they occur in `rows` of the rows that there are.
    fn weigh(
        &self,
        [base, new]: &[Fit; 2],
        rows: impl Fn(f64, usize) -> f64,
        weights: &mut Vec<f64>,
    ) {
        weights.clear();
        let by_base = self.rows.chunks_exact(self.grid.len()).skip(base.from);
        for (base, occurring) in base.of.iter().zip(by_base) {
            for (new, occurring) in new.of.iter().zip(occurring.iter().skip(new.from)) {
                weights.push(base * new * rows(*occurring, weights.len()));
            }
        }
        let sum: f64 = weights.iter().sum();
        for weight in weights {
            *weight /= sum;
        }
    }
}

impl Measured {
    /// How likely it is under each variance of the grid, at most 1.
    fn fit(self, grid: &[f64]) -> Fit {
        let fit = |variance: &f64| {
            let ratio = self.variance / variance;
            (self.freedom / 2.0 * (ratio.ln() - ratio + 1.0)).exp()
        };
        // It has one peak, so that what fits at all is in one piece.
        let has_say = |fit: &f64| *fit > LEAST_WEIGHT;
        let all: Vec<f64> = grid.iter().map(fit).collect();
        let from = all.iter().position(has_say).unwrap_or_default();
        Fit { from, of: all.into_iter().skip(from).take_while(has_say).collect() }
    }
}

/// Variances from far above the largest that was measured down to below the smallest.
fn grid(rows: &[[Measured; 2]]) -> Vec<f64> {
    let variances = || rows.iter().flatten().map(|side| side.variance);
    let lowest = variances().fold(f64::INFINITY, f64::min);
    let highest = variances().fold(0.0, f64::max) * STEP.powi(STEPS_ABOVE);
    let downwards = std::iter::successors(Some(highest), |variance| Some(variance / STEP));
    downwards.take_while(|variance| *variance * STEP > lowest).collect()
}
