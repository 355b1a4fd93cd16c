import { expect } from "chai";
import { PacketSeal, SealError } from "#shared/bus/packet-seal.ts";
import { turnClock } from "#shared/base/clock.ts";

const key = Buffer.alloc(32, 1);
const topic = "MOL-atelier.REQ.sessions";
const data = Buffer.from('{"action":"session-work.claim_due"}');

describe("PacketSeal (H9)", () => {
	let time = 1_700_000_000_000;
	let turnBack: () => void;

	before(() => {
		turnBack = turnClock({ now: () => time, monotonic: () => time });
	});
	after(() => turnBack());

	it("returns the sealed content at each of its receivers", () => {
		const [near, far] = [new PacketSeal(key), new PacketSeal(key)];
		expect(far.open([topic, "other"], near.seal(topic, data))).to.deep.equal(data);
		expect(far.open(["other", topic], near.seal(topic, Buffer.alloc(0)))).to.have.length(0);
	});

	it("refuses a repeated packet in any order of packets", () => {
		const [near, far] = [new PacketSeal(key), new PacketSeal(key)];
		const packets = Array.from({ length: 5_000 }, () => near.seal(topic, data));
		const [first, second, ...others] = packets;
		for (const packet of [second, first, ...others]) far.open([topic], packet ?? Buffer.alloc(0));
		for (const packet of packets) expect(() => far.open([topic], packet)).to.throw(SealError, "sent before");
	});

	it("refuses a packet for somebody else", () => {
		const packet = new PacketSeal(key).seal(topic, data);
		for (const other of ["MOL-atelier.REQ", "MOL-atelier.REQ.gateway", "MOL-atelier.RES.sessions", ""]) {
			expect(() => new PacketSeal(key).open([other], packet)).to.throw(SealError);
		}
	});

	it("refuses a packet with a changed bit, a cut packet, and one that was sealed with another key", () => {
		const packet = new PacketSeal(key).seal(topic, data);
		const far = new PacketSeal(key);
		for (let i = 0; i < packet.length; i++) {
			const changed = Buffer.from(packet);
			changed[i] = (changed[i] ?? 0) ^ 1;
			expect(() => far.open([topic], changed)).to.throw(SealError);
			expect(() => far.open([topic], packet.subarray(0, i))).to.throw(SealError);
		}
		expect(() => far.open([topic], new PacketSeal(Buffer.alloc(32, 2)).seal(topic, data))).to.throw(SealError);
		expect(() => far.open([topic], data)).to.throw(SealError);
		expect(far.open([topic], packet)).to.deep.equal(data);
	});

	it("refuses a packet after 10 s, with 5 s more or less for clocks that differ, and says so", () => {
		const received = (afterMs: number) => {
			const packet = new PacketSeal(key).seal(topic, data);
			const far = new PacketSeal(key);
			time += afterMs;
			return far.open([topic], packet);
		};
		expect(received(15_000)).to.deep.equal(data);
		expect(received(-5_000)).to.deep.equal(data);
		expect(() => received(15_001)).to.throw(SealError, "the clocks of the two machines differ by more than 5 s");
		expect(() => received(-6_000)).to.throw(
			SealError,
			"6 s in the future: the clocks of the two machines differ by more than 5 s",
		);
	});

	it("remembers a packet until its time is over", () => {
		const far = new PacketSeal(key);
		const packet = new PacketSeal(key).seal(topic, data);
		time -= 5_000;
		far.open([topic], packet);
		for (let s = 0; s <= 30; s++) {
			expect(() => far.open([topic], packet)).to.throw(SealError);
			time += 1_000;
			far.open([topic], new PacketSeal(key).seal(topic, data));
		}
	});
});
