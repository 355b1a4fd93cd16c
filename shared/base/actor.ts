/**
 * The person on whose behalf the present work runs, so that the store can name him in the audit log. It follows a
 * request through every asynchronous step of one process.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Principal } from "./principal.ts";

/** A request of a person, or of a program with a person's token. */
export interface Actor {
	readonly principal: Principal;
	/** The name of the action that was called first, e.g. `sessions.stop`. */
	readonly action: string;
	readonly isRead: boolean;
	readonly request_id?: string | undefined;
	/** The address of the client, as the gateway saw it. */
	readonly address?: string | undefined;
}

const actors = new AsyncLocalStorage<Actor | undefined>();

/** Runs work on behalf of an actor; undefined: on behalf of the platform. Work inside another actor's keeps that one. */
export function actingAs<T>(actor: Actor | undefined, work: () => T): T {
	return actor !== undefined && actors.getStore() !== undefined ? work() : actors.run(actor, work);
}

/** Returns the actor of the present work; undefined for work of pods and of the platform itself. */
export function currentActor(): Actor | undefined {
	return actors.getStore();
}
