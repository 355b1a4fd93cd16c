/** Asks all trackers of a person; those that fail are skipped. */
import type { TrackerIssue } from "#shared/contracts/tracker/issue-fields.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import type { Owner } from "#shared/base/principal.ts";
import type { ConnectedTrackers } from "../trackers/connected-trackers.ts";
import type { IssueTracker } from "../trackers/issue-tracker.ts";

export class AllIssues {
	readonly #trackers: ConnectedTrackers;

	constructor(trackers: ConnectedTrackers) {
		this.#trackers = trackers;
	}

	/** Returns the hits of all trackers, in the order of the trackers. */
	async search(person: Owner, text: string): Promise<TrackerIssue[]> {
		const found = await this.#ask(person, (tracker) => tracker.search(text));
		return found.flatMap(({ answer }) => answer);
	}

	/** Returns the issue of the first tracker that knows it. @throws {NotFoundError} */
	async get(person: Owner, issueId: string): Promise<TrackerIssue> {
		return (await this.#first(person, issueId)).issue;
	}

	/** Moves the issue in the first tracker that knows it. @throws {NotFoundError}; whatever `setStatus` throws. */
	async setStatus(person: Owner, issueId: string, status: string): Promise<TrackerIssue> {
		return (await this.#first(person, issueId)).tracker.setStatus(issueId, status);
	}

	async #first(person: Owner, issueId: string): Promise<{ tracker: IssueTracker; issue: TrackerIssue }> {
		const found = await this.#ask(person, (tracker) => tracker.issue(issueId));
		for (const { tracker, answer } of found) if (answer) return { tracker, issue: answer };
		throw new NotFoundError(`No tracker of yours knows the issue "${issueId.slice(0, 100)}"`, "ISSUE_NOT_FOUND");
	}

	async #ask<T>(person: Owner, ask: (tracker: IssueTracker) => Promise<T>) {
		const { connections } = await this.#trackers.of(person);
		const asked = connections.map(async (connection) => {
			const tracker = await this.#trackers.open(person, connection);
			return { tracker, answer: await ask(tracker) };
		});
		const settled = await Promise.allSettled(asked);
		return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
	}
}
