//! `rangescope doctor`: whether this machine can profile, and what to do where it cannot.

use anstyle::{AnsiColor, Style};
use rangescope_capture::doctor::{DoctorRequest, Machine, Status, doctor};
use rangescope_model::text::visible;
use rangescope_run::exit::ExitCode;

use crate::args::{DoctorArgs, TextOrJson};
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(args: &DoctorArgs) -> Result<std::process::ExitCode, Failure> {
    let verdict = doctor(&DoctorRequest {
        ncu: args.ncu.as_slice(),
        nsys: &args.nsys,
        program: &args.program,
        folder: &args.folder,
        machine: &Machine::this(),
    });
    match args.format {
        TextOrJson::Json => Ui::print_json(&verdict),
        TextOrJson::Text => Ui::print_styled(|out| {
            for check in &verdict.checks {
                let style = style(check.status);
                let status = check.status.as_str();
                let detail = visible(&check.detail);
                writeln!(out, "{style}{status:<8}{style:#}{:<17} {detail}", check.name)?;
                if let Some(fix) = &check.fix {
                    writeln!(out, "{:25} fix: {}", "", visible(fix))?;
                }
            }
            writeln!(out, "\n{}", visible(&verdict.verdict))
        }),
    }?;
    let code = if verdict.can_profile { ExitCode::Success } else { ExitCode::ProfilerFailed };
    Ok(code.number().into())
}

fn style(status: Status) -> Style {
    match status.as_str() {
        "ok" => AnsiColor::Green.on_default(),
        "warning" => AnsiColor::Yellow.on_default().bold(),
        _ => AnsiColor::Red.on_default().bold(),
    }
}
