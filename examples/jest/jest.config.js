/** ES modules as they are, without a transformation. */
export default { testEnvironment: "node", transform: {}, watchman: false };
