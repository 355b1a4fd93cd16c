import { expect } from "chai";
import { ServiceError, TimeoutError, UpstreamError } from "#shared/base/errors.ts";
import type { OutboundAnswer, OutboundRequest } from "#shared/net/outbound/outbound.ts";
import { defaultBounds, type OperationBounds, outboundFetch } from "#shared/net/outbound/outbound-fetch.ts";
import { failureOf } from "../../../../support/failure-of.ts";

type Scripted = number | Error | Partial<OutboundAnswer>;

/** Returns a `fetch` whose requests are answered in turn; the last answer is repeated. */
function scripted(answers: readonly Scripted[], bounds: Partial<OperationBounds> = {}) {
	const sent: OutboundRequest[] = [];
	const fetch = outboundFetch({
		outbound: {
			async send(request) {
				const answer = answers[Math.min(sent.length, answers.length - 1)];
				sent.push(request);
				if (answer instanceof Error) throw answer;
				const given = typeof answer === "number" ? { status: answer } : answer;
				return { status: 200, headers: {}, body: Buffer.from("{}"), url: request.url, ...given };
			},
		},
		origin: "https://git.example/api",
		isConfigured: false,
		bounds: { ms: 2_000, ...bounds },
	});
	return { fetch, sent };
}

const url = "https://git.example/api/user";
const unreachable = new UpstreamError("The server cannot be reached", "UPSTREAM_UNREACHABLE");

describe("outboundFetch", () => {
	it("passes method, headers and body on, and returns status, headers and body", async () => {
		const { fetch, sent } = scripted([{ status: 201, headers: { link: "x" }, body: Buffer.from('{"a":1}') }]);
		const response = await fetch(url, { method: "post", headers: { "X-Token": "t" }, body: "{}" });
		expect(sent[0]).to.deep.include({
			url,
			method: "POST",
			headers: { "x-token": "t" },
			body: "{}",
			isConfigured: false,
		});
		expect(sent[0]?.maxBytes).to.equal(defaultBounds.maxBytes);
		expect(response.status).to.equal(201);
		expect(response.headers.get("link")).to.equal("x");
		expect(await response.json()).to.deep.equal({ a: 1 });
	});

	it("sends nothing to another origin", async () => {
		for (const other of ["https://evil.example/", "http://git.example/", "https://git.example:8443/"]) {
			const { fetch, sent } = scripted([200]);
			expect(await failureOf(fetch(other))).to.include({ type: "PROVIDER_ELSEWHERE" });
			expect(sent).to.deep.equal([]);
		}
	});

	for (const [what, answers, tries] of [
		["a failure of the server that passes", [503, 502, 200], 3],
		["a failure of the server that stays", [500], 3],
		["a lost connection", [unreachable, 200], 2],
		["a limit that ends soon", [{ status: 429, headers: { "retry-after": "0" } }, 200], 2],
	] as const) {
		it(`repeats a read after ${what}`, async () => {
			const { fetch, sent } = scripted(answers);
			const response = await fetch(url);
			expect(sent).to.have.length(tries);
			expect(response.status).to.equal(tries === 3 && answers.length === 1 ? 500 : 200);
		});
	}

	for (const [what, answer] of [
		["a failure of the server", 503],
		["a lost connection", unreachable],
		["a time limit", new TimeoutError("late", "UPSTREAM_TIMEOUT")],
	] as const) {
		it(`does not repeat a write after ${what}`, async () => {
			const { fetch, sent } = scripted([answer, 200]);
			await fetch(url, { method: "POST" }).catch((error: unknown) => expect(error).to.be.instanceOf(ServiceError));
			expect(sent).to.have.length(1);
		});
	}

	it("repeats a write that was refused because there are too many", async () => {
		const { fetch, sent } = scripted([{ status: 429, headers: { "retry-after": "0" } }, 201]);
		expect((await fetch(url, { method: "POST" })).status).to.equal(201);
		expect(sent).to.have.length(2);
	});

	it("does not wait longer than the operation has time", async () => {
		const { fetch, sent } = scripted([{ status: 429, headers: { "retry-after": "3" } }]);
		expect((await fetch(url)).status).to.equal(429);
		expect(sent).to.have.length(1);
	});

	it("has one budget of calls for all requests of the operation", async () => {
		const { fetch, sent } = scripted([200], { calls: 2 });
		await fetch(url);
		await fetch(url);
		expect(await failureOf(fetch(url))).to.include({ type: "PROVIDER_BUDGET" });
		expect(sent).to.have.length(2);
	});

	it("gives each request the time that is left", async () => {
		const { fetch, sent } = scripted([503, 200]);
		await fetch(url);
		expect(sent[1]?.timeoutMs)
			.to.be.below(sent[0]?.timeoutMs ?? 0)
			.and.above(0);
	});

	it("refuses a status that is none of an answer", async () => {
		const { fetch } = scripted([{ status: 199 }]);
		expect(await failureOf(fetch(url))).to.be.instanceOf(UpstreamError);
	});
});
