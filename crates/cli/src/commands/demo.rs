//! `rangescope demo`: the whole pipeline on the small model, from the discovery of its regions to the reports.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rangescope_config::{OverrideArg, Tree, quoted};
use rangescope_report::recorded as listing;
use rangescope_run::{Job, RunPlan, Tools, compose, context};

use super::job::{own_program, say_notes, tools_request};
use super::profile::make_run;
use super::regions::discover;
use crate::args::DemoArgs;
use crate::failure::Failure;
use crate::ui::Ui;

const STEPS: usize = 4;

pub(crate) fn run(args: &DemoArgs, ui: &Ui) -> Result<(), Failure> {
    let folder = args.out.clone().unwrap_or_else(default_folder);
    let step = |number: usize, what: &str| ui.say(&format!("\n[{number}/{STEPS}] {what}"));

    step(1, "discovery: which NVTX regions does the model open?");
    let recording = folder.join("recording");
    let absolute = fs_err::create_dir_all(&recording)
        .and_then(|()| std::path::absolute(&recording))
        .map_err(Failure::write(&recording))?;
    let (_, found) = discover(&model(&args.device)?, &absolute, ui)?;
    ui.say(&listing::terminal(&found, Ui::width().unwrap_or(100)));

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
        make_run(job, tools, plan, ui)?;
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
    let words = ["dummy-model", "--scenario", "nested", "--device", device];
    Ok([own_program()?].into_iter().chain(words.map(OsString::from)).collect())
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
    let model = model(&args.device)?;
    let (job, notes) = compose::job(&Tree::embedded(), overrides, &model, &context()?)?;
    say_notes(&notes, ui);
    Ok(job)
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
