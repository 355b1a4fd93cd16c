import { expect } from "chai";
import { repeatLostRaces } from "#shared/store/lost-races.ts";
import { failureOf } from "../../../support/failure-of.ts";

const refusal = () => new Error("given up");

/** An attempt that loses so many races, and counts its calls. */
function losing(races: number) {
	let attempts = 0;
	const attempt = async () => (attempts++ < races ? undefined : `attempt ${attempts}`);
	return { attempt, made: () => attempts };
}

describe("repeatLostRaces()", () => {
	it("returns the result of the first attempt that has lost no race", async () => {
		for (const races of [0, 1, 49]) {
			const { attempt, made } = losing(races);
			expect(await repeatLostRaces(attempt, { refusal })).to.equal(`attempt ${races + 1}`);
			expect(made()).to.equal(races + 1);
		}
	});

	it("fails after so many lost races, with the error of its caller", async () => {
		for (const [maxRaces, most] of [
			[undefined, 50],
			[3, 3],
		] as const) {
			const { attempt, made } = losing(1_000);
			const limit = { refusal, ...(maxRaces !== undefined && { maxRaces }) };
			expect(await failureOf<Error>(repeatLostRaces(attempt, limit))).to.have.property("message", "given up");
			expect(made()).to.equal(most);
		}
	});

	it("treats false, null and 0 as results", async () => {
		for (const outcome of [false, null, 0, ""])
			expect(await repeatLostRaces(async () => outcome, { maxRaces: 1, refusal })).to.equal(outcome);
	});

	it("fails at once when an attempt fails", async () => {
		let attempts = 0;
		const failing = async () => {
			attempts++;
			throw new TypeError("no such thing");
		};
		expect(await failureOf(repeatLostRaces(failing, { refusal }))).to.be.instanceOf(TypeError);
		expect(attempts).to.equal(1);
	});
});
