/** Makes issues for clients from what a tracker has answered. A tracker is not trusted: its texts have bounds. Pure. */
import type { TrackerIssue } from "#shared/contracts/tracker/issue-fields.ts";

const maxText = 255;
const maxTitle = 1_000;
const maxUrl = 2_048;
const maxLabels = 50;

/** An issue as an adapter has read it; texts may have any length. */
export type ReadIssue = Omit<TrackerIssue, "url"> & { readonly url: string | null };

/** Returns the issue with texts within their bounds. Clients show the URL as a link, so that only http and https remain. */
export function issueOf({ id, identifier, title, status, assignee, labels, priority, url }: ReadIssue): TrackerIssue {
	return {
		id: cut(id, maxText),
		identifier: cut(identifier, maxText),
		title: cut(title, maxTitle),
		status: cut(status, maxText),
		assignee: assignee === null ? null : cut(assignee, maxText),
		labels: labels.slice(0, maxLabels).map((label) => cut(label, maxText)),
		priority: Number.isInteger(priority) && priority > 0 && priority <= 100 ? priority : 0,
		url: webUrl(url ?? ""),
	};
}

/** Returns the text with at most this many UTF-16 units; no character is cut in two. */
export function cut(text: string, max: number): string {
	if (text.length <= max) return text;
	const isPair = /[\uD800-\uDBFF]/.test(text.charAt(max - 1));
	return text.slice(0, isPair ? max - 1 : max);
}

/** Whether two names of states are the same, as trackers compare them. */
export function isSameState(one: string, other: string): boolean {
	return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** The sentence that refuses an unknown state. @param states The states that exist, of which at most 30 are named. */
export function unknownState(wanted: string, states: readonly string[]): string {
	const names = states.slice(0, 30).map((name) => `"${cut(name, 100)}"`);
	const known = names.length === 0 ? "the issue cannot be moved" : `there are ${names.join(", ")}`;
	return `The tracker has no state "${cut(wanted, 100)}" for this issue; ${known}`;
}

function webUrl(url: string): string {
	const isWeb = URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
	return isWeb && url.length <= maxUrl ? url : "";
}
