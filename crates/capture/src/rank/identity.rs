//! Who this rank is, by the variables of its launcher; and what is read of others.

use std::io;
use std::path::Path;

use rangescope_model::rank::{MOST_BYTES, RANK_FORMAT, RankRecord};
use rangescope_recorder::format::{self, DEVICES_VARIABLE};

use super::RankError;
use crate::launch::{LAUNCHERS, Launcher};

/// What the variables tell; a launcher that is known by its name is believed before those that its user may be inside of.
pub(super) fn identity(
    launcher: Option<&'static Launcher>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<RankRecord, RankError> {
    let number = |name: &str| variable(name)?.trim().parse().ok();
    let own = |which: fn(&format::Launcher) -> Option<&'static str>| {
        launcher.and_then(|launcher| launcher.number(which, &variable))
    };
    let rank = own(|of| Some(of.rank));
    // A number of one launcher means nothing beside the rank of another.
    let by_own = rank.is_some();
    let pick = |which: fn(&format::Launcher) -> Option<&'static str>| {
        if by_own { own(which) } else { format::number_of(which, number) }
    };
    // Where two should say so, both are found out by the file that they write.
    let is_alone = launcher.is_some_and(|launcher| !launcher.numbers_one);
    let rank = pick(|of| Some(of.rank)).or(is_alone.then_some(0)).ok_or_else(|| {
        RankError::NoRank { variables: format::LAUNCHERS.iter().map(|of| of.rank).collect() }
    })?;
    let job = |names: &[&str]| {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let of_array = set("SLURM_ARRAY_JOB_ID").zip(set("SLURM_ARRAY_TASK_ID"));
        let of_array = of_array.map(|(job, task)| format!("{job}_{task}"));
        of_array.or_else(|| names.iter().find_map(|name| set(name)))
    };
    Ok(RankRecord {
        format: RANK_FORMAT.to_owned(),
        rank,
        size: pick(|of| of.size),
        local_rank: pick(|of| of.local_rank),
        host: own_host(),
        node: own(|of| of.node),
        visible_devices: variable(DEVICES_VARIABLE),
        devices: Vec::new(),
        launcher: launcher.map(|launcher| launcher.name.to_owned()),
        job_id: job(launcher.map_or(LAUNCHERS[1].job, |launcher| launcher.job)),
        pid: std::process::id(),
        profiled: true,
        begun_at: jiff::Timestamp::now().to_string(),
        ended: None,
    })
}

pub(crate) fn own_host() -> String {
    let name = nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok());
    name.unwrap_or_default()
}

/// A record that some rank has written; other files may lie in the same place.
pub(crate) fn read_record(path: &Path) -> io::Result<RankRecord> {
    let text = ncu_rep::file::read_text(path, MOST_BYTES)?;
    let record: RankRecord = serde_json::from_str(&text)?;
    if record.is_ours() { Ok(record) } else { Err(io::ErrorKind::InvalidData.into()) }
}
