/**
 * The repository of saved prompts. Every method takes the principal first: prompts of other tenants do not exist for the
 * principal.
 */
import { isAllowed } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import { fingerprintOf, refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Prompt, PromptCreate, PromptUpdate } from "#shared/contracts/blueprints/prompts.ts";
import { ForbiddenError, NotFoundError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import type { Row } from "#shared/store/collection.ts";
import { compareAndSet } from "#shared/store/compare-and-set.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { foldedText } from "./folded-text.ts";
import { promptCollection, type PromptColumns, type PromptDocument } from "./prompt-collection.ts";
import { projectRepo } from "./prompt-rules.ts";

const refusals = {
	change:
		"Only its creator may change a prompt, because others read it as the creator's; an administrator may delete it",
	delete: "Only its creator or an administrator may delete a prompt",
} as const;

/** The prompts of the installation. */
export class PromptRecords {
	readonly #store: DocumentStore;

	constructor(store: DocumentStore) {
		this.#store = store;
	}

	/**
	 * Stores a new prompt. A repeated request with the same key returns the prompt that the first one created.
	 * @throws {InvalidParametersError} for a wrong project_repo; {UnprocessableError} for a key that was used for another request.
	 */
	async create(principal: Principal, request: PromptCreate, key?: string): Promise<string> {
		const { tenant, id: owner } = principal;
		const time = now();
		const id = key === undefined ? timeBasedUuid(time) : nameBasedUuid("prompt", tenant, owner, key);
		const at = isoTime(time);
		const { name, content, scope, tags } = request;
		const project_repo = projectRepo(scope, request.project_repo ?? null);
		const prompt: Prompt = { id, name, content, scope, project_repo, tags, created_at: at, updated_at: at };
		const fingerprint = fingerprintOf(request);
		// One that is made again by the key of a deleted one has another revision, and so do lists have another tag.
		const columns = { ...columnsOf(prompt), tenant, owner, rev: time };
		const document = { id, ...columns, ...(key !== undefined && { fingerprint }) };
		if (!(await insertOnce(() => this.#store.insert(promptCollection, document)))) {
			const first = await this.#get(principal, id);
			refuseOtherRequest(first.fingerprint, fingerprint);
			return first.wire;
		}
		failpoint("prompts.written");
		return document.wire;
	}

	/**
	 * Changes a prompt and returns its text. Concurrent changes of different members all remain.
	 * @throws {NotFoundError}; {ForbiddenError} for a prompt of somebody else; {InvalidParametersError} for a project's prompt
	 * without a repository; {UnavailableError} when others change it too fast.
	 */
	async change(principal: Principal, id: string, update: PromptUpdate): Promise<string> {
		const changed = await compareAndSet({
			what: "The prompt",
			read: () => this.#getFor(principal, "change", id),
			decide: (document) => changedPrompt(promptOf(document), update),
			write: ({ rev = 0 }, prompt) => {
				const { wire, ...set } = columnsOf(prompt);
				const change = {
					wire,
					set: { ...set, rev: rev + 1 },
					...(set.repo === undefined && { unset: ["repo"] as const }),
				};
				return this.#store.update(promptCollection, id, { equals: { rev } }, change);
			},
		});
		failpoint("prompts.written");
		return changed?.written.wire ?? (await this.#getFor(principal, "change", id)).wire;
	}

	/** Deletes a prompt. @throws {NotFoundError}; {ForbiddenError} for a prompt of somebody else. */
	async delete(principal: Principal, id: string): Promise<void> {
		await this.#getFor(principal, "delete", id);
		const { tenant } = principal;
		if (!(await this.#store.remove(promptCollection, id, { equals: { tenant } }))) throw notFound(id);
		failpoint("prompts.written");
	}

	/** @throws {NotFoundError}; {ForbiddenError} */
	async #getFor(principal: Principal, action: "change" | "delete", id: string): Promise<PromptDocument> {
		const document = await this.#get(principal, id);
		if (isAllowed(principal, action, "prompt", document)) return document;
		throw new ForbiddenError(refusals[action], "PROMPT_OF_ANOTHER");
	}

	async #get(principal: Principal, id: string): Promise<PromptDocument> {
		const document = await this.#store.get(promptCollection, id);
		if (!document || !isAllowed(principal, "see", "prompt", document)) throw notFound(id);
		return document;
	}
}

/** Returns the prompt after a change; undefined when the change names no member. */
function changedPrompt(prompt: Prompt, update: PromptUpdate): Prompt | undefined {
	const given = Object.entries(update).filter(([, value]) => value !== null && value !== undefined);
	if (given.length === 0) return undefined;
	const changed: Prompt = { ...prompt, ...Object.fromEntries(given), updated_at: isoTime() };
	return { ...changed, project_repo: projectRepo(changed.scope, changed.project_repo) };
}

function promptOf({ wire }: PromptDocument): Prompt {
	return JSON.parse(wire);
}

/** Returns the columns that follow from the prompt itself. */
function columnsOf(prompt: Prompt): { wire: string } & Row<PromptColumns> {
	const { scope, updated_at, project_repo } = prompt;
	return {
		wire: JSON.stringify(prompt),
		scope,
		updated_at,
		name: foldedText(prompt.name),
		content: foldedText(prompt.content),
		...(project_repo !== null && { repo: repositoryKey(project_repo) }),
	};
}

function notFound(id: string): NotFoundError {
	return new NotFoundError(`Prompt "${id}" does not exist`, "PROMPT_NOT_FOUND");
}
