import { expect } from "chai";
import { quantityBytes } from "#services/pod-manager/pod-runtimes/kubernetes/objects/quantity.ts";
import { seededRandom } from "../../../../../../support/kubernetes/virtual-clock.ts";

describe("quantityBytes()", () => {
	const rows: readonly (readonly [string, number])[] = [
		["10Gi", 10 * 2 ** 30],
		["10737418240", 10 * 2 ** 30],
		["1.5Gi", 1.5 * 2 ** 30],
		["1Ki", 1_024],
		["2Pi", 2 * 2 ** 50],
		["1Ei", 2 ** 60],
		["1k", 1_000],
		["12e9", 12e9],
		["12E9", 12e9],
		["1E", 1e18],
		["128974848000m", 128_974_848],
		["0", 0],
	];
	for (const [text, bytes] of rows) it(`reads ${text}`, () => expect(quantityBytes(text)).to.equal(bytes));

	it("reads nothing in what is no quantity", () => {
		for (const text of [
			"",
			"-1",
			"1 Gi",
			"Gi",
			"1K",
			"1gi",
			"1e",
			"1e999",
			"NaN",
			"0x10",
			"1Gi\n",
			"constructor",
			"1toString",
		])
			expect(quantityBytes(text), text).to.equal(0);
	});

	it("reads 10,000 amounts as they were written, in whichever unit", () => {
		const random = seededRandom(7);
		const units = { "": 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };
		const names = Object.entries(units);
		for (let n = 0; n < 10_000; n++) {
			const [unit, factor] = names[Math.floor(random() * names.length)] ?? ["", 1];
			const amount = Math.floor(random() * 4_096);
			expect(quantityBytes(`${amount}${unit}`), `${amount}${unit}`).to.equal(amount * factor);
		}
	});
});
