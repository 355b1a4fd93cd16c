/** The first token of all subjects of the platform on NATS. */

export const namespace = "atelier";

/** The framework writes it with a prefix of its own. */
export const busNamespace = `MOL-${namespace}`;
