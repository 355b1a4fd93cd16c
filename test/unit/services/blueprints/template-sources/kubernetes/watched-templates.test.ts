import { expect } from "chai";
import type { TemplateObject } from "#services/blueprints/template-sources/kubernetes/template-record.ts";
import { WatchedTemplates } from "#services/blueprints/template-sources/kubernetes/watched-templates.ts";
import { noAnswer } from "#shared/kubernetes/api/api-error.ts";
import type { WatchSource } from "#shared/kubernetes/watch/watch-source.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { failureOf } from "../../../../../support/failure-of.ts";
import { ByteStream } from "../../../../../support/kubernetes/byte-stream.ts";

/** A collection with one watch. */
class Source implements WatchSource<TemplateObject> {
	readonly words = "sessiontemplates";
	isAway = false;
	names: readonly string[] = [];
	stream = new ByteStream();

	async list<Kept>(keep: (object: TemplateObject) => Kept) {
		if (this.isAway) throw noAnswer("Unreachable", "The connection was refused");
		return { resourceVersion: "5", items: this.names.map((name) => keep(templateObject(name, "4"))) };
	}

	async watch(_start: unknown, signal: AbortSignal) {
		if (this.isAway) throw noAnswer("Unreachable", "The connection was refused");
		const stream = new ByteStream();
		this.stream = stream;
		signal.addEventListener("abort", () => stream.end(noAnswer("Aborted", "aborted")));
		return stream;
	}
}

function templateObject(name: string, resourceVersion: string): TemplateObject {
	return { metadata: { name, resourceVersion }, spec: {} };
}

describe("WatchedTemplates", () => {
	const times = { firstWaitMs: 10, longestWaitMs: 10 };
	let source: Source;
	let logged: string[];
	let templates: WatchedTemplates;
	let closing: AbortController;
	let run: Promise<void>;

	function start(): void {
		const log = { error: (sentence: string, cause: unknown) => void logged.push(`${sentence} ${String(cause)}`) };
		templates = new WatchedTemplates({ source, times, write: async () => {}, known: () => undefined, log });
		run = templates.run(closing.signal);
	}
	const names = async () => (await templates.list()).templates.map(({ name }) => name).join();

	beforeEach(() => {
		source = new Source();
		logged = [];
		closing = new AbortController();
	});
	afterEach(async () => {
		closing.abort();
		await run;
	});

	it("lets the first callers wait for the first list", async () => {
		source.names = ["one"];
		start();
		expect(await names()).to.equal("one");
	});

	it("says why there has never been a list, and is usable when there is one", async () => {
		source.isAway = true;
		start();
		const sentence = "The cluster's sessiontemplates cannot be followed: The connection was refused";
		await eventually(async () => (await failureOf<Error>(templates.check())).message === sentence);
		expect(await failureOf(templates.check())).to.include({ code: 503 });
		const waiting = names();
		source.isAway = false;
		expect(await waiting).to.equal("");
		await templates.check();
		expect(logged).to.deep.equal([`${sentence}. There are none yet`]);
	});

	it("keeps the last list while the API is away, which is logged once", async () => {
		source.names = ["one"];
		start();
		expect(await names()).to.equal("one");
		const object = { ...templateObject("two", "6"), apiVersion: "atelier.dev/v1alpha1" };
		source.stream.write(`${JSON.stringify({ type: "ADDED", object })}\n`);
		await eventually(async () => (await names()) === "one,two");
		source.isAway = true;
		source.stream.end(noAnswer("Unreachable", "The connection was reset"));
		await eventually(() =>
			logged.some((line) => line.endsWith("refused. The templates that were there last are offered")),
		);
		expect(await names()).to.equal("one,two");
		await templates.check();
		expect(logged.filter((line) => line.includes("refused"))).to.have.length(1);
	});
});
