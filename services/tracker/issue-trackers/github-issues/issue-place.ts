/** Where an issue of GitHub is: a repository and a number, written `owner/name#12`. */

export interface GitHubRepository {
	readonly owner: string;
	readonly repo: string;
}

export interface IssuePlace extends GitHubRepository {
	readonly issue_number: number;
}

const repositoryForm = /^([A-Za-z0-9][A-Za-z0-9-]{0,99})\/([A-Za-z0-9_.-]{1,100})$/;
const issueForm = /^([^#]+)#([1-9]\d{0,9})$/;

/** Returns nothing for a text that names no repository; so does one whose name would be a step in a path. */
export function repositoryOf(text: string): GitHubRepository | undefined {
	const [, owner, repo] = repositoryForm.exec(text) ?? [];
	return owner === undefined || repo === undefined || /^\.+$/.test(repo) ? undefined : { owner, repo };
}

export function issuePlace(id: string): IssuePlace | undefined {
	const [, name = "", number] = issueForm.exec(id) ?? [];
	const repository = repositoryOf(name);
	return repository && { ...repository, issue_number: Number(number) };
}

export function identifierOf({ owner, repo, issue_number }: IssuePlace): string {
	return `${owner}/${repo}#${issue_number}`;
}
