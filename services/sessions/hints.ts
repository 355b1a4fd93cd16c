/** Hints to the rest of the platform. Until the bus is there they are dropped, as any hint may be: a poll stands behind each. */
import { type Publisher, publish } from "#shared/bus/service.ts";
import { sessionDue } from "#shared/contracts/session-work.ts";

export class Hints {
	#bus: Publisher | undefined;

	attach(bus: Publisher): void {
		this.#bus = bus;
	}

	sessionDue(id: string): void {
		if (this.#bus) void publish(this.#bus, sessionDue, { id }).catch(() => {});
	}
}
