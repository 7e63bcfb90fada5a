mod hostile;
mod reading;
mod support;
mod tree;
