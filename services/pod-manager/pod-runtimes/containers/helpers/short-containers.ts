/**
 * Runs containers that do one thing and end: the probe of an engine, and the helpers for folders of sessions. Each has a name of
 * its own, and nothing of it stays; what a process that died has left is removed by the next one.
 */
import { randomBytes } from "node:crypto";
import { machineTime, sleep } from "#shared/base/clock.ts";
import { label } from "../container-request.ts";
import { EngineAway, type EngineClient } from "../engine-client.ts";
import { inspectedContainer } from "../inspected-container.ts";
import { lastLines, logText, outputStream } from "./engine-log.ts";

const notFound = 404;
const conflict = 409;
const maxLines = "200";
const maxCharacters = 400;

/** A container that was created so long ago and not started will not be, in milliseconds; the calls between have at most 16 s. */
const unstartedMs = 60_000;

/** The names of short containers; an engine's filter knows them (cli/engine-filter). */
export type ShortKind = "helper" | "probe";
const names = /^\/atelier-(helper|probe)-[0-9a-f]{16}$/;

/** A container that has ended. */
export interface EndedContainer {
	readonly exitCode: number;
	/** Its output, of which the engine is asked for at most 200 lines. */
	readonly output: string;
	/** The part of the output that is no complaint. */
	readonly standardOutput: string;
	/** The engine's description of it, which nobody has read yet. */
	readonly inspected: unknown;
}

/** A container that runs until its owner disposes of it, or it ends. */
export interface HeldContainer extends AsyncDisposable {
	/** Resolves when it has ended. @throws {EngineAway} when it has not after this time, or the signal aborts. */
	ended(withinMs: number, signal: AbortSignal): Promise<void>;
	/** Returns the end of its output, for people. */
	lastWords(): Promise<string>;
}

/** One container. */
export interface ShortContainer {
	readonly kind: ShortKind;
	/** Its work, in one word. */
	readonly task: string;
	/** The body of its creation without labels. */
	readonly request: object;
	readonly signal?: AbortSignal | undefined;
}

/** One container that ends by itself. */
export interface ShortRun extends ShortContainer {
	/** The time that it may run, in milliseconds. */
	readonly withinMs: number;
}

/** A container had not ended in its time, and was stopped. */
export class StillRunning extends Error {
	override readonly name = "StillRunning";
}

/** The short containers of one installation. */
export class ShortContainers {
	readonly #engine: EngineClient;
	readonly #installation: string;

	constructor(engine: EngineClient, installation: string) {
		this.#engine = engine;
		this.#installation = installation;
	}

	/** Runs the container to its end and removes it. @throws {StillRunning} {EngineRefusal} {EngineAway} */
	async run({ withinMs, ...container }: ShortRun): Promise<EndedContainer> {
		const { signal } = container;
		await using closing = new AsyncDisposableStack();
		const path = await this.#start(container, closing);
		const exitCode = await this.#wait(path, { withinMs, signal });
		const [frames, { body: inspected }] = await Promise.all([
			this.#logs(path, signal),
			this.#engine.call({ method: "GET", path: `${path}/json`, signal }),
		]);
		return {
			exitCode,
			output: logText(frames),
			standardOutput: logText(frames, outputStream),
			inspected,
		};
	}

	/** Resolves to the exit code. A wait that was too long is told from an engine that does not answer. */
	async #wait(path: string, { withinMs, signal }: Pick<ShortRun, "withinMs" | "signal">): Promise<number> {
		try {
			const call = { method: "POST", path: `${path}/wait`, signal, withinMs, isLasting: true } as const;
			return exitCodeIn((await this.#engine.call(call)).body);
		} catch (cause) {
			if (signal?.aborted || !(cause instanceof EngineAway)) throw cause;
			const { body } = await this.#engine.call({ method: "GET", path: `${path}/json` });
			const { Status, ExitCode } = inspectedContainer(body).State;
			// It may have ended since.
			if (Status !== "running") return ExitCode;
			throw new StillRunning(`A short container has not ended within ${withinMs / 1_000} s`, { cause });
		}
	}

	/** Starts the container; the caller disposes of it. @throws {EngineRefusal} {EngineAway} */
	async hold(container: ShortContainer): Promise<HeldContainer> {
		await using closing = new AsyncDisposableStack();
		const path = await this.#start(container, closing);
		const kept = closing.move();
		return {
			ended: async (withinMs, signal) =>
				void (await this.#engine.call({ method: "POST", path: `${path}/wait`, signal, withinMs, isLasting: true })),
			lastWords: async () => lastLines(logText(await this.#logs(path)), maxCharacters),
			[Symbol.asyncDispose]: () => kept.disposeAsync(),
		};
	}

	/** Starts the container, and returns its path at the engine. @param closing Gets its removal. */
	async #start({ kind, task, request, signal }: ShortContainer, closing: AsyncDisposableStack): Promise<string> {
		const name = `atelier-${kind}-${randomBytes(8).toString("hex")}`;
		const Labels = { [label.installation]: this.#installation, [label[kind]]: task };
		const body = { ...request, Labels };
		// An engine may create a container and not answer. The next start removes one that cannot be removed now.
		closing.defer(() => this.#remove(name).catch(() => {}));
		await this.#engine.call({ method: "POST", path: "/containers/create", query: { name }, body, signal });
		await this.#engine.call({ method: "POST", path: `/containers/${name}/start`, signal });
		return `/containers/${name}`;
	}

	#logs(path: string, signal?: AbortSignal): Promise<Buffer> {
		return this.#engine.read(`${path}/logs`, { stdout: "1", stderr: "1", tail: maxLines }, signal);
	}

	/**
	 * Removes the short containers that an earlier process has left, and looks again when those that were created just now are old.
	 * @param againMs The time until then, in milliseconds; default: a minute.
	 */
	async removeAllLeft(signal: AbortSignal, againMs = unstartedMs): Promise<void> {
		await this.removeLeft().catch(() => {});
		await sleep(againMs, signal);
		if (!signal.aborted) await this.removeLeft();
	}

	/**
	 * Removes the short containers that an earlier process has left. Those that run are in use by another one, and those that were
	 * created within the last minute may be.
	 */
	async removeLeft(): Promise<void> {
		for (const kind of ["helper", "probe"] as const) {
			const filters = {
				label: [`${label.installation}=${this.#installation}`, label[kind]],
				status: ["created", "exited", "dead"],
			};
			const query = { all: "1", filters: JSON.stringify(filters) };
			const { body } = await this.#engine.call({ method: "GET", path: "/containers/json", query });
			for (const name of leftIn(body, machineTime())) await this.#remove(name);
		}
	}

	/** A container that still runs, because the caller gave up, is stopped first. */
	async #remove(name: string): Promise<void> {
		const path = `/containers/${name}`;
		const query = { v: "1" };
		const { status } = await this.#engine.call({ method: "DELETE", path, query, accepts: [notFound, conflict] });
		if (status !== conflict) return;
		await this.#engine.call({ method: "POST", path: `${path}/stop`, query: { t: "0" }, accepts: [notFound, 304] });
		await this.#engine.call({ method: "DELETE", path, query, accepts: [notFound] });
	}
}

function exitCodeIn(answer: unknown): number {
	const code = answer instanceof Object && "StatusCode" in answer ? answer.StatusCode : undefined;
	if (typeof code === "number") return code;
	throw new Error("The container engine does not say how a container has ended");
}

/** Returns the names of the containers of a list that nobody uses. @param at The time in milliseconds since 1970. */
function leftIn(body: unknown, at: number): string[] {
	const listed: readonly unknown[] = Array.isArray(body) ? body : [];
	return listed
		.filter((one) => one instanceof Object)
		.filter((one) => !isYoung(one, at))
		.flatMap((one) => ("Names" in one && Array.isArray(one.Names) ? one.Names : []))
		.filter((name): name is string => typeof name === "string" && names.test(name))
		.map((name) => name.slice(1));
}

/** Whether a container was created a moment ago, and may be started by another process. Its time is in seconds since 1970. */
function isYoung(container: object, at: number): boolean {
	if (!("State" in container) || container.State !== "created") return false;
	const created = "Created" in container && typeof container.Created === "number" ? container.Created : Number.NaN;
	// One from the future was created before the clock was set back.
	return Math.abs(at - created * 1_000) <= unstartedMs;
}
