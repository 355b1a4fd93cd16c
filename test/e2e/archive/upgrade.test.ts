/**
 * Data of the release before is opened by this one, on the embedded store.
 * Long: it starts the platform under load of old data.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { oldConfig, type OldData, readOldData, unpackOldData } from "../../support/upgrade/old-data.ts";
import { isWhole } from "../../support/upgrade/whole-data.ts";

/** The sums of the books and the days of the limits are those of the day of the old data. */
function clockOf({ at }: OldData): Record<string, string> {
	return { ATELIER_CLOCK_OFFSET_MS: String(at - Date.now()) };
}

describe("data of the release before", function () {
	this.timeout(300_000);
	const old = readOldData();
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-upgrade-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it("is opened on the embedded store", async () => {
		const dataDir = join(folder, "data");
		mkdirSync(dataDir, { mode: 0o700 });
		unpackOldData(old, dataDir);
		await using platform = await startPlatform({ dataDir, config: oldConfig, env: clockOf(old) });
		await isWhole(platform, old, { isSameDay: true });
	});
});
