/**
 * The permissions that the coding agent asks for. A request is open until the policy, a person or the end of the turn
 * answers it; the agent waits as long.
 */
import { randomUUID } from "node:crypto";
import { isoTime } from "#shared/clock.ts";
import type { PermissionAnswered, PermissionBehavior, PermissionRequest } from "#shared/contracts/session-control.ts";
import type { PermissionMode } from "#shared/contracts/session-resource.ts";
import { PermissionAnswerError, PermissionClosedError, UnknownPermissionError } from "./permission-errors.ts";

/** A request of the agent before it has an id. */
export type WantedPermission = Omit<PermissionRequest, "request_id" | "created_at">;

/** The answer of a person. It has one of the two members; the option has precedence. */
export interface PermissionAnswer {
	behavior?: PermissionBehavior | undefined;
	option_id?: string | undefined;
}

/** Receives every request that waits for a person, and its answer. The methods must neither throw nor wait. */
export interface PermissionWatcher {
	asked(request: PermissionRequest): void;
	answered(answer: PermissionAnswered): void;
}

interface Open {
	readonly request: PermissionRequest;
	/** Answers the agent; undefined means that no option was chosen. */
	readonly resolve: (optionId: string | undefined) => void;
}

interface Answered {
	readonly options: PermissionRequest["options"];
	readonly optionId: string | null;
}

/** A request beyond this number of open ones is refused at once. */
const maxOpen = 32;
/** The number of remembered answers, by which a repeated answer is recognised. */
const maxAnswered = 200;

/**
 * The kinds of options for each answer, the best first. An option for ever is never chosen for a permission that was
 * given once.
 */
const kindsOf: Record<PermissionBehavior, readonly string[]> = {
	allow: ["allow_once"],
	allowForever: ["allow_always", "allow_once"],
	deny: ["reject_once", "reject_always"],
};

/** Answers the requests of one agent, by policy or by asking a person. */
export class Permissions {
	#mode: PermissionMode;
	readonly #say: (sentence: string) => void;
	readonly #open = new Map<string, Open>();
	/** The answers by the id of their request. */
	readonly #answered = new Map<string, Answered>();
	readonly #watchers: PermissionWatcher[] = [];
	#isClosed = false;

	/** @param say Receives a sentence about every answer. */
	constructor(mode: PermissionMode, say: (sentence: string) => void) {
		this.#mode = mode;
		this.#say = say;
	}

	get mode(): PermissionMode {
		return this.#mode;
	}

	/** The open requests, oldest first. */
	get open(): PermissionRequest[] {
		return [...this.#open.values()].map(({ request }) => request);
	}

	watch(watcher: PermissionWatcher): void {
		this.#watchers.push(watcher);
	}

	/** Resolves with the id of the chosen option, or with undefined when none was chosen; it never rejects. */
	ask(wanted: WantedPermission): Promise<string | undefined> {
		if (this.#isClosed) return Promise.resolve(chosen(wanted, { behavior: "deny" }));
		if (this.#mode === "auto") return Promise.resolve(this.#permit(wanted));
		if (this.#open.size >= maxOpen) {
			this.#say(`Not permitted, because ${maxOpen} others wait: ${wanted.title}`);
			return Promise.resolve(undefined);
		}
		const request: PermissionRequest = { ...wanted, request_id: randomUUID(), created_at: isoTime() };
		return new Promise((resolve) => {
			this.#open.set(request.request_id, { request, resolve });
			this.#say(`Waits to be permitted: ${request.title}`);
			for (const watcher of this.#watchers) watcher.asked(request);
		});
	}

	/**
	 * Answers a request for a person. The same answer may be given again.
	 * @throws {UnknownPermissionError}; {PermissionClosedError} when the request had a different answer;
	 * {PermissionAnswerError} for an answer that the request does not offer.
	 */
	answer(id: string, answer: PermissionAnswer): PermissionAnswered {
		const open = this.#open.get(id);
		if (!open) return this.#repeated(id, answer);
		const optionId = chosen(open.request, answer);
		return this.#closeRequest(open, optionId ?? null, optionId === undefined ? "Denied" : `Answered "${optionId}"`);
	}

	/** Sets the mode at once. With `auto` the open requests are permitted once. */
	setMode(mode: PermissionMode): void {
		this.#mode = mode;
		this.#say(`Permissions are given by policy "${mode}" from now on`);
		if (mode === "ask") return;
		for (const open of this.#open.values()) this.#closeRequest(open, this.#permit(open.request) ?? null);
	}

	/** Withdraws all open requests, because the turn or the agent ends. */
	cancel(): void {
		for (const open of this.#open.values()) this.#closeRequest(open, null, "Withdrawn");
	}

	/** Ends the permissions: nothing is permitted afterwards, and nobody is asked. */
	close(): void {
		this.#isClosed = true;
		this.cancel();
	}

	/** The policy `auto` permits a request once and never for ever, because the agent would remember that. */
	#permit({ title, options }: WantedPermission): string | undefined {
		const once = options.find(({ kind }) => kind === "allow_once");
		this.#say(once ? `Permitted once: ${title}` : `Not permitted: ${title}`);
		return once?.option_id;
	}

	/** @throws the errors of {@link answer}. */
	#repeated(id: string, answer: PermissionAnswer): PermissionAnswered {
		const answered = this.#answered.get(id);
		if (!answered) throw new UnknownPermissionError(`There is no request "${id}" for a permission`);
		if ((chosen(answered, answer) ?? null) === answered.optionId)
			return { request_id: id, option_id: answered.optionId };
		const how = answered.optionId === null ? "no option was chosen" : `"${answered.optionId}" was chosen`;
		throw new PermissionClosedError(`The request is closed already: ${how}`);
	}

	#closeRequest({ request, resolve }: Open, optionId: string | null, said?: string): PermissionAnswered {
		const { request_id, title, options } = request;
		this.#open.delete(request_id);
		this.#remember(request_id, { options, optionId });
		if (said !== undefined) this.#say(`${said}: ${title}`);
		resolve(optionId ?? undefined);
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

/**
 * Returns the id of the option that an answer stands for; undefined when there is no option for a refusal.
 * @throws {PermissionAnswerError}
 */
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
