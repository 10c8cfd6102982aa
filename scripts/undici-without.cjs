/** Stands in for parts of undici that nothing here reaches: bodies that are no bytes, and HTTP/2, which is off. */
const unreachable = (what) => () => {
  throw new Error(`${what} is not in this bundle`);
};

module.exports = unreachable("HTTP/2");
module.exports.extractBody = unreachable("A body that is no bytes");
