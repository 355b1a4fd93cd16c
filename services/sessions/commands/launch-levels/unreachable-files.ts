/** Refuses sessions that need folders of the machine where the runtime has none for them. */
import { systemPrincipal } from "#shared/base/principal.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { call, type RequestContext } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { sessionPlace } from "#shared/contracts/sessions/session-place.ts";
import { missingHostFiles, type NeededFiles } from "#shared/wire/launch/host-files.ts";

const job = vouch(systemPrincipal("sessions"));
const askMs = 2_000;
const codes = { folder: "LOCAL_MOUNT_REFUSED", repository: "REPOSITORY_REFUSED" } as const;

/**
 * Asks the pod manager only for a session that needs such folders. The launch finds it out where nobody answers.
 * @throws {UnprocessableError} that names the first folder or repository that sessions do not have.
 */
export async function refuseUnreachableFiles(
	needed: NeededFiles,
	{ broker, meta: { request_id, deadline } }: Pick<RequestContext, "broker" | "meta">,
): Promise<void> {
	const missing = missingHostFiles(needed);
	if (missing === undefined) return;
	const meta = { principal: job, ...(request_id && { request_id }), ...(deadline && { deadline }) };
	const asked = call(broker, sessionPlace.actions.describe, {}, { meta, timeout: askMs });
	const { has_host_files } = await asked.catch(() => ({ has_host_files: true }));
	if (!has_host_files) throw new UnprocessableError(missing.sentence, codes[missing.kind]);
}
