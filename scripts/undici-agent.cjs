/** What is used of undici, as its index puts it together: all of it would be half of the package, most of it `fetch`. */
const Agent = require("undici/lib/dispatcher/agent");
const Dispatcher = require("undici/lib/dispatcher/dispatcher");

Object.assign(Dispatcher.prototype, { request: require("undici/lib/api/api-request") });

module.exports = { Agent };
