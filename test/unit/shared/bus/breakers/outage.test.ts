import { expect } from "chai";
import { isOutage, isWorthRepeating } from "#shared/bus/breakers/outage.ts";

const failure = (type: string, data?: object) => Object.assign(new Error("x"), { type, ...(data && { data }) });

describe("isOutage()", () => {
	it("is a failure that no caller can cause for others", () => {
		for (const type of [
			"SERVICE_NOT_AVAILABLE",
			"STORE_CLOSED",
			"STORE_UNREACHABLE",
			"STORE_UNDECIDED",
			"STORE_UNWRITABLE",
		])
			expect(isOutage(failure(type)), type).to.equal(true);
		for (const type of [
			"TOO_MANY_REQUESTS",
			"CONFLICT",
			"UPSTREAM",
			"UNAVAILABLE",
			"STORE_OVERLOADED",
			"STORE_REFUSED",
			"STORE_SLOW",
		])
			expect(isOutage(failure(type)), type).to.equal(false);
		expect(isOutage(new Error("x"))).to.equal(false);
	});

	it("includes a late answer only from a silent node", () => {
		expect(isOutage(failure("REQUEST_TIMEOUT", { isSilent: true }))).to.equal(true);
		for (const data of [undefined, {}, { isSilent: false }, { isSilent: "true" }])
			expect(isOutage(failure("REQUEST_TIMEOUT", data))).to.equal(false);
	});
});

describe("isWorthRepeating()", () => {
	it("is a failure that the framework repeats, but not a late answer of a node that lives", () => {
		const retryable = (type: string, data?: object) => Object.assign(failure(type, data), { retryable: true });
		expect(isWorthRepeating(retryable("SERVICE_NOT_AVAILABLE"))).to.equal(true);
		expect(isWorthRepeating(retryable("REQUEST_TIMEOUT", { isSilent: true }))).to.equal(true);
		expect(isWorthRepeating(retryable("REQUEST_TIMEOUT", { isSilent: false }))).to.equal(false);
		expect(isWorthRepeating(failure("STORE_UNREACHABLE"))).to.equal(false);
	});
});
