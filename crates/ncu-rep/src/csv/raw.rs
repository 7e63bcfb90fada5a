//! Rows of the raw page: one result each.

use crate::model::ResultData;

use super::base::{self, Factor};
use super::columns::Role;
use super::note::{self, NoteKind, Notes};
use super::number::Evidence;
use super::row::{self, Row};

/// The units of the columns, which the page states once.
#[derive(Debug, Default)]
pub(super) struct Units {
    factors: Vec<Factor>,
    found: bool,
}

impl Units {
    /// The row of units has no number and no kernel.
    pub(super) fn is_unit_row(row: &Row<'_, '_>) -> bool {
        row.text(Role::Id).trim().is_empty() && row.text(Role::KernelName).trim().is_empty()
    }

    /// Takes the units from their row.
    pub(super) fn read(&mut self, row: &Row<'_, '_>, notes: &mut Notes) {
        self.found = true;
        self.factors.clear();
        for (cell, (role, _)) in row.cells.iter().zip(&row.columns.list) {
            let factor = match role {
                Role::Metric => base::factor(&cell.text()),
                _ => Some(Factor::default()),
            };
            if factor.is_none() {
                notes.add_once(row.line, NoteKind::UnknownUnit(note::excerpt(&cell.text())));
            }
            self.factors.push(factor.unwrap_or_default());
        }
    }

    /// Reads the result of a row.
    pub(super) fn result(
        &self,
        row: &Row<'_, '_>,
        evidence: Evidence,
        notes: &mut Notes,
    ) -> ResultData<'static> {
        if !self.found {
            notes.add_first(row.line, NoteKind::NoUnitRow);
        }
        let mut result = row.result(notes);
        for (place, (cell, (role, name))) in row.cells.iter().zip(&row.columns.list).enumerate() {
            if *role == Role::Metric && !cell.raw.is_empty() {
                let factor = self.factors.get(place).copied().unwrap_or_default();
                result.metrics.extend(row::metric(
                    name,
                    &cell.text(),
                    factor,
                    evidence,
                    row.line,
                    notes,
                ));
            }
        }
        row.complete(&mut result);
        result
    }
}
