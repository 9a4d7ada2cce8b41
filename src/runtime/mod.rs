//! `hookman run`: one process that runs a chain and answers the client.
