mod damage;
mod export;
mod support;
mod top;
