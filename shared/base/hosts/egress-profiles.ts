/** The profiles of the way out of sessions that have no network of their own. */

/** The profiles, from the widest to the narrowest: every public server, those that are named, none. */
export const egressProfiles = ["default", "restricted", "none"] as const;
export type EgressProfile = (typeof egressProfiles)[number];

/** A host, or a dot and the end of all names below it: `registry.example`, `.pypi.example`. */
export const egressHostForm = /^\.?[\w-]+(\.[\w-]+)*$/;
/** Such a host, which may have a port. */
export const internalHostForm = /^(\.?[\w-]+(?:\.[\w-]+)*)(?::(\d{1,5}))?$/;
export const maxEgressHosts = 100;
