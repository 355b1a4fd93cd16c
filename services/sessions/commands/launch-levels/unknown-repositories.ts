/** Refuses sessions on repositories that do not exist, as far as git providers know them (`git.validate_on_create`). */
import type { Principal } from "#shared/base/principal.ts";
import { call, type RequestContext } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { repositories } from "#shared/contracts/git/repositories.ts";
import { UnprocessableError } from "#shared/base/errors.ts";

/** A provider that takes longer delays no session, which finds out at the clone. */
const askMs = 2_000;

/**
 * Asks with the rights of the person who creates the session.
 * @throws {UnprocessableError} when a provider says that one does not exist, or hides it from this person.
 */
export async function refuseUnknownRepositories(
	urls: readonly string[],
	principal: Principal,
	{ broker, meta: { request_id, deadline } }: RequestContext,
): Promise<void> {
	const asked = urls.filter((url) => url !== "").slice(0, 50);
	if (asked.length === 0) return;
	const meta = { principal: vouch(principal), ...(request_id && { request_id }), ...(deadline && { deadline }) };
	const { missing } = repositories.actions;
	// An answer that does not come is no reason to refuse a session.
	const sentences = await call(broker, missing, { repo_urls: asked }, { meta, timeout: askMs }).catch(() => []);
	const [first] = sentences;
	if (first !== undefined) throw new UnprocessableError(first, "REPOSITORY_UNKNOWN");
}
