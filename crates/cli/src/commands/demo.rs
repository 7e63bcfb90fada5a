//! `rangescope demo`: the whole pipeline on the small model, from the discovery of its regions to the reports.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rangescope_config::{OverrideArg, Tree, quoted};
use rangescope_read::recording::regions;
use rangescope_report::recorded;
use rangescope_run::{Job, RunPlan, Tools};

use super::job::{context, job, tools_request};
use super::profile::one;
use super::regions::{record, recorded};
use crate::args::DemoArgs;
use crate::failure::Failure;
use crate::ui::Ui;

const STEPS: usize = 4;

pub(crate) fn run(args: &DemoArgs, ui: &Ui) -> Result<(), Failure> {
    let folder = args.out.clone().unwrap_or_else(default_folder);
    let step = |number: usize, what: &str| ui.say(&format!("\n[{number}/{STEPS}] {what}"));

    step(1, "discovery: which NVTX regions does the model open?");
    let recording = folder.join("recording");
    fs_err::create_dir_all(&recording)?;
    record(&model(&args.device)?, &std::path::absolute(&recording)?)?;
    let found = regions(&recorded(&recording, ui)?);
    ui.say(&recorded::terminal(&found, Ui::width().unwrap_or(100)));

    step(2, "plan: what will be run");
    let kernel = demo_job(args, &folder, "kernel", ui)?;
    let range = demo_job(args, &folder, "range", ui)?;
    let request = tools_request(None)?;
    let mut planned = Vec::new();
    for job in [kernel, range] {
        let tools = Tools::find(&job, &request)?;
        let plan = RunPlan::new(&job, &tools)?;
        ui.say(&plan.to_text());
        planned.push((job, tools, plan));
    }
    for (number, (job, tools, plan)) in (3..).zip(&planned) {
        let mode = if number == 3 { "kernel" } else { "range" };
        step(number, &format!("capture by {mode} replay, and report"));
        one(job, tools, plan, ui)?;
    }
    say_what_next(&folder, ui);
    Ok(())
}

fn default_folder() -> PathBuf {
    let now = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    Path::new("tmp/profile-output").join(format!("{now}-demo"))
}

/// The model with its ranges A, A::A1 and B.
fn model(device: &str) -> Result<Vec<OsString>, Failure> {
    let program = std::env::current_exe()?;
    let words = ["dummy-model", "--scenario", "nested", "--device", device];
    Ok([program.into_os_string()].into_iter().chain(words.map(OsString::from)).collect())
}

fn demo_job(args: &DemoArgs, folder: &Path, mode: &str, ui: &Ui) -> Result<Job, Failure> {
    let text = |key: &str, value: &str| format!("{key}={}", quoted(value));
    let recording = folder.join("recording");
    let overrides = [
        "pipeline.ncu.enable=true".to_owned(),
        text("device", &args.device),
        text("run.dir", &folder.join(mode).to_string_lossy()),
        text("pipeline.ncu.ncu_cli.replay_mode", mode),
        text("pipeline.ncu.ncu_cli.nvtx.include", "A;B;A::A1"),
        text("pipeline.regions.from_run", &recording.to_string_lossy()),
    ];
    let overrides = OverrideArg::list(overrides.iter().map(String::as_str));
    job(&Tree::embedded(), overrides, &model(&args.device)?, &context()?, ui)
}

fn say_what_next(folder: &Path, ui: &Ui) {
    let shown = folder.display();
    ui.say(&format!(
        "\nMade in {shown}:\n  \
         recording/         what the program opened: rangescope regions {shown}/recording\n  \
         kernel/, range/    a run folder each, with report.md, report.json and a folder per region\n\n\
         Next:\n  \
         rangescope report {shown}/kernel --region A\n  \
         rangescope regions -- YOUR PROGRAM\n  \
         rangescope doctor\n  \
         rangescope profile --region 'NAME*' -- YOUR PROGRAM"
    ));
}
