import { expect } from "chai";
import { ServiceError, TimeoutError, UnprocessableError, UpstreamError } from "#shared/base/errors.ts";
import {
	cleaned,
	failureOf,
	providerBusy,
	providerConflict,
	providerFailed,
	providerInvalid,
	providerMalformed,
	providerNotFound,
	providerRefused,
	refusalOf,
} from "#shared/net/outbound/provider-errors.ts";

const ask = { provider: 'GitHub "work"', asked: "the branches of org/repo", secrets: ["ghp_secret"] };

describe("refusalOf", () => {
	it("adds what may be wrong with the address to refusals that it can explain", () => {
		const hinted = { ...ask, hint: "; look at the address" };
		for (const status of [401, 403, 404, 500])
			expect(refusalOf(hinted, { status, headers: {} }).message).to.match(/; look at the address$/);
		expect(refusalOf(hinted, { status: 429, headers: {} }).message).not.to.contain("address");
	});

	for (const [status, headers, code, type] of [
		[401, {}, 401, providerRefused],
		[403, {}, 401, providerRefused],
		[403, { "x-ratelimit-remaining": "0" }, 503, providerBusy],
		[404, {}, 404, providerNotFound],
		[410, {}, 404, providerNotFound],
		[405, {}, 409, providerConflict],
		[409, {}, 409, providerConflict],
		[422, {}, 422, providerInvalid],
		[429, {}, 503, providerBusy],
		[400, {}, 502, providerFailed],
		[301, {}, 502, providerFailed],
		[500, {}, 502, providerFailed],
	] as const) {
		it(`makes ${code} ${type} of ${status} ${JSON.stringify(headers)}`, () => {
			const error = refusalOf(ask, { status, headers, message: "Because ghp_secret\u0007 is wrong" });
			expect(error).to.include({ code, type });
			expect(error.message).to.contain('GitHub "work"').and.contain("the branches of org/repo");
			expect(error.message).not.to.match(/ghp_secret|\p{Cc}/u);
		});
	}

	it("says when to try again", () => {
		const { message } = refusalOf(ask, { status: 429, headers: { "retry-after": "90" } });
		expect(message).to.match(/try again in 90 s$/);
	});

	it("repeats no more than 300 characters of the provider", () => {
		const { message } = refusalOf(ask, { status: 409, headers: {}, message: "x".repeat(5_000) });
		expect(message.length).to.be.below(420);
	});
});

describe("failureOf", () => {
	it("keeps the class and the type of a failure on the way, under whatever wraps it", () => {
		for (const [cause, code, type] of [
			[new TimeoutError("The server did not answer", "UPSTREAM_TIMEOUT"), 504, "UPSTREAM_TIMEOUT"],
			[new UpstreamError("The server cannot be reached", "UPSTREAM_UNREACHABLE"), 502, "UPSTREAM_UNREACHABLE"],
			[new UnprocessableError("The host has no public address", "URL_REFUSED"), 422, "URL_REFUSED"],
		] as const) {
			const error = failureOf(ask, new Error("wrapped", { cause: new Error("again", { cause }) }));
			expect(error).to.include({ code, type }).and.be.instanceOf(ServiceError);
			expect(error.message).to.contain('GitHub "work" did not answer the branches of org/repo: the ');
		}
	});

	it("calls everything else an answer that cannot be read", () => {
		for (const error of [new TypeError("ghp_secret"), "text", undefined]) {
			const failure = failureOf(ask, error);
			expect(failure).to.include({ code: 502, type: providerMalformed });
			expect(failure.message).not.to.contain("ghp_secret");
		}
	});

	it("leaves an error about the provider as it is", () => {
		const refused = refusalOf(ask, { status: 404, headers: {} });
		expect(failureOf(ask, refused)).to.equal(refused);
	});
});

describe("cleaned", () => {
	it("is one line without control characters and directions", () => {
		expect(cleaned({}, " a\n\tb\u202e\u0000c ")).to.equal("a b c");
	});
});
