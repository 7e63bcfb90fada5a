//! `rangescope plan`: every command that a run would start, and nothing is started.

use std::io::Write;

use rangescope_run::{RunPlan, Tools};

use super::job::{jobs, tools_request};
use crate::args::{PlanArgs, PlanFormat};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &PlanArgs, ui: &Ui) -> Result<(), Failure> {
    let request = tools_request(args.ncu_version)?;
    let mut plans = Vec::new();
    for job in jobs(&args.job, ui)? {
        let tools = Tools::find(&job, &request)?;
        plans.push(RunPlan::new(&job, &tools)?);
    }
    print(&plans, args.format, args.job.multirun)
}

/// Prints plans; a sweep is a list of them, also when it has one run.
pub(crate) fn print(plans: &[RunPlan], format: PlanFormat, is_sweep: bool) -> Result<(), Failure> {
    let mut out = Ui::raw_data();
    match (format, plans) {
        (PlanFormat::Text, plans) => {
            for (number, plan) in plans.iter().enumerate() {
                if number > 0 {
                    writeln!(out)?;
                }
                out.write_all(plan.to_text().as_bytes())?;
            }
        }
        (PlanFormat::Json, [plan]) if !is_sweep => {
            serde_json::to_writer_pretty(&mut out, plan).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        (PlanFormat::Json, plans) => {
            serde_json::to_writer_pretty(&mut out, plans).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(())
}
