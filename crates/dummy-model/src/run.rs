//! The program: from arguments to a result on the standard output.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Barrier;

use clap::{Parser, ValueEnum};
use rangescope_recorder::format::TORCHRUN;

use crate::args::Args;
use crate::device::{Device, Platform, cuda};
use crate::error::ModelError;
use crate::kernel::Kernel;
use crate::launch::Launch;
use crate::model::Model;
use crate::nvtx::{self, Attachment};
use crate::outcome::Outcome;
use crate::play::play;
use crate::rank::Rank;
use crate::scenario::{Action, Scenario};

/// Runs the program with a command line, whose first word is the name of the program.
pub fn run<I, T>(arguments: I) -> ExitCode
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    match Args::try_parse_from(arguments) {
        Ok(args) => run_with(&args),
        Err(error) => {
            // The exit code is the same if nobody reads the message.
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}

/// Runs the program with parsed arguments. Ranks that it starts get the command line of this process.
pub fn run_with(args: &Args) -> ExitCode {
    match execute(args, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(ModelError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            say(&format!("error: {error}"));
            if let Some(hint) = error.hint() {
                say(&format!("hint: {hint}"));
            }
            ExitCode::FAILURE
        }
    }
}

fn execute(args: &Args, out: &mut dyn Write) -> Result<(), ModelError> {
    if args.list_scenarios {
        return list_scenarios(out);
    }
    if args.list_kernels {
        return Kernel::all()
            .into_iter()
            .try_for_each(|kernel| writeln!(out, "{}", kernel.name()))
            .map_err(ModelError::Io);
    }
    if let Some(architecture) = &args.compile_ptx {
        let ptx = cuda::ptx(args.nvrtc.as_deref(), architecture, args.dtype)?;
        return Ok(out.write_all(ptx.as_bytes())?);
    }
    match (args.scenario, Rank::from_launcher()) {
        (Scenario::Processes, None) => start_ranks(args.ranks, out),
        (_, rank) => {
            let outcome = compute(args, rank.unwrap_or_default())?;
            if args.json {
                serde_json::to_writer(&mut *out, &outcome).map_err(io::Error::from)?;
                writeln!(out)?;
            } else {
                out.write_all(outcome.to_text(args).as_bytes())?;
            }
            Ok(out.flush()?)
        }
    }
}

fn list_scenarios(out: &mut dyn Write) -> Result<(), ModelError> {
    for value in Scenario::value_variants().iter().filter_map(ValueEnum::to_possible_value) {
        let about = value.get_help().map(ToString::to_string).unwrap_or_default();
        writeln!(out, "{:<14}{about}", value.get_name())?;
    }
    Ok(())
}

/// Starts this program once for each rank, as a launcher would, and passes on what they print, in order.
#[expect(
    clippy::disallowed_methods,
    reason = "this program stands for a user's, which knows nothing of rangescope's own way to start processes"
)]
fn start_ranks(ranks: u32, out: &mut dyn Write) -> Result<(), ModelError> {
    let start = |rank: u32| {
        Command::new(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .env(TORCHRUN.rank, rank.to_string())
            .envs(TORCHRUN.local_rank.map(|name| (name, rank.to_string())))
            .envs(TORCHRUN.size.map(|name| (name, ranks.to_string())))
            .stdout(Stdio::piped())
            .spawn()
    };
    let children = (0..ranks).map(start).collect::<Result<Vec<_>, _>>()?;
    let mut failed = None;
    for (rank, child) in (0..).zip(children) {
        let output = child.wait_with_output()?;
        out.write_all(&output.stdout)?;
        if !output.status.success() && failed.is_none() {
            failed = Some(ModelError::Rank { rank, status: output.status.to_string() });
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Runs the scenario in this process.
fn compute(args: &Args, rank: Rank) -> Result<Outcome, ModelError> {
    let model = Model::new(args)?;
    let (platform, note) = Platform::choose(args, rank)?;
    if let Some(note) = note {
        say(&format!("note: {note}"));
    }
    if let Attachment::Failed { library, reason } = nvtx::attachment() {
        say(&format!("note: no tool sees the ranges: {library}: {reason}"));
    }
    let pass = args.scenario.pass(&model);
    let threads = args.scenario.actions(&model);
    let is_launch = |action: &&Action| matches!(action, Action::Launch(_));
    let launches = threads.iter().flatten().filter(is_launch).count() * args.repeats as usize
        + threads.len() * pass.len() * args.warmup as usize;
    let values = compute_threads(args, &model, &platform, &pass, &threads)?;

    let logits: Vec<Vec<f32>> = values.chunks(args.classes as usize).map(<[f32]>::to_vec).collect();
    let scenario = args.scenario.to_possible_value();
    Ok(Outcome {
        model: "dummy_shallow_resnet",
        scenario: scenario.map(|value| value.get_name().to_owned()).unwrap_or_default(),
        device: platform.name(),
        device_name: platform.description().map(str::to_owned),
        dtype: args.dtype.name(),
        rank: rank.number,
        batch: args.batch,
        size: args.size,
        channels: args.channels,
        blocks: args.blocks,
        classes: args.classes,
        repeats: args.repeats,
        warmup: args.warmup,
        seed: args.seed,
        launches,
        nvtx: match nvtx::attachment() {
            Attachment::Tool(library) => Some(library.clone()),
            Attachment::None | Attachment::Failed { .. } => None,
        },
        checksum: Outcome::checksum(&values),
        logits,
    })
}

/// Runs each list of actions on a thread of its own, the first one on this thread, whose result is returned.
fn compute_threads(
    args: &Args,
    model: &Model,
    platform: &Platform,
    pass: &[Launch],
    threads: &[Vec<Action>],
) -> Result<Vec<f32>, ModelError> {
    let result = match args.scenario {
        Scenario::ManyKernels => model.tour_result,
        _ => model.logits,
    };
    // No range opens before everything is loaded, allocated and warmed up.
    let ready = Barrier::new(threads.len());
    let prepare = |stream: u32| -> Result<Box<dyn Device + '_>, ModelError> {
        let mut device = platform.device(&model.buffers, args.dtype, stream)?;
        for launch in (0..args.warmup).flat_map(|_| pass) {
            device.launch(launch)?;
        }
        device.synchronise()?;
        Ok(device)
    };
    let perform = |stream: u32, actions: &[Action]| -> Result<Vec<f32>, ModelError> {
        let device = prepare(stream);
        ready.wait();
        let mut device = device?;
        play(actions, args.repeats, device.as_mut())?;
        device.read(result)
    };
    let Some((first, others)) = threads.split_first() else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let perform = &perform;
        let others: Vec<_> = (1..)
            .zip(others)
            .map(|(stream, actions)| scope.spawn(move || perform(stream, actions)))
            .collect();
        let values = perform(0, first)?;
        for other in others {
            other.join().map_err(|_| ModelError::Thread)??;
        }
        Ok(values)
    })
}

/// Prints a message beside the result.
fn say(message: &str) {
    // If nobody reads standard error, nothing is lost.
    let _ = writeln!(io::stderr(), "dummy_shallow_resnet: {message}");
}
