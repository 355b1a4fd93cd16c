/**
 * The permissions the coding agent asks for. Each is open until the policy, a person, or the end of the turn answers
 * it; the agent's request waits as long.
 */
import { randomUUID } from "node:crypto";
import { isoTime } from "#shared/clock.ts";
import type { PermissionAnswered, PermissionBehavior, PermissionRequest } from "#shared/contracts/session-control.ts";
import type { PermissionMode } from "#shared/contracts/session-resource.ts";
import { PermissionAnswerError, PermissionClosedError, UnknownPermissionError } from "./permission-errors.ts";

/** What the agent asks, before it has an id. */
export type WantedPermission = Omit<PermissionRequest, "request_id" | "created_at">;

/** One of the two is given; the option wins. */
export interface PermissionAnswer {
	behavior?: PermissionBehavior | undefined;
	option_id?: string | undefined;
}

/** Told of every request that waits for a person, and of its answer. Must neither throw nor wait. */
export interface PermissionWatcher {
	asked(request: PermissionRequest): void;
	answered(answer: PermissionAnswered): void;
}

interface Open {
	readonly request: PermissionRequest;
	/** Undefined: no option was chosen. */
	readonly settle: (optionId: string | undefined) => void;
}

interface Answered {
	readonly options: PermissionRequest["options"];
	readonly optionId: string | null;
}

/** What is asked beyond that is refused at once. */
const maxOpen = 32;
/** Answers that are remembered, so that a repeat is known as one. */
const maxAnswered = 200;

/** Kinds of options by what a person said, the best first. What was allowed once is never allowed for ever. */
const kindsOf: Record<PermissionBehavior, readonly string[]> = {
	allow: ["allow_once"],
	allowForever: ["allow_always", "allow_once"],
	deny: ["reject_once", "reject_always"],
};

export class Permissions {
	#mode: PermissionMode;
	readonly #say: (sentence: string) => void;
	readonly #open = new Map<string, Open>();
	/** By request. */
	readonly #answered = new Map<string, Answered>();
	readonly #watchers: PermissionWatcher[] = [];
	#isClosed = false;

	/** @param say Takes a sentence about every answer. */
	constructor(mode: PermissionMode, say: (sentence: string) => void) {
		this.#mode = mode;
		this.#say = say;
	}

	get mode(): PermissionMode {
		return this.#mode;
	}

	/** Oldest first. */
	get open(): PermissionRequest[] {
		return [...this.#open.values()].map(({ request }) => request);
	}

	watch(watcher: PermissionWatcher): void {
		this.#watchers.push(watcher);
	}

	/** Resolves with the id of the option chosen, or undefined when none was; never rejects. */
	ask(wanted: WantedPermission): Promise<string | undefined> {
		if (this.#isClosed) return Promise.resolve(chosen(wanted, { behavior: "deny" }));
		if (this.#mode === "auto") return Promise.resolve(this.#permit(wanted));
		if (this.#open.size >= maxOpen) {
			this.#say(`Not permitted, because ${maxOpen} others wait: ${wanted.title}`);
			return Promise.resolve(undefined);
		}
		const request: PermissionRequest = { ...wanted, request_id: randomUUID(), created_at: isoTime() };
		return new Promise((settle) => {
			this.#open.set(request.request_id, { request, settle });
			this.#say(`Waits to be permitted: ${request.title}`);
			for (const watcher of this.#watchers) watcher.asked(request);
		});
	}

	/**
	 * What a person says to a request. The same answer may be given again.
	 * @throws {UnknownPermissionError}; {PermissionClosedError} when it was answered otherwise; {PermissionAnswerError} for an
	 * answer that it does not offer.
	 */
	answer(id: string, answer: PermissionAnswer): PermissionAnswered {
		const open = this.#open.get(id);
		if (!open) return this.#repeated(id, answer);
		const optionId = chosen(open.request, answer);
		return this.#settle(open, optionId ?? null, optionId === undefined ? "Denied" : `Answered "${optionId}"`);
	}

	/** From now on. What is open is permitted once when it is `auto` that is set. */
	setMode(mode: PermissionMode): void {
		this.#mode = mode;
		this.#say(`Permissions are given by policy "${mode}" from now on`);
		if (mode === "ask") return;
		for (const open of this.#open.values()) this.#settle(open, this.#permit(open.request) ?? null);
	}

	/** The turn ends, or its agent: nobody waits for an answer any more. */
	cancel(): void {
		for (const open of this.#open.values()) this.#settle(open, null, "Withdrawn");
	}

	/** From now on nothing is permitted, and nobody is asked. */
	close(): void {
		this.#isClosed = true;
		this.cancel();
	}

	/** Policy `auto`: once, never for ever, because the agent would remember that. */
	#permit({ title, options }: WantedPermission): string | undefined {
		const once = options.find(({ kind }) => kind === "allow_once");
		this.#say(once ? `Permitted once: ${title}` : `Not permitted: ${title}`);
		return once?.option_id;
	}

	/** @throws as `answer` does. */
	#repeated(id: string, answer: PermissionAnswer): PermissionAnswered {
		const answered = this.#answered.get(id);
		if (!answered) throw new UnknownPermissionError(`There is no request "${id}" for a permission`);
		if ((chosen(answered, answer) ?? null) === answered.optionId)
			return { request_id: id, option_id: answered.optionId };
		const how = answered.optionId === null ? "no option was chosen" : `"${answered.optionId}" was chosen`;
		throw new PermissionClosedError(`The request is closed already: ${how}`);
	}

	#settle({ request, settle }: Open, optionId: string | null, said?: string): PermissionAnswered {
		const { request_id, title, options } = request;
		this.#open.delete(request_id);
		this.#remember(request_id, { options, optionId });
		if (said !== undefined) this.#say(`${said}: ${title}`);
		settle(optionId ?? undefined);
		const answered = { request_id, option_id: optionId };
		for (const watcher of this.#watchers) watcher.answered(answered);
		return answered;
	}

	#remember(id: string, answered: Answered): void {
		this.#answered.set(id, answered);
		const [oldest] = this.#answered.keys();
		if (oldest !== undefined && this.#answered.size > maxAnswered) this.#answered.delete(oldest);
	}
}

/** Id of the option an answer stands for; undefined when a refusal has none. @throws {PermissionAnswerError} */
function chosen({ options }: Pick<Answered, "options">, { behavior, option_id }: PermissionAnswer): string | undefined {
	if (option_id !== undefined) {
		if (options.some((option) => option.option_id === option_id)) return option_id;
		const offered = options.map((option) => option.option_id).join(", ");
		throw new PermissionAnswerError(`The request has no option "${option_id}"; it offers ${offered || "none"}`);
	}
	if (behavior === undefined) throw new PermissionAnswerError("An answer needs `behavior` or `option_id`");
	const kind = kindsOf[behavior].find((wanted) => options.some((option) => option.kind === wanted));
	if (kind === undefined && behavior !== "deny") {
		throw new PermissionAnswerError("The agent offers no such permission; answer with one of the request's options");
	}
	return options.find((option) => option.kind === kind)?.option_id;
}
