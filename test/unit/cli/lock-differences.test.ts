import { expect } from "chai";
import { lockDifferences } from "../../../cli/lock-differences.ts";

const a = { version: "1.0.0", integrity: "sha512-a" };
const lock = (packages: object) => ({ packages });

describe("lockDifferences()", () => {
	it("are none when everything is locked", () => {
		expect(lockDifferences(lock({ a, b: a }), lock({ a }))).to.deep.equal([]);
		expect(lockDifferences(lock({ a }), {})).to.deep.equal([]);
	});

	it("name a package with another version or other bytes", () => {
		const found = lock({ a: { ...a, version: "1.0.1" }, b: { ...a, integrity: "sha512-b" } });
		expect(lockDifferences(lock({ a, b: a }), found)).to.deep.equal([
			'"a" is 1.0.1 (sha512-a), not 1.0.0 (sha512-a)',
			'"b" is 1.0.0 (sha512-b), not 1.0.0 (sha512-a)',
		]);
	});

	it("name a package that is not locked, unless it is an optional one for this kind of machine", () => {
		const found = lock({ a, b: a, c: { ...a, optional: true } });
		expect(lockDifferences(lock({ a }), found)).to.deep.equal(['"b" 1.0.0 is not in it']);
		expect(lockDifferences({}, lock({ a }))).to.deep.equal(['"a" 1.0.0 is not in it']);
	});
});
