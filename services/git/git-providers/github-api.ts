/** The parts of GitHub's API that Gitea's has too: paths, and the readers of accounts, repositories, branches and files. */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import type { Repository } from "#shared/contracts/git/repositories.ts";
import { objectReader } from "#shared/net/outbound/provider-client.ts";
import type { FileEvidence, RepositoryPlace } from "../providers/git-provider.ts";
import { absent, count, page, pageReader, readAs, readEachAs, text } from "./answer-fields.ts";

export function repositoryPath({ owner, name }: RepositoryPlace): string {
	return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

export function pullPath(at: RepositoryPlace, number: number): string {
	return `${repositoryPath(at)}/pulls/${number}`;
}

export const person = { type: "object", props: { login: text }, ...absent } as const;

const repository = schema({
	name: text,
	owner: { type: "object", props: { login: text } },
	html_url: page,
	clone_url: { ...page, ...absent },
	default_branch: { ...text, ...absent },
});

/** Returns what is alike for the hosts with such an API. */
export function githubApi(provider: Repository["provider"]) {
	const shown = (one: Output<typeof repository>) => repositoryOf(provider, one);
	return {
		repository: "repository",
		words: ["pull request", "#"],
		pathOf: repositoryPath,
		ofPerson: (name: string) => ({ path: `/users/${name}/repos` }),
		branches: { path: "/branches" },
		readers: {
			user: readAs(objectReader({ login: text }), ({ login }) => login),
			repository: readAs(objectReader(repository), shown),
			repositories: readEachAs(pageReader(repository), shown),
			branches: readEachAs(pageReader({ name: text }), ({ name }) => name),
		},
	} as const;
}

function repositoryOf(provider: Repository["provider"], one: Output<typeof repository>): Repository {
	const { name, owner, html_url: url, clone_url, default_branch } = one;
	const main = default_branch || "main";
	return {
		provider,
		org: owner.login,
		name,
		url,
		clone_url: clone_url ?? `${url}.git`,
		default_branch: main,
		branches: [main],
	};
}

const files = pageReader({
	filename: text,
	previous_filename: { ...text, ...absent },
	additions: count,
	deletions: count,
});

export const readFiles = readEachAs(files, (file): FileEvidence => {
	const { filename, previous_filename, additions, deletions } = file;
	return { path: filename, additions, deletions, ...(previous_filename && { previous_path: previous_filename }) };
});
