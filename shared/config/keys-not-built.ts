/** Answers configuration keys that the specification names and this version does not have (docs/not-built-yet.md). */

/** The keys without case, hyphens and underscores, each with what there is instead. */
const keys: Readonly<Record<string, string>> = {
	issuersecretname: "a cluster secret with the issuer's client secret",
	issuersecretkey: "a cluster secret with the issuer's client secret",
};

/**
 * Returns the sentence about a key or an argument, whatever part of the configuration it is in; undefined for one that the
 * specification does not name either. @param plainName Its last part, without case, hyphens and underscores.
 * @param written The name as the person has written it, e.g. `pat.issuerSecretName`.
 */
export function notBuilt(plainName: string, written: string): string | undefined {
	const what = Object.hasOwn(keys, plainName) ? keys[plainName] : undefined;
	if (what === undefined) return undefined;
	return `"${written}" names ${what}, which is not built yet (docs/not-built-yet.md): give the secret in the environment variable PAT__TOKEN_ISSUER_KWARGS__CLIENT_SECRET`;
}
