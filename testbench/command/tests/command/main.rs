//! `duet` as other programs see it: exit status, last line, messages, files. One program of tests,
//! as each costs a link.

mod accel_sim;
mod attacks;
mod audit;
mod bodies;
mod bundles;
mod captures;
mod check;
mod cosim;
mod coverage;
mod desk;
mod failures;
mod flips;
mod headlines;
mod help;
mod litmus;
mod mutate;
mod names;
mod near;
mod new;
mod opencl;
mod outputs;
mod pages;
mod quotations;
mod refusals;
mod reproduce;
mod results;
mod schema;
mod sessions;
mod soak;
mod sweep;
mod systems;
mod trace;
mod two_gpus;
mod vary;
mod waves;
