//! Designs that do not keep a rule of theirs, to see what it is for.

use cosim::socket::Socket;
use hwmodel::Model;

use crate::build::make::BuildError;
use crate::config::ConfigError;

/// Puts a model that does not keep a rule into a block's socket. `field`: what has asked for that.
/// Errors: the block has another body.
pub fn take_away<M: Model>(
    field: &str,
    socket: &mut Socket<M>,
    model: Result<M, ports::ConfigError>,
) -> Result<(), BuildError> {
    let model = model.map_err(cosim::body::BodyError::Config)?;
    match socket.put_model(model) {
        true => Ok(()),
        false => {
            let problem = format!(
                "{} runs RTL, which follows all rules: must be the \
                                   model",
                M::NAME
            );
            Err(ConfigError { field: field.into(), problem }.into())
        }
    }
}
