//! Properties of limits and of the limiter over them, for any limits and any timeline.

mod alone;
mod strategies;
mod text;
mod together;
