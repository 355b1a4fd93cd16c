/** Asks other services for persons. Before the bus is there, nothing can be asked. */
import { type Owner, systemPrincipal } from "#shared/base/principal.ts";
import { type Caller, call } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { connections } from "#shared/contracts/integrations/connections.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { NotFoundError, UnavailableError } from "#shared/base/errors.ts";
import type { FoundConnections } from "./trackers/connected-trackers.ts";

const job = vouch(systemPrincipal("tracker"));

const askMs = 3_000;

export class PlatformCalls {
	#bus: Caller | undefined;

	/** Gives it the bus; called when the service has started. */
	attach(bus: Caller): void {
		this.#bus = bus;
	}

	/**
	 * Returns the enabled connections of a person to trackers, the newest first. When they cannot be asked for, a sentence
	 * says so, and the trackers of the configuration remain.
	 */
	async connectionsOf({ tenant, id: owner }: Owner): Promise<FoundConnections> {
		try {
			if (!this.#bus) throw new UnavailableError("The platform is starting");
			const asked = { tenant, owner, integration_type: "issue_tracker" } as const;
			return {
				connections: await call(this.#bus, connections.actions.usable, asked, { meta: { principal: job } }),
				warnings: [],
			};
		} catch {
			return { connections: [], warnings: ["The connections to trackers cannot be read now"] };
		}
	}

	/** Returns the issue of a session that its owner can see; undefined when it has none. @throws {ServiceError} */
	async issueOf({ tenant, id }: Owner, session_id: string): Promise<string | undefined> {
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
