/**
 * The adapter of a kind of git host that the platform does not have: test/e2e/git/planted-provider.test.ts plants it. It asks
 * nobody; its only pull request is written here.
 */
import { HostAdapter, type PullOperations } from "#services/git/git-providers/host-adapter.ts";
import { hexDigest, isEqual } from "#services/git/git-providers/webhook-digest.ts";
import type {
	Commit,
	GitProvider,
	GitProviderOptions,
	PullRequest,
	RepositoryPlace,
} from "#services/git/providers/git-provider.ts";
import { isAt, repositoryAddress, webHost } from "#services/git/providers/repository-place.ts";
import type { PullEvent, Webhooks } from "#services/git/providers/webhooks.ts";
import type { Repository } from "#shared/contracts/git/repositories.ts";

const usualUrl = "https://planted.example";
const head_sha = "a".repeat(40);

const pull: PullRequest = {
	number: 7,
	title: "Add a cart",
	url: `${usualUrl}/acme/shop/pull-requests/7`,
	source_branch: "cart",
	target_branch: "main",
	status: "open",
	description: "",
	head_sha,
	mergeable: true,
	draft: false,
	author: "ada",
	created_at: null,
	updated_at: null,
	merge_sha: null,
};

const operations: PullOperations<string> = {
	openPull: async () => pull,
	openOne: async () => pull,
	onePull: async () => pull,
	listPulls: async () => [pull],
	mergePull: async () => ({ sha: head_sha }),
	checksOf: async () => ({ checks: [], more: false }),
	evidenceOf: async () => ({ ...pull, checks: [], reviews: [], files: [], more: false }),
};

interface Message {
	readonly repository: { readonly links: { readonly html: { readonly href: string } } };
	readonly pullrequest: { readonly id: number; readonly state: string; readonly updated_on: string };
}

const webhooks: Webhooks = {
	idHeaders: ["x-request-uuid"],
	eventHeader: "x-event-key",
	pullEvents: ["pullrequest:updated", "pullrequest:fulfilled", "pullrequest:rejected"],
	isSigned: (secret, { headers, body }) => isEqual(headers["x-hub-signature"], `sha256=${hexDigest(secret, body)}`),
	readPull(message): PullEvent {
		const { repository, pullrequest } = message as Message;
		const state = pullrequest.state === "MERGED" ? "merged" : "open";
		const { id: number, updated_on: at } = pullrequest;
		return { repo_url: repository.links.html.href, number, state, head_sha, merge_sha: null, at };
	},
};

export class Provider extends HostAdapter<string> implements GitProvider {
	readonly type = "generic";
	readonly webhooks = webhooks;

	constructor(options: GitProviderOptions) {
		super(options, webHost(options.base_url ?? usualUrl), ["pull request", "#"], operations);
	}

	protected client(asked: string): string {
		return asked;
	}

	placeOf(url: string): RepositoryPlace | undefined {
		const address = repositoryAddress(url);
		const [owner, name] = address?.path ?? [];
		if (!address || owner === undefined || name === undefined || !isAt(address, this.host)) return undefined;
		return { owner, name };
	}

	async whoAmI(): Promise<{ user: string; workspace: string | null }> {
		return { user: `the owner of ${this.options.token}`, workspace: null };
	}

	async repository({ owner: org, name }: RepositoryPlace): Promise<Repository> {
		const url = `https://${this.host}/${org}/${name}`;
		const branches = { default_branch: "main", branches: ["main"] };
		return { provider: "generic", org, name, url, clone_url: `${url}.git`, ...branches };
	}

	async repositories(owner: string): Promise<Repository[]> {
		return [await this.repository({ owner, name: "shop" })];
	}

	async branches(): Promise<string[]> {
		return ["main", "cart"];
	}

	async commitsSince(): Promise<Commit[]> {
		return [];
	}

	gitCredential(): { username: string; password: string } {
		return { username: "x-token-auth", password: this.options.token };
	}
}
