import { expect } from "chai";
import { VouchedPrincipal, vouch } from "#shared/bus/vouched-principal.ts";
import { alice } from "../../../support/bus/test-brokers.ts";

describe("VouchedPrincipal", () => {
	it("shows the principal inside this process, and not in its JSON", () => {
		const vouched = vouch(alice);
		expect(VouchedPrincipal.read(vouched)).to.equal(alice);
		const copy: unknown = JSON.parse(JSON.stringify(vouched));
		expect(VouchedPrincipal.read(copy)).to.equal(undefined);
		expect(JSON.stringify(vouched)).to.equal("{}");
	});

	it("cannot be imitated", () => {
		const odd = [undefined, null, "x", alice, { principal: alice }, Object.create(VouchedPrincipal.prototype)];
		for (const value of odd) expect(VouchedPrincipal.read(value)).to.equal(undefined);
	});
});
