/** What is used of undici: all of it would be half of the package, most of it `fetch`. */
module.exports = { Agent: require("undici/lib/dispatcher/agent") };
