import { expect } from "chai";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tellVolumeSize } from "#agent/volume-size.ts";
import type { MeasuredSize } from "#shared/wire/pod/status.ts";
import { eventually } from "../../support/eventually.ts";

const mebibyte = 2 ** 20;

describe("tellVolumeSize()", function () {
	this.timeout(60_000);
	const folder = mkdtempSync(join(tmpdir(), "atelier-volume-"));
	const pauses = { first: 1, shortest: 50, longest: 200 };
	const told: MeasuredSize[] = [];
	const ending = new AbortController();
	const last = () => told.at(-1)?.bytes ?? 0;
	let running: Promise<void>;

	before(() => {
		writeFileSync(join(folder, "a"), Buffer.alloc(mebibyte, 1));
		running = tellVolumeSize({ folder, signal: ending.signal, pauses, tell: (size) => void told.push(size) });
	});
	after(() => {
		ending.abort();
		rmSync(folder, { recursive: true });
	});

	it("tells the size once, and again when it has changed much", async () => {
		await eventually(() => last() >= mebibyte, { withinMs: 20_000, what: "the first size" });
		writeFileSync(join(folder, "b"), Buffer.alloc(20 * mebibyte, 1));
		await eventually(() => last() >= 21 * mebibyte, { withinMs: 20_000, what: "the size with another file" });
		expect(told).to.have.length.within(2, 3);
		expect(told.map(({ partial }) => partial)).to.deep.equal(told.map(() => undefined));
	});

	it("tells a small change when it has rested for the longest pause", async () => {
		writeFileSync(join(folder, "c"), Buffer.alloc(mebibyte, 1));
		await eventually(() => last() >= 22 * mebibyte, { withinMs: 20_000, what: "the size with a small file" });
	});

	it("ends with its signal, and tells nothing more", async () => {
		ending.abort();
		await running;
		const count = told.length;
		writeFileSync(join(folder, "d"), Buffer.alloc(20 * mebibyte, 1));
		expect(told).to.have.length(count);
	});
});
