/** The mixed load of a fault run: clients of every area, which record what was acknowledged. */
import { Random } from "../random.ts";
import { SessionDriver } from "../session-driver.ts";
import type { Testbed } from "../testbed.ts";
import { Archiver } from "./archiver.ts";
import { BooksClient } from "./books-client.ts";
import { PromptsClient } from "./prompts-client.ts";
import { SettingsClient } from "./settings-client.ts";

/** Gives the testbed its clients. @param repos The repository of each session; empty: none. */
export async function addClients(testbed: Testbed, seed: number, repos: readonly string[]): Promise<void> {
	const { api } = testbed;
	const random = (n: number) => new Random(seed * 1_000 + n);
	const { length } = repos;
	testbed.drivers = repos.map((repo, n) => new SessionDriver(api, random(n), `session-${n}`, repo));
	testbed.archiver = new Archiver(api, random(length), testbed.drivers);
	testbed.books = new BooksClient(api, (session) => testbed.podOf(session), random(length + 1));
	testbed.settings = new SettingsClient(api, random(length + 2));
	testbed.prompts = new PromptsClient(api, random(length + 3));
	await testbed.books.open();
}

/** Runs all clients until the signal aborts; what is under way is completed. */
export function clientLoad(testbed: Testbed, signal: AbortSignal): Promise<unknown> {
	const { drivers, archiver, books, settings, prompts } = testbed;
	const clients = [...drivers, archiver, books, settings, prompts].filter((client) => client !== undefined);
	const load = Promise.all(clients.map((client) => client.run(signal)));
	// The rejection is handled when the promise is awaited.
	load.catch(() => {});
	return load;
}

/** Returns how much was done, and how slowly at worst. */
export function loadFigures({ drivers, archiver, books, follower, passing }: Testbed) {
	return {
		longestPassingMs: passing.longestMs,
		slowestAnswerMs: Math.round(Math.max(...drivers.map(({ slowestMs }) => slowestMs))),
		acknowledged: drivers.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
		archived: archiver?.archived ?? 0,
		bookings: books?.acknowledged ?? 0,
		events: follower.events,
		reconnects: follower.connections,
	};
}
