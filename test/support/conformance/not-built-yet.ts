/**
 * Operations of the contract that the platform does not have yet, by area. The list may only shrink: the walker fails
 * when a listed operation has a route, and when one without a route is not listed.
 */
export const notBuiltYet: Readonly<Record<string, readonly string[]>> = {};
