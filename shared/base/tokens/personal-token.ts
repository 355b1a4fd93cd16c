/** Tells personal access tokens from other tokens of the same issuer, by claims that their signature covers. Pure. */
import { localIssuer } from "./local-tokens.ts";
import type { Claims } from "./jwt-form.ts";

/**
 * Whether these are the claims of a personal access token: its party is the issuer's confidential client, which logs
 * nobody in, or it is one of the platform's own.
 * @param clientId The client of the configured issuer; absent: there is none.
 */
export function isPersonalToken({ iss, azp, client_id }: Claims, clientId: string | undefined): boolean {
	if (iss === localIssuer) return true;
	return clientId !== undefined && clientId !== "" && (azp ?? client_id) === clientId;
}
