import { expect } from "chai";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { EventIds } from "#services/stream/event-ids.ts";

const secret = randomBytes(32);
const idsOf = (installation: Buffer): EventIds => new EventIds(new InstallationKey(installation).streamSeal());
const ids = idsOf(secret);
const position = { epoch: "5f3a90c1", seq: 7 };
const nowhere = { epoch: "", seq: 0 };

describe("EventIds", () => {
	it("reads what it writes, of any epoch and number", () => {
		const property = fc.property(fc.stringMatching(/^[\w-]{1,50}$/), fc.nat(2 ** 48 - 1), (epoch, seq) => {
			expect(ids.read(ids.ofEvent({ epoch, seq }))).to.deep.equal({ epoch, seq });
			expect(ids.read(ids.ofMoment({ epoch, seq }))).to.deep.equal({ epoch, seq });
		});
		fc.assert(property);
	});

	it("has the form <epoch>-s<sealed>, which contains no number and no order", () => {
		const written = Array.from({ length: 1_000 }, (_, seq) => ids.ofEvent({ ...position, seq }));
		for (const id of written) expect(id).to.match(/^5f3a90c1-s[\w-]{22}$/);
		const ascents = written.filter((id, index) => id > (written[index - 1] ?? "")).length;
		expect(ascents).to.be.within(400, 600);
	});

	it("is equal for an event in every process of an installation, and unknown to other installations", () => {
		expect(idsOf(secret).ofEvent(position)).to.equal(ids.ofEvent(position));
		expect(idsOf(randomBytes(32)).read(ids.ofEvent(position))).to.deep.equal(nowhere);
	});

	it("differs for each moment, so that nobody learns whether something has happened between two", () => {
		const moments = new Set(Array.from({ length: 100 }, () => ids.ofMoment(position)));
		expect(moments.size).to.equal(100);
	});

	it("is no number that a client names itself", () => {
		expect(ids.read("5f3a90c1-7")).to.deep.equal(nowhere);
	});

	it("refuses a changed id and one with another epoch", () => {
		const id = ids.ofEvent(position);
		expect(ids.read(id.replace("5f3a90c1", "5f3a90c2"))).to.deep.equal(nowhere);
		for (let at = id.indexOf("-s") + 2; at < id.length - 1; at++) {
			const changed = `${id.slice(0, at)}${id[at] === "A" ? "B" : "A"}${id.slice(at + 1)}`;
			expect(ids.read(changed), changed).to.deep.equal(nowhere);
		}
	});

	for (const id of [
		"",
		"x",
		"-",
		"e1-",
		"-5",
		"-s",
		"e1-x",
		"e1-s",
		"e1--1.5",
		"e1-1e3",
		"e1-99999999999999999999",
		`e1-s${"A".repeat(22)}`,
		`e1-s${"A".repeat(21)}`,
		`${"e".repeat(500)}-1`,
	]) {
		it(`knows no epoch for "${id.slice(0, 30)}"`, () => {
			expect(ids.read(id)).to.deep.equal(nowhere);
		});
	}
});
