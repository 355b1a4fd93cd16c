/** Fetches the secrets of a launch. They are passed on with the launch document and kept nowhere here. */
import { type Caller, call, type Meta } from "#shared/bus/service.ts";
import { injection } from "#shared/contracts/credentials/injection.ts";
import type { Claim } from "#shared/contracts/session-work.ts";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";

/** The most time of one request, in milliseconds. A pass has 9 s. */
const prepareMs = 3_000;

/** The count of passes that try; the next one starts the session without secrets (specification, Credential storage 5). */
const maxAttempts = 4;

/**
 * Returns the secrets; undefined when the session names no credentials.
 * @throws {Error} when they cannot be prepared now and a later pass should try again: services start in any order.
 */
export async function launchSecrets(bus: Caller, claim: Claim, meta: Meta): Promise<PodSecrets | undefined> {
	const { tenant = "", owner = "", id: session_id, launch, attempts } = claim;
	const credential_names = namesIn(launch);
	if (credential_names.length === 0) return undefined;
	try {
		const asked = { tenant, owner, session_id, credential_names };
		return await call(bus, injection.actions.prepare, asked, { meta, timeout: prepareMs });
	} catch (error) {
		if (attempts < maxAttempts) throw error;
		return { variables: {}, files: [], git_credentials: [], warnings: ["the credentials could not be prepared"] };
	}
}

function namesIn({ credential_names }: Claim["launch"]): string[] {
	return Array.isArray(credential_names) ? credential_names.filter((name) => typeof name === "string") : [];
}
