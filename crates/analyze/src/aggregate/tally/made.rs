//! A combined value with how it was made, before it is put into words.

use super::summary::TextRange;
use rangescope_model::document::{Method, Scalar};
use rangescope_model::launch::MetricId;
use rangescope_model::text::clip;

/// A value before it is put into words.
pub(super) struct Made {
    pub(super) value: Option<Scalar>,
    pub(super) method: Method,
    pub(super) exact: bool,
    pub(super) covered: u64,
    pub(super) extremes: Option<(f64, f64)>,
    /// Of the results' own values, weighted by time.
    pub(super) mean: Option<f64>,
    pub(super) busiest: Option<MetricId>,
    pub(super) reason: Option<String>,
}

impl Made {
    pub(super) fn number(&self) -> Option<f64> {
        self.value.as_ref()?.number()
    }

    pub(super) fn estimated(mut self, why: impl Into<String>) -> Self {
        self.exact = false;
        self.reason.get_or_insert(why.into());
        self
    }
}

pub(super) fn no_value(method: Method, covered: u64) -> Made {
    Made {
        value: None,
        method,
        exact: false,
        covered,
        extremes: None,
        mean: None,
        busiest: None,
        reason: None,
    }
}

pub(super) fn finite(value: f64, method: Method, covered: u64) -> Made {
    let reason = (!value.is_finite()).then(|| "the outcome is too large for a number".to_owned());
    let value = value.is_finite().then_some(Scalar::Number(value));
    Made { exact: value.is_some(), value, reason, ..no_value(method, covered) }
}

/// A value that is known to be a whole number.
pub(super) fn whole(value: u64, method: Method, covered: u64) -> Made {
    Made { exact: true, value: Some(Scalar::whole(value)), ..no_value(method, covered) }
}

pub(super) fn varies(covered: u64, extremes: Option<(f64, f64)>, reason: Option<String>) -> Made {
    Made { exact: true, extremes, reason, ..no_value(Method::Varies, covered) }
}

pub(super) fn text(texts: &TextRange) -> Made {
    if texts.first == texts.last {
        let value = Some(Scalar::Text(texts.first.to_string()));
        return Made { value, exact: true, ..no_value(Method::Same, texts.covered) };
    }
    varies(
        texts.covered,
        None,
        Some(format!("texts from `{}` to `{}`", clip(&texts.first, 60), clip(&texts.last, 60))),
    )
}

pub(super) fn mixed(texts: &TextRange, number: &Made) -> Made {
    varies(
        texts.covered + number.covered,
        number.extremes,
        Some("a number in some results and a text in others".to_owned()),
    )
}
