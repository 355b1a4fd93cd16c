/** Provides streams and clients for the tests of a suite, and ends them after each test. */
import { afterEach } from "mocha";
import type { StreamEvent } from "../../../cli/event-stream.ts";
import { eventually } from "../eventually.ts";
import type { NewEntry } from "../stores/memory-event-log.ts";
import type { SseClient, SseOptions } from "./sse-client.ts";
import { startStream, type StreamOptions, type TestStream } from "../platform/start-stream.ts";

/** Makes an event that `dev-user` may see. */
export function change(n: number, entry: Partial<NewEntry> = {}): NewEntry {
	return { type: "session_updated", data: JSON.stringify({ n }), tenant: "default", owner: "dev-user", ...entry };
}

export function changes(count: number, from = 0): NewEntry[] {
	return Array.from({ length: count }, (_, index) => change(from + index));
}

export function idsOf(events: readonly StreamEvent[]): string[] {
	return events.map(({ id }) => id);
}

/** Starts streams and opens clients, and ends them after each test. */
export function useStreams(nodes: 1 | 2) {
	let running: TestStream | undefined;
	const clients: SseClient[] = [];

	afterEach(async () => {
		for (const client of clients.splice(0)) await client.close();
		await running?.stop();
		running = undefined;
	});

	/** Starts a stream without waiting until the log is read. */
	async function begin(options: StreamOptions = {}): Promise<TestStream> {
		const started = await startStream({ nodes, ...options });
		running = started;
		return started;
	}

	return {
		begin,

		start: async (options?: StreamOptions): Promise<TestStream> => {
			const stream = await begin(options);
			await eventually(() => stream.stream.check().then(() => true));
			return stream;
		},

		open: async (stream: TestStream, options?: SseOptions): Promise<SseClient> => {
			const client = await stream.open(options);
			clients.push(client);
			return client;
		},
	};
}
