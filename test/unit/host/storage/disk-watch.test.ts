import { tmpdir } from "node:os";
import { expect } from "chai";
import { DiskWatch } from "#host/storage/disk-watch.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";

describe("DiskWatch", () => {
	async function watched(lowMb: number): Promise<{ shortcomings: string[]; said: string[] }> {
		const said: string[] = [];
		const shortcomings = ["another sentence"];
		const error = (_about: unknown, sentence: string) => void said.push(sentence);
		const log = { error, warn() {}, info() {}, debug() {} };
		const config = { data_dir: tmpdir(), disk: { low_mb: lowMb, reserve_mb: 0 } };
		const watch = new DiskWatch({ config, metrics: new Metrics(), shortcomings, log });
		await watch.look();
		await watch.look();
		watch.stop();
		return { shortcomings, said };
	}

	it("says once that the disk is nearly full, and shows it while it is so", async () => {
		const { shortcomings, said } = await watched(1e9);
		expect(said).to.have.length(1);
		expect(said[0]).to.match(/^The disk of the data folder has \d+ MB left: /);
		expect(shortcomings).to.have.length(2).and.to.include("another sentence");
	});

	it("is silent about a disk with room, and when it is not to warn", async () => {
		expect(await watched(0)).to.deep.equal({ shortcomings: ["another sentence"], said: [] });
	});
});
