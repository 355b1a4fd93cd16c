/** The other services, as pull requests need them; the calls act for the person who asked. */
import type { Chronicle } from "#shared/contracts/sessions/chronicles.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import type { PublishedWork, sessionControl } from "#shared/contracts/sessions/session-control.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";

/** The services of sessions and people, as one person reaches them. */
export interface SessionGateway {
	/** @throws {NotFoundError} for a session that the person may not see. */
	session(id: string): Promise<Session>;
	/** Returns the newest chronicle; undefined when there is none, or nobody can tell. */
	chronicle(session: string): Promise<Chronicle | undefined>;
	/** Commits the work of a running session and pushes it. */
	publish(order: ParamsOf<typeof sessionControl.actions.publish>): Promise<PublishedWork>;
	/** Returns the person as the author of commits; undefined when the platform knows no address. */
	author(): Promise<{ name: string; email: string } | undefined>;
}
