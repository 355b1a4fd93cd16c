/** A process with the marker of an impossible session id affects no session. */
import { expect } from "chai";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { ask, runningSession } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

const claimed = [
	"ffffffff-ffff-ffff-ffff-ffffffffffff",
	"00000000-0000-0000-0000-000000000000",
	"FFFFFFFF-FFFF-4FFF-8FFF-FFFFFFFFFFFF",
	"ffffffff-ffff-4fff-8fff-ffffffffffff",
	"../../etc",
];

describe("a process that claims a session's id", function () {
	this.timeout(120_000);

	it("stops no other session, and /ready stays as it is (H2)", async () => {
		await using platform = await startPlatform();
		const api = platform.client();
		const { id } = await runningSession(api);
		const start = claimed.map((one) => `env ATELIER_SESSION=${one} ATELIER_GENERATION=1 sleep 30 >/dev/null 2>&1 &`);
		await ask(api, id, `$ ${start.join(" ")} touch started`);
		await eventually(() => existsSync(join(platform.workspace(id), "started")));
		// The first claim may have been made before the processes were seen.
		for (let round = 0; round < 3; round++) {
			const other = await runningSession(api);
			expect(await ask(api, other.id, "$ echo works")).to.include("works");
		}
		expect((await fetch(`${platform.url}/ready`)).status).to.equal(200);
		expect(await ask(api, id, "$ echo works")).to.include("works");
	});
});
