/** Counts the calls of the pod managers from the audit log of the API server, by verb and kind of object. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";

interface AuditEvent {
	readonly verb?: string;
	readonly stage?: string;
	readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
	readonly responseStatus?: { readonly code?: number };
}

/** The counts by a text such as `create pods`. */
export type CallCounts = ReadonlyMap<string, number>;

const writing = new Set(["create", "update", "patch", "delete"]);

export class ApiCalls {
	readonly #file: string;
	#offset = 0;
	#begun = "";

	constructor(file: string) {
		this.#file = file;
	}

	/** Returns the calls that were logged since the last time. The log is a second late at most. */
	take(): CallCounts {
		const counts = new Map<string, number>();
		for (const line of this.#lines()) {
			const event: AuditEvent = JSON.parse(line);
			// A watch is told when it begins and when it ends.
			if (event.stage === "ResponseStarted") continue;
			const what = wordsOf(event);
			counts.set(what, (counts.get(what) ?? 0) + 1);
		}
		return counts;
	}

	#lines(): string[] {
		if (!existsSync(this.#file)) return [];
		const file = openSync(this.#file, "r");
		try {
			const bytes = Buffer.alloc(fstatSync(file).size - this.#offset);
			this.#offset += readSync(file, bytes, 0, bytes.length, this.#offset);
			const lines = `${this.#begun}${bytes.toString("utf8")}`.split("\n");
			this.#begun = lines.pop() ?? "";
			return lines;
		} finally {
			closeSync(file);
		}
	}
}

function wordsOf({ verb = "", objectRef, responseStatus }: AuditEvent): string {
	const { code = 200 } = responseStatus ?? {};
	return `${verb} ${objectRef?.resource ?? ""}${code >= 400 ? ` ${code}` : ""}`;
}

export function allCalls(counts: CallCounts): number {
	return [...counts.values()].reduce((sum, each) => sum + each, 0);
}

export function writes(counts: CallCounts): number {
	return [...counts].reduce((sum, [what, count]) => sum + (writing.has(what.split(" ")[0] ?? "") ? count : 0), 0);
}

/** Returns the counts as text, for each of so many sessions. */
export function callsPerSession(counts: CallCounts, sessionCount: number): string {
	return [...counts]
		.toSorted(([, one], [, other]) => other - one)
		.map(([what, count]) => `${what} ${(count / sessionCount).toFixed(2)}`)
		.join(" · ");
}
