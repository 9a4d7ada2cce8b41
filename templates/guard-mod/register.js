// hookman writes this file with `hookman install --guard-mod`. The user's settings seat it first, and it
// hands these events to the client past all other mods, so that none of them answers for a gate.
const past = ($, e, next) => next.to(e, 'builtin');

export function register(on) {
  on('classic.*', past);
  on('settings.read', past);
  on('tool.call', past);
  on('tool.check', past);
  on('tool.run', past);
}
