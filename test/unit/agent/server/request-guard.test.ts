import { expect } from "chai";
import fc from "fast-check";
import type { IncomingHttpHeaders } from "node:http";
import { RequestError } from "#agent/server/request-error.ts";
import { RequestGuard } from "#agent/server/request-guard.ts";

const guard = new RequestGuard("the-platform-key");
const good = { host: "127.0.0.1:4000", authorization: "Bearer the-platform-key" };

function statusOf(headers: IncomingHttpHeaders): number {
	try {
		guard.check(headers, 4000);
		return 200;
	} catch (error) {
		return error instanceof RequestError ? error.status : 500;
	}
}

describe("RequestGuard", () => {
	const cases: [what: string, headers: IncomingHttpHeaders, status: number][] = [
		["the platform", good, 200],
		["localhost as host", { ...good, host: "localhost:4000" }, 200],
		["no key", { host: good.host }, 401],
		["an empty key", { ...good, authorization: "Bearer " }, 401],
		["another key", { ...good, authorization: "Bearer the-platform-kez" }, 401],
		["a longer key", { ...good, authorization: "Bearer the-platform-key1" }, 401],
		["another scheme", { ...good, authorization: "Basic the-platform-key" }, 401],
		["a foreign host", { ...good, host: "attacker.example:4000" }, 403],
		["another port", { ...good, host: "127.0.0.1:4001" }, 403],
		["a host that begins right", { ...good, host: "127.0.0.1:4000.attacker.example" }, 403],
		["no host", { authorization: good.authorization }, 403],
		["an origin", { ...good, origin: "https://attacker.example" }, 403],
		["the origin of the pod itself", { ...good, origin: "http://127.0.0.1:4000" }, 403],
		["the origin null", { ...good, origin: "null" }, 403],
	];
	for (const [what, headers, status] of cases) {
		it(`answers ${status} to ${what}`, () => expect(statusOf(headers)).to.equal(status));
	}

	it("admits the name under which other machines reach the pod, if it was told one", () => {
		const reached = new RequestGuard("the-platform-key", "Pod-Manager");
		expect(() => reached.check({ ...good, host: "pod-manager:4000" }, 4000)).not.to.throw();
		for (const host of ["pod-manager:4001", "pod-manager", "pod-manager.evil:4000"])
			expect(() => reached.check({ ...good, host }, 4000), host).to.throw(RequestError);
	});

	it("admits no other caller, with any headers", () => {
		const part = fc.constantFrom(
			"127.0.0.1",
			"localhost",
			":4000",
			"Bearer ",
			"the-platform-key",
			" ",
			"@",
			"evil",
			"\t",
		);
		const text = fc.option(
			fc.oneof(
				fc.string(),
				fc.array(part, { maxLength: 4 }).map((parts) => parts.join("")),
			),
			{
				nil: undefined,
			},
		);
		fc.assert(
			fc.property(text, text, text, (host, authorization, origin) => {
				const headers = { ...(host && { host }), ...(authorization && { authorization }), ...(origin && { origin }) };
				const status = statusOf(headers);
				expect(status).to.be.oneOf([200, 401, 403]);
				if (status !== 200) return;
				expect([good.host, "localhost:4000"]).to.include(host);
				expect(authorization).to.match(/^Bearer +the-platform-key$/);
			}),
			{ numRuns: 10_000 },
		);
	});
});
