//! `rangescope plan`: every command that a run would start, and nothing is started.

use rangescope_run::{RunPlan, Tools, ToolsRequest};

use super::job::{jobs, tools_request};
use crate::args::{PlanArgs, TextOrJson};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &PlanArgs, ui: &Ui) -> Result<(), Failure> {
    let request = ToolsRequest { ncu_version: args.ncu_version, ..tools_request(true)? };
    let mut plans = Vec::new();
    for job in jobs(&args.job, ui)? {
        let tools = Tools::find(&job, &request)?;
        plans.push(RunPlan::new(&job, &tools)?.masked(&job.secrets));
    }
    print(&plans, args.format, args.job.multirun)
}

/// Prints plans; a sweep is a list of them, also when it has one run.
pub(crate) fn print(plans: &[RunPlan], format: TextOrJson, is_sweep: bool) -> Result<(), Failure> {
    match (format, plans) {
        (TextOrJson::Text, plans) => {
            let texts: Vec<String> = plans.iter().map(RunPlan::to_text).collect();
            Ui::print(|out| out.write_all(texts.join("\n").as_bytes()))
        }
        (TextOrJson::Json, [plan]) if !is_sweep => Ui::print_json(plan),
        (TextOrJson::Json, plans) => Ui::print_json(&plans),
    }
}
