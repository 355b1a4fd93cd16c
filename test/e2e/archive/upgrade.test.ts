/**
 * Data of the published release 0.2.0 is opened by this one, on the embedded store: lists, histories, timelines and counts.
 * Long: it starts the platform with stored sessions, one of which is lost.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPlatform } from "../../support/platform/start-platform.ts";
import {
	releasedConfig,
	type ReleasedData,
	readReleasedData,
	unpackReleasedData,
} from "../../support/upgrade/released-data.ts";
import { isWhole } from "../../support/upgrade/whole-data.ts";

/** The sums of the books and the days of the limits are those of the day of the old data. */
function clockOf({ at }: ReleasedData): Record<string, string> {
	return { ATELIER_CLOCK_OFFSET_MS: String(at - Date.now()) };
}

describe("data of release 0.2.0", function () {
	this.timeout(300_000);
	const old = readReleasedData();
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-upgrade-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("is opened whole on the embedded store", async () => {
		const dataDir = join(folder, "data");
		mkdirSync(dataDir, { mode: 0o700 });
		unpackReleasedData(old, dataDir);
		await using platform = await startPlatform({ dataDir, config: releasedConfig, env: clockOf(old) });
		await isWhole(platform, old, { isSameDay: true });
	});
});
