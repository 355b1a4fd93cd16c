/** The operations of git providers that the evil provider is tried on, the same for every adapter. */
import type { GitProvider } from "#services/git/providers/git-provider.ts";
import type { Operation, Target } from "../subject.ts";

const place = { owner: "acme", name: "api" };
export const head = "a".repeat(40);
export const merged = "b".repeat(40);
export const time = "2026-11-01T10:00:00.000Z";

/** The most requests of one operation, for which the adapters have bounds of their own. */
const maxCalls = 60;

/**
 * Returns the operations.
 * @param open Returns the adapter for a server.
 * @param looksAfter Whether the adapter reads the pull request after a merge, whatever the answer to the merge says.
 */
export function gitOperations(open: (target: Target) => GitProvider, looksAfter = false): Operation[] {
	const reading = (name: string, calls: number, use: (provider: GitProvider) => Promise<unknown>): Operation => ({
		name,
		kind: "read",
		calls,
		pages: maxCalls,
		changes: 0,
		run: (target) => use(open(target)),
	});
	type Use = (provider: GitProvider) => Promise<unknown>;
	const writing = (name: string, prepare: Use, use: Use): Operation => ({
		name,
		kind: "write",
		calls: 15,
		changes: 1,
		prepare: (target) => prepare(open(target)),
		run: (target) => use(open(target)),
	});
	const pull = { title: "Fix", description: "It", head: "fix", base: "main", labels: [], draft: false };
	return [
		reading("repository", 4, (provider) => provider.repository(place)),
		reading("branches", 4, (provider) => provider.branches(place)),
		reading("evidence", 20, (provider) => provider.evidence(place, 1)),
		writing(
			"openPull",
			(provider) => provider.pullOf(place, pull),
			(provider) => provider.openPull(place, pull),
		),
		{
			...writing(
				"mergePull",
				(provider) => provider.pull(place, 1),
				(provider) => provider.mergePull(place, 1, { method: "merge", expected_head: head }),
			),
			ignoresAnswer: looksAfter,
		},
	];
}
