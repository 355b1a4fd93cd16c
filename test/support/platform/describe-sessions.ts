/**
 * Describes tests of the sessions and blueprints parts, with everything on one broker and with the caller on another
 * one.
 */
import type { ServiceBroker } from "moleculer";
import { SessionActor } from "./session-actor.ts";
import { startSessions } from "./sessions-part.ts";

/** The objects of a test; they exist within hooks and tests only. */
export interface SessionsTestbed {
	/** The broker to call from. */
	readonly near: ServiceBroker;
	/** An unknown user, another one for each test. */
	readonly ada: SessionActor;
}

/** Describes the tests for each number of brokers. */
export function describeSessions(name: string, tests: (testbed: SessionsTestbed) => void): void {
	for (const count of [1, 2] as const) {
		describe(`${name} with ${count} broker(s)`, () => {
			let started: Awaited<ReturnType<typeof startSessions>>;
			let ada: SessionActor;

			before(async () => {
				started = await startSessions(count);
			});
			beforeEach(() => {
				ada = new SessionActor(started.near);
			});
			after(() => started.stop());

			tests({
				get near() {
					return started.near;
				},
				get ada() {
					return ada;
				},
			});
		});
	}
}
