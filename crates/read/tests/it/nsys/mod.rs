mod damage;
mod export;
mod top;
