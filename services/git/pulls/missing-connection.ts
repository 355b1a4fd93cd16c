/**
 * Says which connection is missing when a session cannot push: the token of the platform's configuration never enters a
 * pod (decision 0059). Pure.
 */
import { BadRequestError, UpstreamError } from "#shared/base/errors.ts";
import type { GitProvider } from "../providers/git-provider.ts";

/** The words of git, and of hosts, for a push without a credential or with one that is not accepted. */
const unauthenticated = /could not read (?:Username|Password)|Authentication failed|Permission denied \(publickey/i;

/** Returns the error for a push that failed without a connection of the person. */
export function orMissingConnection(error: unknown, { type, host }: Pick<GitProvider, "type" | "host">): unknown {
	if (!(error instanceof UpstreamError) || error.type !== "PUSH_REFUSED" || !unauthenticated.test(error.message))
		return error;
	return new BadRequestError(
		`The session has no credential that may push to "${host}", and the platform's own token is never given to a session. ` +
			`Connect your account there (POST /integrations with the slug "${type}"), then repeat this request; nothing was pushed`,
		"CONNECTION_MISSING",
	);
}
