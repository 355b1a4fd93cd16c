/** Answers configuration keys that are values of the Helm chart and no keys of the configuration (docs/tokens.md). */

/** The keys without case, hyphens and underscores. */
const keys = new Set(["issuersecretname", "issuersecretkey"]);

/**
 * Returns the sentence about a key or an argument, whatever part of the configuration it is in; undefined for one that the
 * chart does not have either. @param plainName Its last part, without case, hyphens and underscores.
 * @param written The name as the person has written it, e.g. `pat.issuerSecretName`.
 */
export function ofChart(plainName: string, written: string): string | undefined {
	if (!keys.has(plainName)) return undefined;
	return `"${written}" is a value of the Helm chart, which gives the platform the issuer's client secret from a secret of the cluster: elsewhere, give it in the environment variable PAT__TOKEN_ISSUER_KWARGS__CLIENT_SECRET (docs/tokens.md)`;
}
