//! `rangescope demo`: the whole pipeline on the small model, from the discovery of its regions to the reports.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rangescope_analyze::View;
use rangescope_capture::recorder::DEFAULT_LIMIT;
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
    let (_, found) = discover(&model(&args.device)?, &absolute, DEFAULT_LIMIT, &|_| None, ui)?;
    ui.say(&listing::terminal(&found, &Ui::listing(View::default())));

    step(2, "plan: what will be run");
    let kernel = demo_job(args, &folder, "kernel", ui)?;
    let range = demo_job(args, &folder, "range", ui)?;
    let request = tools_request(false)?;
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

/// The model with its ranges A, A::A1 and B, and a family of layers in them; as large as a CPU computes in a moment.
fn model(device: &str) -> Result<Vec<OsString>, Failure> {
    let words = "dummy-model --scenario layers --blocks 4 --batch 4 --channels 32 --device";
    let words = words.split(' ').chain([device]).map(OsString::from);
    Ok([own_program()?].into_iter().chain(words).collect())
}

fn demo_job(args: &DemoArgs, folder: &Path, mode: &str, ui: &Ui) -> Result<Job, Failure> {
    let text = |key: &str, value: &str| format!("{key}={}", quoted(value));
    let recording = folder.join("recording");
    // Single kernels are measured with everything that ncu has, so that every view has something to show; ranges have no lines.
    let (set, import_source) = if mode == "kernel" { ("full", "true") } else { ("null", "null") };
    let overrides = [
        "pipeline.ncu.enable=true".to_owned(),
        format!("pipeline.ncu.ncu_cli.set={set}"),
        format!("pipeline.ncu.ncu_cli.import_source={import_source}"),
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
         kernel/report.html  open it in a browser: the run as a page to explore\n  \
         kernel/, range/     a run folder each, with report.md, report.json and a folder per region\n  \
         recording/          what the program opened: rangescope regions {shown}/recording\n\n\
         Look closer:\n  \
         rangescope report {shown}/kernel --region A   one region\n  \
         rangescope source {shown}/kernel              hot lines of the model's kernels\n  \
         rangescope kernel {shown}/kernel              the heaviest kernel in detail\n  \
         rangescope advice {shown}/kernel              what to do first, and why\n\n\
         Your own program:\n  \
         rangescope doctor                              what works on this machine\n  \
         rangescope regions -- YOUR PROGRAM             which regions it opens\n  \
         rangescope profile --region 'NAME*' -- YOUR PROGRAM"
    ));
}
