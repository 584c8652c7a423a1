//! Makes a body: the cache's, or a new one.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use ports::Description;

use super::cache::Cache;
use super::error::VerilatedError;
use super::plan::Plan;
use super::request::{Request, Variant};
use super::sources::Sources;
use super::step::{Step, tell};
use crate::bridge::library::BodyLibrary;

/// The RTL that bodies are made of now.
fn current_sources(block: &str) -> Result<Sources, VerilatedError> {
    let missing = |problem| VerilatedError::Sources { block: block.to_string(), problem };
    Sources::current().map_err(missing)
}

/// Has Verilator read a block's RTL as for a body, and builds none. Errors: what it says.
pub fn lint(request: &Request, sources: &Sources) -> Result<(), VerilatedError> {
    let plan = Plan::new(request, sources)?;
    plan.verilate(Cache::find()?.scratch()?.folder())
}

/// Builds what is not in the cache; returns the file.
fn find(request: &Request) -> Result<PathBuf, VerilatedError> {
    let cache = Cache::find()?;
    let plan = Plan::new(request, &current_sources(request.block.name)?)?;
    let name = plan.name()?;
    if let Some(path) = cache.get(&name)? {
        return Ok(path);
    }
    let _lock = cache.lock(&name, || tell(Step::Waiting(request)))?;
    // Another process may have built it meanwhile.
    if let Some(path) = cache.get(&name)? {
        return Ok(path);
    }
    tell(Step::Building(request));
    let start = Instant::now();
    let place = cache.start(&name)?;
    let built = plan.build(&cache, place.folder())?;
    let path = place.finish(&built, plan.kept("made.so"))?;
    tell(Step::Built(request, start.elapsed().as_secs_f64()));
    Ok(path)
}

/// Whether bodies of a block can be made here. Errors: what is missing.
pub fn ready(block: &'static str) -> Result<(), VerilatedError> {
    let block = Description { name: block, parameters: vec![], inputs: vec![], outputs: vec![] };
    let request = Request { block, variant: Variant::default() };
    Plan::new(&request, &current_sources(request.block.name)?).map(|_| ())
}

/// What makes a request another one for the bodies that this process has loaded. The ports follow
/// from the parameters.
fn identity(request: &Request) -> String {
    format!("{request} {:?}", Sources::current().map(|sources| sources.to_string()))
}

/// The body, loaded; built first where the cache has none. Errors: it cannot be made.
pub fn body(request: &Request) -> Result<BodyLibrary, VerilatedError> {
    static LOADED: Mutex<Option<HashMap<String, BodyLibrary>>> = Mutex::new(None);
    let identity = identity(request);
    let loaded = || LOADED.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(library) = loaded().get_or_insert_default().get(&identity) {
        return Ok(*library);
    }
    let path = find(request)?;
    let library = BodyLibrary::load(&path);
    let library = library.map_err(|problem| VerilatedError::Load { path, problem })?;
    loaded().get_or_insert_default().insert(identity, library);
    Ok(library)
}

/// Builds all bodies that the cache does not have, so many at a time. Errors: the first in the
/// order of the requests.
pub fn build(requests: &[Request], jobs: usize) -> Result<(), VerilatedError> {
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<(usize, VerilatedError)>> = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..jobs.min(requests.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(request) = requests.get(at) else { return };
                    if let Err(error) = find(request) {
                        let mut failed = failed.lock().unwrap_or_else(|e| e.into_inner());
                        if failed.as_ref().is_none_or(|(first, _)| at < *first) {
                            *failed = Some((at, error));
                        }
                        return;
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(|e| e.into_inner());
    failed.map_or(Ok(()), |(_, error)| Err(error))
}
