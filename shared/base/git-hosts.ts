/**
 * The kinds of git hosts that have an adapter, a row each, in the order in which they are asked. The adapter of a kind is the
 * folder of its name in `services/git/git-providers`; the keys `git.<kind>` and the values of the contract follow from the rows.
 */
export const gitHosts = {
	github: {
		product: "GitHub",
		address: "its API, `https://<host>/api/v3` of an Enterprise Server; empty: `https://api.github.com`",
	},
	gitlab: { product: "GitLab", address: "the host; empty: `https://gitlab.com`" },
	gitea: { product: "Gitea", address: "the host; there is no default" },
} as const;

export type GitHost = keyof typeof gitHosts;
export const gitHostTypes = Object.keys(gitHosts) as readonly GitHost[];
