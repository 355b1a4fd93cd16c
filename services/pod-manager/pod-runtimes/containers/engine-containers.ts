/** The containers of one installation at an engine. Every step may be repeated, also after an answer that was lost. */
import { monotonic, sleep } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import type { Launch } from "../launches/launch.ts";
import { logText } from "./helpers/engine-log.ts";
import { label, launchOf, namePrefix as prefix } from "./container-request.ts";
import { type EngineClient, EngineRefusal } from "./engine-client.ts";
import { type InspectedContainer, inspectedContainer } from "./inspected-container.ts";
import { refusalFor } from "./reasons/engine-refusals.ts";

const notFound = 404;
const conflict = 409;
const unchanged = 304;
/** The longest time from the reservation of a name to the container, and the pause between two looks, in milliseconds. */
const reservedMs = 3_000;
const pauseMs = 50;

/** A container with the launch that its name says. */
export interface LaunchedContainer {
	readonly launch: Launch;
	readonly container: InspectedContainer;
}

/** A container with its state in one word. */
export interface ContainerState {
	readonly name: string;
	readonly launch: Launch;
	readonly state: string;
}

export class EngineContainers {
	readonly #engine: EngineClient;
	readonly #installation: string;
	/** The monotonic times at which containers that were asked to end are killed, by their names. */
	readonly #killedAt = new Map<string, number>();

	constructor(engine: EngineClient, installation: string) {
		this.#engine = engine;
		this.#installation = installation;
	}

	/** Returns the containers of a session, or all of them, in every state. */
	async list(sessionId?: string, signal?: AbortSignal): Promise<LaunchedContainer[]> {
		const states = await this.states(sessionId, signal);
		const found = states.map(async ({ name, launch }) => {
			const container = await this.inspect(name, signal);
			return container && { launch, container };
		});
		return (await Promise.all(found)).filter((one) => one !== undefined);
	}

	/** Returns the states of the same containers, which one call tells. */
	async states(sessionId?: string, signal?: AbortSignal): Promise<ContainerState[]> {
		const filters = {
			label: [`${label.installation}=${this.#installation}`],
			// The labels of a container that was started ahead do not name its session.
			...(sessionId !== undefined && { name: [`${prefix}${sessionId}-g`] }),
		};
		const query = { all: "1", filters: JSON.stringify(filters) };
		const { body } = await this.#engine.call({ method: "GET", path: "/containers/json", query, signal });
		return listedStates(body);
	}

	/** Returns the container of this installation with the name; undefined when there is none. */
	async inspect(name: string, signal?: AbortSignal): Promise<InspectedContainer | undefined> {
		const { status, body } = await this.#engine.call({
			method: "GET",
			path: `/containers/${name}/json`,
			accepts: [notFound],
			signal,
		});
		if (status === notFound) return undefined;
		const container = inspectedContainer(body);
		return container.Config.Labels?.[label.installation] === this.#installation ? container : undefined;
	}

	/**
	 * Creates the container unless there is one, and starts it unless it runs or has run. No signal comes between the two, because a
	 * container that is only created would wait for a later pass. @throws {EngineRefusal}
	 */
	async run(name: string, request: object): Promise<void> {
		try {
			await this.#engine.call({ method: "POST", path: "/containers/create", query: { name }, body: request });
		} catch (error) {
			// Podman answers 500 when the name is taken, and an engine that dies after the creation does not answer.
			if (!(await this.#isThere(name, isTaken(error)))) throw error;
		}
		failpoint("containers.before-start");
		await this.#engine
			.call({ method: "POST", path: `/containers/${name}/start`, accepts: [unchanged] })
			.catch(async (error: unknown) => {
				// A container that has not run counts as the end of its launch, and a later pass may be able to start it.
				if (error instanceof EngineRefusal && refusalFor(error)?.final === false) await this.remove(name);
				throw error;
			});
	}

	/** Gives a container another name. @throws {EngineRefusal} also when another one has that name. */
	async rename(name: string, other: string): Promise<void> {
		const path = `/containers/${name}/rename`;
		await this.#engine.call({ method: "POST", path, query: { name: other } });
	}

	/** @param isExpected Whether the name is taken: an engine reserves it some time before it knows the container. */
	async #isThere(name: string, isExpected: boolean): Promise<boolean> {
		for (const until = monotonic() + (isExpected ? reservedMs : 0); ; await sleep(pauseMs)) {
			if ((await this.inspect(name)) !== undefined) return true;
			if (monotonic() >= until) return false;
		}
	}

	/**
	 * Asks the container to end, and kills it after the grace; resolves when it has ended or is not there. Does nothing while an
	 * earlier request of this process kills it as soon: passes repeat it several times a second.
	 */
	async stop(name: string, graceMs: number): Promise<void> {
		const killedAt = monotonic() + graceMs;
		if (killedAt >= (this.#killedAt.get(name) ?? Infinity)) return;
		this.#killedAt.set(name, killedAt);
		try {
			await this.#stop(name, graceMs);
		} finally {
			if (this.#killedAt.get(name) === killedAt) this.#killedAt.delete(name);
		}
	}

	async #stop(name: string, graceMs: number): Promise<void> {
		const seconds = Math.ceil(graceMs / 1_000);
		await this.#engine.call({
			method: "POST",
			path: `/containers/${name}/stop`,
			query: { t: String(seconds) },
			accepts: [unchanged, notFound],
			withinMs: graceMs + 10_000,
			isLasting: true,
		});
	}

	/** Returns the last ten lines of its log. */
	async log(name: string): Promise<string> {
		const query = { stdout: "1", stderr: "1", tail: "10" };
		return logText(await this.#engine.read(`/containers/${name}/logs`, query));
	}

	/** Removes a container that has ended. @throws {EngineRefusal} with 409 while it runs. */
	async remove(name: string, signal?: AbortSignal): Promise<void> {
		const path = `/containers/${name}`;
		await this.#engine.call({ method: "DELETE", path, query: { v: "1" }, accepts: [notFound], signal });
	}
}

function isTaken(error: unknown): boolean {
	return error instanceof EngineRefusal && error.status === conflict;
}

const list = compileSchema({
	entries: {
		type: "array",
		items: {
			type: "object",
			props: { Names: { type: "array", items: { type: "string" } }, State: { type: "string" } },
		},
	},
});

/** Returns the sessions' containers of a list; each name has a leading slash. */
function listedStates(body: unknown): ContainerState[] {
	const answer = { entries: body };
	if (!isList(answer)) throw new Error("The container engine lists containers in a form that is not known");
	return answer.entries.flatMap(({ Names, State: state }) => {
		const name = Names.find((one) => one.startsWith(`/${prefix}`))?.slice(1);
		const launch = name === undefined ? undefined : launchOf(name);
		return name !== undefined && launch ? [{ name, launch, state }] : [];
	});
}

function isList(answer: object): answer is { entries: { Names: string[]; State: string }[] } {
	return list(answer).length === 0;
}
