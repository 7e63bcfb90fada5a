//! The plan as it may be shown: what is printed ends up in logs and bug reports, so secrets are masked there as they are in files.

use rangescope_config::{MASK, Secrets};

use crate::RunPlan;

impl RunPlan {
    #[must_use]
    pub fn masked(mut self, secrets: &Secrets) -> Self {
        let mut lists = Vec::new();
        if let Some(nsys) = &mut self.nsys {
            lists.extend([&mut nsys.argv, &mut nsys.outside_argv, &mut nsys.export_argv]);
        }
        let mut is_masked = false;
        let mut mask = |argv: &mut Vec<std::ffi::OsString>| {
            let masked = secrets.mask_arguments(argv);
            is_masked |= masked != *argv;
            *argv = masked;
        };
        lists.into_iter().for_each(&mut mask);
        if let Some(ncu) = &mut self.ncu {
            for capture in &mut ncu.plan.captures {
                mask(&mut capture.argv);
                mask(&mut capture.outside_argv);
            }
            if is_masked {
                ncu.plan.notes.push(format!(
                    "`{MASK}` stands for what looks secret; put it back where you copy a command"
                ));
            }
        }
        self
    }
}
