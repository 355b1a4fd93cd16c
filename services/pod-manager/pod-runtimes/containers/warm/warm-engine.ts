/** The warm containers of one installation at its engine. One has a name of its own until it gets that of a session's launch. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { label } from "../container-request.ts";
import type { EngineClient } from "../engine-client.ts";

const notFound = 404;
const unchanged = 304;
/** The longest time of each of the two calls that remove a container, in milliseconds: an orderly stop waits for them. */
const removalMs = 3_000;

/** Returns the name of a container that waits. */
export function warmContainerName(name: string): string {
	return `atelier-warm-${name}`;
}

/** A container that was started ahead of a session. */
interface ListedWarm {
	/** The value of its label. */
	readonly name: string;
	/** Whether it has no session. */
	readonly waits: boolean;
}

export class WarmEngine {
	readonly #engine: EngineClient;
	readonly #installation: string;

	constructor(engine: EngineClient, installation: string) {
		this.#engine = engine;
		this.#installation = installation;
	}

	/** Creates a container. What exists of it when this throws, the caller removes. @throws {EngineRefusal} {EngineAway} */
	async create(name: string, request: object, signal: AbortSignal): Promise<void> {
		const query = { name: warmContainerName(name) };
		await this.#engine.call({ method: "POST", path: "/containers/create", query, body: request, signal });
	}

	/** @throws {EngineRefusal} {EngineAway} */
	async start(name: string, signal: AbortSignal): Promise<void> {
		await this.#engine.call({ method: "POST", path: `/containers/${warmContainerName(name)}/start`, signal });
	}

	/** Returns all of them, in every state, with those that have a session. */
	async list(signal: AbortSignal): Promise<ListedWarm[]> {
		const filters = JSON.stringify({ label: [`${label.installation}=${this.#installation}`, label.warm] });
		const { body } = await this.#engine.call({
			method: "GET",
			path: "/containers/json",
			query: { all: "1", filters },
			signal,
		});
		return listedIn(body);
	}

	/** Ends and removes a container that has no session. Whether there was one: it may have got a session meanwhile. */
	async remove(name: string): Promise<boolean> {
		const path = `/containers/${warmContainerName(name)}`;
		const common = { path, withinMs: removalMs } as const;
		const accepts = [notFound, unchanged];
		await this.#engine.call({ ...common, method: "POST", path: `${path}/stop`, query: { t: "0" }, accepts });
		const { status } = await this.#engine.call({ ...common, method: "DELETE", query: { v: "1" }, accepts: [notFound] });
		return status !== notFound;
	}
}

const list = compileSchema({
	entries: {
		type: "array",
		items: {
			type: "object",
			props: {
				Names: { type: "array", items: { type: "string" } },
				Labels: { type: "record", key: { type: "string" }, value: { type: "string" } },
			},
		},
	},
});

function listedIn(body: unknown): ListedWarm[] {
	const answer = { entries: body };
	if (!isList(answer)) throw new Error("The container engine lists containers in a form that is not known");
	return answer.entries.flatMap(({ Names, Labels }) => {
		const name = Labels[label.warm];
		return name === undefined ? [] : [{ name, waits: Names.includes(`/${warmContainerName(name)}`) }];
	});
}

function isList(answer: object): answer is { entries: { Names: string[]; Labels: Record<string, string> }[] } {
	return list(answer).length === 0;
}
