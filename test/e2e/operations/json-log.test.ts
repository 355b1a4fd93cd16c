/** The log of a platform as one JSON object a line. */
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";

interface Line {
	readonly level: string;
	readonly message: string;
	readonly [member: string]: unknown;
}

describe("log.format json", function () {
	this.timeout(60_000);

	it("makes a line of everything that a process prints, from its start to its end, without the login token", async () => {
		const env = {
			LOG__FORMAT: "json",
			BUS__LOG_LEVEL: "info",
			IDENTITY__ADAPTER: "services/gateway/identity-providers/token.ts#TokenIdentity",
		};
		let output = "";
		{
			await using platform = await startPlatform({ env, readyAt: "/ready" });
			const [process] = platform.processes;
			await eventually(() => process?.output.includes("Atelier listens on") === true);
			await process?.stop();
			output = process?.output ?? "";
		}
		const lines = output
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as Line);
		expect(lines.length).to.be.above(3);
		for (const line of lines) {
			expect(line).to.include.keys("time", "level", "service", "message");
			expect(line.level).to.be.oneOf(["info", "warn", "error"]);
		}
		const entrance = lines.find(({ message }) => message.startsWith("Atelier listens on"));
		expect(entrance?.message).to.include("token=***");
		expect(output).to.not.match(/atelier_[\w-]{43}/);
	});
});
