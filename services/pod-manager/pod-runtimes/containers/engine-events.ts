/** Follows the events of an engine's containers. An event only says that somebody should look; nothing depends on one. */
import { after, monotonic } from "#shared/base/clock.ts";
import { Backoff } from "#shared/base/concurrency/backoff.ts";
import type { EngineClient } from "./engine-client.ts";
import type { Launch } from "../launches/launch.ts";
import { label, launchOf } from "./container-request.ts";

/** Takes what the events tell. Nothing may throw. */
export interface EngineListener {
	/** The containers of a session may have changed. */
	onSession(sessionId: string): void;
	/** A process of the launch was ended, because the memory of its container was used up. */
	onOutOfMemory(launch: Launch): void;
	/** The engine asks the container of the launch to end, whoever wants that. */
	onStop(launch: Launch): void;
	/** The engine answers. */
	onConnected(): void;
	/** The engine has ended the connection, or cannot be reached. */
	onLost(): void;
}

/** A connection that is silent for longer may be dead, and is made again. */
const silenceMs = 60_000;
const maxLine = 65_536;
/** The number of SIGTERM, as events name signals. */
const sigterm = "15";

/** Tells the listener until the signal aborts. It never throws, and tells nothing of what happens while the engine is away. */
export async function followEngine(
	engine: EngineClient,
	installation: string,
	listener: EngineListener,
	signal: AbortSignal,
): Promise<void> {
	const filters = JSON.stringify({ type: ["container"], label: [`${label.installation}=${installation}`] });
	for (const backoff = new Backoff({ firstMs: 500, maxMs: 30_000 }); !signal.aborted; await backoff.wait(signal)) {
		try {
			for await (const line of lines(engine, filters, listener, signal)) {
				backoff.reset();
				const launch = launchIn(line);
				if (!launch) continue;
				if (launch.action === "oom") listener.onOutOfMemory(launch);
				if (launch.action === "kill" && launch.signal === sigterm) listener.onStop(launch);
				listener.onSession(launch.sessionId);
			}
		} catch {
			// The engine may be restarting.
		}
	}
}

async function* lines(
	engine: EngineClient,
	filters: string,
	listener: EngineListener,
	signal: AbortSignal,
): AsyncGenerator<string> {
	const silence = new AbortController();
	const ended = AbortSignal.any([signal, silence.signal]);
	const stream = await engine.stream("/events", { filters }, ended).catch((error: unknown) => {
		listener.onLost();
		throw error;
	});
	listener.onConnected();
	let heardAt = monotonic();
	const watch = (): void => {
		const left = heardAt + silenceMs - monotonic();
		if (left <= 0) silence.abort();
		else timer = after(left, watch);
	};
	let timer = after(silenceMs, watch);
	try {
		let rest = "";
		for await (const chunk of stream) {
			heardAt = monotonic();
			const parts = `${rest}${String(chunk)}`.split("\n");
			rest = parts.pop() ?? "";
			if (rest.length > maxLine) throw new Error("The engine sent an event that is too long");
			yield* parts;
		}
	} finally {
		timer.cancel();
		if (!ended.aborted) listener.onLost();
	}
}

/** Docker and Podman name the container and its labels among its attributes. */
function launchIn(line: string): (Launch & { action: unknown; signal: unknown }) | undefined {
	try {
		const { Action: action, Actor } = JSON.parse(line) as {
			Action?: unknown;
			Actor?: { Attributes?: Record<string, unknown> };
		};
		const { name, signal } = Actor?.Attributes ?? {};
		const launch = launchOf(String(name));
		return launch && { ...launch, action, signal };
	} catch {
		return undefined;
	}
}
