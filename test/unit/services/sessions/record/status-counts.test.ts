import { expect } from "chai";
import { measureStatuses } from "#services/sessions/record/status-counts.ts";
import { turnClock } from "#shared/base/clock.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";

describe("measureStatuses()", () => {
	let at: number;
	let turnBack: () => void;
	/** The pages that the store returns, or its failure. */
	let pages: string[][] | Error;
	let finds: number;
	let metrics: Metrics;

	beforeEach(() => {
		at = 0;
		finds = 0;
		turnBack = turnClock({ now: () => at, monotonic: () => at });
		metrics = new Metrics();
		const find = async () => {
			if (pages instanceof Error) throw pages;
			const page = finds++;
			const documents = (pages[page] ?? []).map((status, n) => ({ id: String(n), status }));
			return { documents, ...(page + 1 < pages.length && { next: "more" }) };
		};
		measureStatuses(metrics, { find } as unknown as DocumentStore);
	});
	afterEach(() => turnBack());

	async function shown(): Promise<Record<string, number>> {
		const found = [...(await exposition(metrics)).matchAll(/^atelier_sessions\{status="(\w+)"\} (\d+)$/gm)];
		return Object.fromEntries(found.map(([, status, count]) => [status, Number(count)]));
	}

	it("counts the sessions of all pages by status, once a minute", async () => {
		pages = [["running", "stopped"], ["running"]];
		expect(await shown()).to.deep.equal({ running: 2, stopped: 1 });
		at = 59_000;
		expect(await shown()).to.deep.equal({ running: 2, stopped: 1 });
		expect(finds).to.equal(2);
	});

	it("shows the former counts while it counts again", async () => {
		pages = [["running"]];
		await shown();
		finds = 0;
		pages = [["failed"]];
		at = 61_000;
		expect(await shown()).to.deep.equal({ running: 1 });
		expect(await shown()).to.deep.equal({ failed: 1 });
	});

	it("shows nothing when the store fails, and counts again at the next scrape", async () => {
		pages = new Error("down");
		expect(await shown()).to.deep.equal({});
		pages = [["running"]];
		expect(await shown()).to.deep.equal({ running: 1 });
	});
});
