/** The first token of all subjects of the platform on NATS. */

/** The namespace that the broker is given. */
export const namespace = "atelier";

/** The framework writes it with a prefix of its own. */
export const busNamespace = `MOL-${namespace}`;
