import { expect } from "chai";
import { relayLease } from "#shared/store/event-log/relay-lease.ts";
import { defineCollection } from "#shared/store/collection.ts";

const a = defineCollection("a", {}, {});
const b = defineCollection("b", {}, {});

describe("relayLease()", () => {
	it("is the same for the same collections in any order, and another one for others", () => {
		expect(relayLease([a, b])).to.equal(relayLease([b, a]));
		expect(relayLease([a])).to.not.equal(relayLease([a, b]));
		expect(relayLease([a])).to.match(/^relay-[\da-f]{8}$/);
	});
});
