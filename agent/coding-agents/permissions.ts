/**
 * The permissions that the coding agent asks for. A request is open until the policy, a person or the end of the turn
 * answers it; the agent waits as long.
 */
import { bound } from "#shared/base/bounds.ts";
import { randomUUID } from "node:crypto";
import { after, isoTime, type Timer } from "#shared/base/clock.ts";
import type {
	PermissionAnswered,
	PermissionBehavior,
	PermissionRequest,
} from "#shared/contracts/sessions/session-control.ts";
import type { PermissionMode } from "#shared/contracts/sessions/session-resource.ts";
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
	asked?(request: PermissionRequest): void;
	answered?(answer: PermissionAnswered): void;
	/** Nobody has answered a choice in time. The sentence says so; {@link answered} is called too. */
	unanswered?(sentence: string): void;
}

interface Open {
	readonly request: PermissionRequest;
	/** Answers the agent; undefined means that no option was chosen. */
	readonly resolve: (optionId: string | undefined) => void;
	/** Ends the wait for a person in the mode `auto`. */
	timer?: Timer | undefined;
}

interface Answered extends Pick<PermissionRequest, "options" | "choice"> {
	readonly optionId: string | null;
}

/** How long a choice waits for a person in the mode `auto`, unless the launch says otherwise. */
const defaultChoiceMs = 900_000;
/** The number of remembered answers, by which a repeated answer is recognised. */
const maxAnswered = 200;

/** The kinds of options for each answer, the best first. A permission that is given once never lasts for ever. */
const kindsOf: Record<PermissionBehavior, readonly string[]> = {
	allow: ["allow_once"],
	allowForever: ["allow_always", "allow_once"],
	deny: ["reject_once", "reject_always"],
};

/** Answers the requests of one agent, by policy or by asking a person. */
export class Permissions {
	#mode: PermissionMode;
	readonly #say: (sentence: string) => void;
	readonly #choiceMs: number;
	readonly #open = new Map<string, Open>();
	readonly #answered = new Map<string, Answered>();
	readonly #watchers: PermissionWatcher[] = [];
	#isClosed = false;

	/**
	 * @param say Receives a sentence about every answer. @param choiceMs How long a choice waits for a person in the mode
	 * `auto`. The default is 15 min.
	 */
	constructor(mode: PermissionMode, say: (sentence: string) => void, choiceMs = defaultChoiceMs) {
		this.#mode = mode;
		this.#say = say;
		this.#choiceMs = choiceMs;
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

	/**
	 * Resolves with the id of the chosen option, or with undefined when none was chosen; it never rejects. A choice is made
	 * by a person in every mode.
	 */
	ask(wanted: WantedPermission): Promise<string | undefined> {
		if (this.#isClosed) return Promise.resolve(chosen(wanted, { behavior: "deny" }));
		if (this.#mode === "auto" && !wanted.choice) return Promise.resolve(this.#permit(wanted));
		if (this.#open.size >= bound.openPermissions) {
			this.#say(`Not permitted, because ${bound.openPermissions} others wait: ${wanted.title}`);
			return Promise.resolve(undefined);
		}
		const request: PermissionRequest = { ...wanted, request_id: randomUUID(), created_at: isoTime() };
		return new Promise((resolve) => {
			const open: Open = { request, resolve };
			this.#open.set(request.request_id, open);
			if (this.#mode === "auto") this.#limit(open);
			this.#say(`Waits to be ${request.choice ? "answered" : "permitted"}: ${request.title}`);
			for (const watcher of this.#watchers) watcher.asked?.(request);
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

	/** Sets the mode at once. With `auto` the open requests are permitted once, with the exception of choices. */
	setMode(mode: PermissionMode): void {
		this.#mode = mode;
		this.#say(`Permissions are given by policy "${mode}" from now on`);
		for (const open of this.#open.values()) {
			if (mode === "ask") unlimited(open);
			else if (open.request.choice) this.#limit(open);
			else this.#closeRequest(open, this.#permit(open.request) ?? null);
		}
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

	/** Declines a choice that nobody makes in time. */
	#limit(open: Open): void {
		open.timer ??= after(this.#choiceMs, () => {
			const { request } = open;
			const optionId = chosen(request, { behavior: "deny" });
			const name = request.options.find(({ option_id }) => option_id === optionId)?.name;
			const outcome = name === undefined ? "it was withdrawn" : `"${name}" was answered`;
			const sentence = `Nobody answered "${request.title}" within ${Math.ceil(this.#choiceMs / 1_000)} s: ${outcome}`;
			this.#say(sentence);
			for (const watcher of this.#watchers) watcher.unanswered?.(sentence);
			this.#closeRequest(open, optionId ?? null);
		});
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

	#closeRequest({ request, resolve, timer }: Open, optionId: string | null, said?: string): PermissionAnswered {
		const { request_id, title, options, choice } = request;
		timer?.cancel();
		this.#open.delete(request_id);
		this.#remember(request_id, { options, choice, optionId });
		if (said !== undefined) this.#say(`${said}: ${title}`);
		resolve(optionId ?? undefined);
		const answered = { request_id, option_id: optionId };
		for (const watcher of this.#watchers) watcher.answered?.(answered);
		return answered;
	}

	#remember(id: string, answered: Answered): void {
		this.#answered.set(id, answered);
		const [oldest] = this.#answered.keys();
		if (oldest !== undefined && this.#answered.size > maxAnswered) this.#answered.delete(oldest);
	}
}

/** Lets a request wait without a limit. */
function unlimited(open: Open): void {
	open.timer?.cancel();
	open.timer = undefined;
}

/**
 * Returns the id of the option that an answer stands for; undefined when there is no option for a refusal.
 * @throws {PermissionAnswerError}
 */
function chosen(
	{ options, choice }: Omit<Answered, "optionId">,
	{ behavior, option_id }: PermissionAnswer,
): string | undefined {
	if (option_id !== undefined) {
		if (options.some((option) => option.option_id === option_id)) return option_id;
		const offered = options.map((option) => option.option_id).join(", ");
		throw new PermissionAnswerError(`The request has no option "${option_id}"; it offers ${offered || "none"}`);
	}
	if (behavior === undefined) throw new PermissionAnswerError("An answer needs `behavior` or `option_id`");
	if (choice && behavior !== "deny") {
		const offered = options.map(({ option_id: id, name }) => `"${id}" (${name})`).join(", ");
		throw new PermissionAnswerError(
			`The agent asks for a choice: name one of its options as \`option_id\`: ${offered}`,
		);
	}
	const kind = kindsOf[behavior].find((wanted) => options.some((option) => option.kind === wanted));
	if (kind === undefined && behavior !== "deny") {
		throw new PermissionAnswerError("The agent offers no such permission; answer with one of the request's options");
	}
	return options.find((option) => option.kind === kind)?.option_id;
}
