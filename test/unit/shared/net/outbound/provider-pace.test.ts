import { expect } from "chai";
import { isoTime, now } from "#shared/base/clock.ts";
import { isBusy, waitOf } from "#shared/net/outbound/provider-pace.ts";

describe("isBusy", () => {
	for (const [answer, busy] of [
		[{ status: 429 }, true],
		[{ status: 403, headers: { "retry-after": "5" } }, true],
		[{ status: 403, headers: { "x-ratelimit-remaining": "0" } }, true],
		[{ status: 403, body: "You have exceeded a secondary rate limit" }, true],
		[{ status: 403, body: "Resource not accessible by personal access token" }, false],
		[{ status: 403, headers: { "x-ratelimit-remaining": "12" } }, false],
		[{ status: 503, headers: { "retry-after": "5" } }, false],
	] as const) {
		it(`is ${busy} for ${JSON.stringify(answer)}`, () => expect(isBusy({ headers: {}, ...answer })).to.equal(busy));
	}
});

describe("waitOf", () => {
	for (const [headers, wait] of [
		[{ "retry-after": "7" }, 7_000],
		[{ "retry-after": "0" }, 0],
		[{ "retry-after": "999999999" }, 86_400_000],
		[{ "retry-after": "soon" }, undefined],
		[{ "retry-after": "-1" }, undefined],
		[{ "x-ratelimit-reset": "1" }, undefined],
		[{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" }, 0],
		[{}, undefined],
	] as const) {
		it(`is ${wait} for ${JSON.stringify(headers)}`, () => expect(waitOf({ status: 429, headers })).to.equal(wait));
	}

	it("reads a date, and the time at which a limit ends", () => {
		const soon = now() + 60_000;
		const headers = { "retry-after": new Date(isoTime(soon)).toUTCString() };
		expect(waitOf({ status: 429, headers })).to.be.within(50_000, 61_000);
		const limit = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.round(soon / 1_000)) };
		expect(waitOf({ status: 403, headers: limit })).to.be.within(50_000, 61_000);
	});
});
