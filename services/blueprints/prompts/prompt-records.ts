/**
 * The repository of saved prompts. Every method takes the principal first: prompts of other tenants do not exist for the
 * principal. Everybody of a tenant reads all prompts of the tenant. Errors not named here are those of ResourceRecords.
 */
import { isAllowed } from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime } from "#shared/base/clock.ts";
import { givenMembers } from "#shared/base/given-members.ts";
import type { Prompt, PromptCreate, prompts, PromptScope, PromptUpdate } from "#shared/contracts/blueprints/prompts.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import type { ParamsOf } from "#shared/contracts/contract.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { Search } from "#shared/store/port/search.ts";
import { refuseCursor } from "#shared/store/pages/cursor.ts";
import type { PageRequest } from "#shared/store/pages/memory-page.ts";
import { mergedPage } from "#shared/store/pages/merged-page.ts";
import { readPage, type StoredPage } from "#shared/store/pages/stored-page.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { foldedText } from "./folded-text.ts";
import { promptCollection, type PromptDocument } from "./prompt-collection.ts";
import { projectRepo } from "./prompt-rules.ts";

/** The filter of a list. A repository leaves the global prompts and its own ones. */
type PromptQuery = ParamsOf<typeof prompts.actions.list> & PageRequest;

export class PromptRecords {
	readonly #store: Documents & Search;
	readonly #records: ResourcesIn<typeof promptCollection, Principal>;

	constructor(store: Documents & Search) {
		this.#store = store;
		this.#records = new ResourceRecords(store, {
			collection: promptCollection,
			noun: "Prompt",
			keyed: "prompt",
			isAllowed: (principal: Principal, action, prompt) => isAllowed(principal, action, "prompt", prompt),
			refusals: {
				change:
					"Only its creator may change a prompt, because others read it as the creator's; an administrator may delete it",
				delete: "Only its creator or an administrator may delete a prompt",
			},
			written: () => failpoint("prompts.written"),
		});
	}

	/** Stores a new prompt and returns its text. @throws {InvalidParametersError} for a wrong project_repo. */
	async create(principal: Principal, request: PromptCreate, key?: string): Promise<string> {
		const { name, content, scope, tags } = request;
		const created = await this.#records.create(principal, { request, key }, (id, time) => {
			const at = isoTime(time);
			const project_repo = projectRepo(scope, request.project_repo ?? null);
			return written({ id, name, content, scope, project_repo, tags, created_at: at, updated_at: at });
		});
		return created.document.wire;
	}

	/** Changes a prompt and returns its text. @throws {InvalidParametersError} for a project's prompt without a repository. */
	async change(principal: Principal, id: string, update: PromptUpdate): Promise<string> {
		const read = () => this.#records.get(principal, id, "change");
		return (await this.#records.change(read, (prompt) => changedPrompt(prompt, update))).wire;
	}

	delete(principal: Principal, id: string): Promise<void> {
		return this.#records.delete(principal, id);
	}

	/** Returns a page of prompts, last updated first. @throws {BadRequestError} for a cursor that is not ours. */
	async list({ tenant }: Principal, { scope, repo, ...page }: PromptQuery): Promise<StoredPage> {
		const ofScope = (wanted: PromptScope) => ({ index: "by_scope", equals: [tenant, wanted] }) as const;
		const ofRepo = repo !== undefined && ({ index: "by_repo", equals: [tenant, repositoryKey(repo)] } as const);
		if (ofRepo && scope === undefined) {
			const lists = [ofScope("global"), ofRepo].map((list) => this.#records.pages(list, page).page());
			const found = await Promise.all(lists).catch(refuseCursor);
			return readPage(
				mergedPage(found, ({ updated_at = "" }) => updated_at, page.limit),
				page.known,
			);
		}
		if (ofRepo && scope === "project") return this.#records.list(ofRepo, page);
		return this.#records.list(scope === undefined ? { index: "by_tenant", equals: [tenant] } : ofScope(scope), page);
	}

	/** Returns a page of the prompts that contain the text, in any case. @throws {BadRequestError} as `list`. */
	async search({ tenant }: Principal, text: string, { limit, cursor, known }: PageRequest): Promise<StoredPage> {
		const after = cursor === undefined ? {} : { after: cursor };
		const page = {
			text: foldedText(text),
			limit,
			columns: ["rev", "updated_at"],
			maxBytes: answerBytes,
			...after,
		} as const;
		return readPage(await this.#store.search(promptCollection, { equals: [tenant] }, page).catch(refuseCursor), known);
	}
}

/** Returns the prompt after a change; undefined when the change names no member. */
function changedPrompt({ wire }: PromptDocument, update: PromptUpdate) {
	const given = givenMembers(update);
	if (!given) return undefined;
	const changed: Prompt = { ...JSON.parse(wire), ...given, updated_at: isoTime() };
	return written({ ...changed, project_repo: projectRepo(changed.scope, changed.project_repo) });
}

function written(prompt: Prompt) {
	const { scope, updated_at, project_repo } = prompt;
	const set = { scope, updated_at, name: foldedText(prompt.name), content: foldedText(prompt.content) };
	const wire = JSON.stringify(prompt);
	if (project_repo === null) return { wire, set, unset: ["repo"] as const };
	return { wire, set: { ...set, repo: repositoryKey(project_repo) } };
}
