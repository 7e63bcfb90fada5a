//! The functions that interpolations may call.
//!
//! `oc.env`, `oc.select`, `oc.decode`, `now` and `hydra` are here; none of them runs code.

use super::parse::parse_value;
use super::resolve::{Failure, Found, Resolver, Stack};
use super::time;
use crate::path::Steps;
use crate::python;
use crate::value::Value;
use rangescope_model::nearest::nearest;

const NAMES: [&str; 5] = ["hydra", "now", "oc.decode", "oc.env", "oc.select"];

impl Resolver<'_> {
    pub(super) fn call(
        &self,
        name: &str,
        arguments: &[Value],
        parent: &Steps,
        stack: &mut Stack,
    ) -> Result<Found, Failure> {
        let fail = |message: String| Failure::Failed(format!("{name}: {message}"));
        match (name, arguments) {
            ("oc.env", [Value::Text(variable)]) => self.env(variable, None).map_err(fail),
            ("oc.env", [Value::Text(variable), default]) => {
                self.env(variable, Some(default)).map_err(fail)
            }
            ("oc.env", _) => Err(fail("takes the name of a variable and a default".to_owned())),
            ("oc.select", [Value::Text(path)]) => self.lookup_or(path, &Value::Null, parent, stack),
            ("oc.select", [Value::Text(path), default]) => {
                self.lookup_or(path, default, parent, stack)
            }
            ("oc.select", _) => Err(fail("takes a path and a default".to_owned())),
            ("oc.decode", [Value::Null]) => Ok(Found::Made(Value::Null)),
            ("oc.decode", [Value::Text(text)]) => {
                let argument = parse_value(text).map_err(fail)?;
                self.argument(&argument, parent, stack).map(Found::Made)
            }
            ("oc.decode", _) => Err(fail("takes a text".to_owned())),
            ("now", [Value::Text(format)]) => {
                let text = time::format(self.context.now, format).map_err(fail)?;
                Ok(Found::Made(Value::Text(text)))
            }
            ("now", _) => Err(fail("takes a format such as %Y%m%d-%H%M%S".to_owned())),
            ("hydra", [Value::Text(path)]) => self.of_hydra(path).map_err(fail),
            ("hydra", _) => Err(fail("takes a path such as runtime.cwd".to_owned())),
            _ => {
                let near = nearest(name, NAMES)
                    .map(|near| format!(", did you mean `{near}`?"))
                    .unwrap_or_default();
                Err(Failure::Failed(format!("there is no resolver `{name}`{near}")))
            }
        }
    }

    fn env(&self, variable: &str, default: Option<&Value>) -> Result<Found, String> {
        self.asked.set(self.asked.get() + 1);
        match ((self.context.env)(variable), default) {
            (Some(value), _) => Ok(Found::Made(Value::Text(value))),
            (None, Some(Value::Null)) => Ok(Found::Made(Value::Null)),
            (None, Some(default)) => Ok(Found::Made(Value::Text(python::text(default)))),
            (None, None) => Err(format!("the environment variable `{variable}` is not set")),
        }
    }

    fn lookup_or(
        &self,
        path: &str,
        default: &Value,
        parent: &Steps,
        stack: &mut Stack,
    ) -> Result<Found, Failure> {
        let found = match self.lookup(path, parent, false, stack) {
            Err(Failure::NoContainer(_)) => None,
            other => other?,
        };
        let found = found.filter(|found| match found {
            Found::At(_) => !self.value(found.clone()).is_missing(),
            Found::Made(value) => !value.is_missing(),
        });
        Ok(found.unwrap_or_else(|| Found::Made(default.clone())))
    }

    /// What is known of Hydra's run time: the working directory, and what the tree itself says under `hydra`.
    fn of_hydra(&self, path: &str) -> Result<Found, String> {
        if path == "runtime.cwd" {
            return Ok(Found::Made(Value::Text(self.context.cwd.clone())));
        }
        let node =
            self.hydra.and_then(|hydra| hydra.at(path)).ok_or("only runtime.cwd is known here")?;
        match node.value.interpolation() {
            None => Ok(Found::Made(node.value.clone())),
            Some(text) => {
                let template = super::parse::parse(text)?;
                let found = self.evaluate(&template, &Steps::new(), &mut Stack::new());
                found.map_err(Failure::message)
            }
        }
    }
}
