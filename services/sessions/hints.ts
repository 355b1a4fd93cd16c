/**
 * Sends hints to the rest of the platform. Before the bus is connected they are dropped, like any lost hint: a poll
 * backs each of them.
 */
import { type Publisher, publish } from "#shared/bus/service.ts";
import { sessionDue } from "#shared/contracts/sessions/session-work.ts";
import { workspaceDue } from "#shared/contracts/workspaces/workspace-work.ts";

export class Hints {
	#bus: Publisher | undefined;

	attach(bus: Publisher): void {
		this.#bus = bus;
	}

	sessionDue(id: string): void {
		if (this.#bus) void publish(this.#bus, sessionDue, { id }).catch(() => {});
	}

	workspaceDue(id: string): void {
		if (this.#bus) void publish(this.#bus, workspaceDue, { id }).catch(() => {});
	}
}
