/**
 * A client with one session: it sends random commands, one after the other, and remembers what was acknowledged. A
 * command without an answer is repeated with its Idempotency-Key until it has one, so the expected state is always
 * known.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, ApiClient } from "../support/clients/api-client.ts";
import type { SessionView } from "../support/platform/session-steps.ts";
import { answered } from "./answered.ts";
import type { Random } from "./random.ts";

/** The state that the last acknowledged command asks for. */
export type Wanted = "running" | "stopped" | "archived" | "deleted";

/** The messages for a session's agent; readers of the conversation can see the environment of the agent. */
const commands = ["$ echo", "$ echo", "$ env && echo"];

const wantedBy = { start: "running", stop: "stopped", archive: "archived", restore: "stopped" } as const;
type Command = keyof typeof wantedBy;

/** The commands that are tried. Commands that are not allowed are refused, which is a part of the load. */
const likely: Record<Wanted, readonly (Command | "message" | "delete" | "create")[]> = {
	running: ["message", "message", "stop", "stop", "archive", "delete", "start"],
	stopped: ["start", "start", "start", "archive", "delete", "restore"],
	archived: ["restore", "restore", "delete", "stop"],
	deleted: ["create"],
};

/** The failures of what the platform depends on; any other 5xx is a fault of its own. */
const honest = [502, 503, 504, 507];
/** Absolute paths must not be in an answer; the paths of the API are in no sentence. */
const ownPath = /(^|[\s"'(])\/(tmp|home|root|var|work|proc)\//;

export class SessionDriver {
	readonly #api: ApiClient;
	readonly #random: Random;
	readonly repo: string;
	readonly name: string;
	id = "";
	wanted: Wanted = "deleted";
	/** The stopped sessions that another client may have archived at the time of a command of this client. */
	mayBeArchived = false;
	/** The end of the newest command, on the clock of `performance`; Infinity while it is under way. */
	#quietSince = 0;
	/**
	 * The restores that succeeded although another one did at the same time: the session must have been archived in
	 * between.
	 */
	#surplusRestores = 0;
	/**
	 * Another client archived the session while the answer to a stop or a restore was awaited. The answer to a stop comes
	 * when the pod has ended, and that of either may come after a power cut.
	 */
	#archivedBeforeAnswer = false;
	/**
	 * The number of times that another client archived it at the time of a restore; that may be known before the
	 * restore is answered.
	 */
	#archivedMeanwhile = 0;
	#newest: (typeof likely)[Wanted][number] = "create";
	/** The contents of acknowledged messages of the present session. */
	messages: string[] = [];
	acknowledged = 0;
	/** The number of clients that send a command at once, in half of the cases. */
	crowd = 3;
	/** The number of commands that several clients sent at once. */
	crowds = 0;
	/** The time of the slowest answer, in milliseconds. */
	slowestMs = 0;
	readonly #wrong: string[] = [];

	constructor(api: ApiClient, random: Random, name: string, repo: string) {
		this.#api = api;
		this.#random = random;
		this.name = name;
		this.repo = repo;
	}

	/** Runs until the signal aborts; commands that are under way get their answers. */
	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			await this.#step();
			await sleep(this.#random.between(20, 400), undefined, { signal }).catch(() => {});
		}
	}

	/** Another client's command that was begun then has archived the session. */
	archivedByOther(since: number): void {
		if (this.#quietSince > since) {
			this.mayBeArchived = this.wanted === "stopped";
			if (this.#newest === "restore") this.#archivedMeanwhile++;
			if (this.#newest === "stop" || this.#newest === "restore") this.#archivedBeforeAnswer = true;
		} else if (this.wanted === "stopped") this.wanted = "archived";
		else if (this.wanted !== "archived") this.#wrong.push(`archived by others although it should be ${this.wanted}`);
	}

	/** Observations that no client may ever make, when all commands are answered. */
	get wrong(): readonly string[] {
		const surplus = this.#surplusRestores - this.#archivedMeanwhile;
		return [...this.#wrong, ...(surplus > 0 ? [`${surplus} restores too many were taken`] : [])];
	}

	/** Sends one random command and waits for its answer. */
	async #step(): Promise<void> {
		const what = this.#random.pick(likely[this.wanted]);
		this.#quietSince = Number.POSITIVE_INFINITY;
		this.#newest = what;
		this.#archivedBeforeAnswer = false;
		await this.#take(what);
		this.#quietSince = performance.now();
	}

	async #take(what: (typeof likely)[Wanted][number]): Promise<void> {
		if (what === "create") return this.create();
		if (what === "message") return this.#message();
		if (what === "delete") return this.#delete();
		return this.command(what, this.#random.next() < 0.5 ? this.crowd : 1);
	}

	async create(): Promise<void> {
		const body = { name: this.name, source: { type: "git", repo: this.repo } };
		const answer = await this.#answered<SessionView>("POST", "/sessions", body);
		if (answer.status !== 201) return void this.#wrong.push(`create: ${answer.status} ${answer.text}`);
		this.id = answer.body.id;
		this.messages = [];
		this.#acknowledge("running");
	}

	/** Several clients send the same command at once: at most one of them succeeds. */
	async command(command: Command, clients = 1): Promise<void> {
		const path = `/sessions/${this.id}/${command}`;
		if (clients > 1) this.crowds++;
		const answers = await Promise.all(Array.from({ length: clients }, () => this.#answered("POST", path)));
		const taken = answers.filter(({ status }) => status === 200).length;
		const odd = answers.find(({ status }) => status !== 200 && status !== 409);
		if (odd) this.#wrong.push(`${command}: ${odd.status} ${odd.text}`);
		if (command === "restore") this.#surplusRestores += Math.max(0, taken - 1);
		else if (taken > 1 && command !== "start") this.#wrong.push(`${command} was taken ${taken} times`);
		if (taken > 0) this.#acknowledge(wantedBy[command]);
	}

	async #delete(): Promise<void> {
		const body = { cleanup: ["workspace_storage"] };
		const { status, text } = await this.#answered("DELETE", `/sessions/${this.id}`, body);
		// A repetition whose first answer was lost is answered 404.
		if (status !== 204 && status !== 404) return void this.#wrong.push(`delete: ${status} ${text}`);
		this.#acknowledge("deleted");
	}

	/** Gives the session a unique name. */
	async rename(name: string): Promise<void> {
		const { status, text } = await this.#answered("PUT", `/sessions/${this.id}`, { name });
		if (status !== 200) return void this.#wrong.push(`rename: ${status} ${text}`);
		this.acknowledged++;
	}

	/** The command has no key, so without an answer it may or may not have arrived. */
	async #message(): Promise<void> {
		const content = `${this.#random.pick(commands)} ${randomUUID()}`;
		const answer = await this.#tried("POST", `/sessions/${this.id}/messages`, { content }, {});
		if (answer?.status === 200) this.messages.push(content);
	}

	#acknowledge(wanted: Wanted): void {
		this.wanted = wanted;
		this.mayBeArchived = wanted === "stopped" && this.#archivedBeforeAnswer;
		this.acknowledged++;
	}

	#answered<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
		const headers = { "idempotency-key": randomUUID() };
		return answered(() => this.#tried<T>(method, path, body, headers));
	}

	/** Resolves with undefined when the connection is lost. */
	async #tried<T>(
		method: string,
		path: string,
		body: unknown,
		headers: Record<string, string>,
	): Promise<Answer<T> | undefined> {
		const since = performance.now();
		const answer = await this.#api.request<T>(method, path, { body, headers }).catch(() => undefined);
		this.slowestMs = Math.max(this.slowestMs, performance.now() - since);
		if (answer && !isHonest(answer)) this.#wrong.push(`${method} ${path}: ${answer.status} ${answer.text}`);
		return answer;
	}
}

/** Whether a failure has a type and reveals nothing of the machine. */
function isHonest({ status, text }: Answer): boolean {
	return status < 500 || (honest.includes(status) && !ownPath.test(text));
}
