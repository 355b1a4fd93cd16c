/** A process of its own, because this one has had a tracer as soon as another test has made one. */
import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { projectRoot } from "#shared/base/project-root.ts";

/** Counts the looks at asynchronous contexts, which cost more than looks at a variable. */
const program = `
	import { AsyncLocalStorage } from "node:async_hooks";
	let looks = 0;
	for (const name of ["getStore", "run"]) {
		const real = AsyncLocalStorage.prototype[name];
		AsyncLocalStorage.prototype[name] = function (...given) {
			looks++;
			return real.apply(this, given);
		};
	}
	const { measuredStore } = await import("#shared/store/measured-store.ts");
	const { Metrics } = await import("#shared/telemetry/metrics/metrics.ts");
	const { inSpan, traced, traceHeaders } = await import("#shared/telemetry/tracing/span.ts");
	const { Tracer } = await import("#shared/telemetry/tracing/tracer.ts");
	const silent = { get: async () => undefined };
	const store = measuredStore(silent, new Metrics());

	async function work(span) {
		looks = 0;
		await inSpan(span, async () => {
			await store.get({ name: "notes" }, "x");
			await traced({ name: "step", kind: "client", attributes: {} }, Promise.resolve());
			traceHeaders();
		});
		return looks;
	}

	const off = await work(undefined);
	const on = await work(new Tracer(0, () => {}).accept(undefined));
	console.log(JSON.stringify({ off, on }));
`;

describe("a process without a tracer", () => {
	it("never looks for the step that its work belongs to", () => {
		const args = ["--input-type=module", "--eval", program];
		const printed = execFileSync(process.execPath, args, { cwd: projectRoot, encoding: "utf8" });
		const { off, on } = JSON.parse(printed);
		expect(off).to.equal(0);
		expect(on, "the same work with a tracer").to.be.at.least(4);
	}).timeout(20_000);
});
