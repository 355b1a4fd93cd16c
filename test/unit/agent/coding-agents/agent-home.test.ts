import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { prepareAgentHome } from "#agent/coding-agents/agent-home.ts";
import { scriptedRecord } from "../../../support/agents/open-agent.ts";

describe("prepareAgentHome()", () => {
	let folder: string;
	beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "atelier-home-"))));
	afterEach(() => rmSync(folder, { recursive: true }));

	const record = {
		...scriptedRecord(),
		keeps: [".agent/data"],
		files: [{ path: ".agent/data/settings.json", text: "{}" }],
	};

	async function homeOf(pod: string): Promise<string> {
		const home = join(folder, pod);
		mkdirSync(home);
		await prepareAgentHome(record, home, join(folder, "state"));
		return home;
	}

	it("writes the agent's files, for nobody else to read", async () => {
		const file = join(await homeOf("one"), ".agent/data/settings.json");
		expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).to.deep.equal(["{}", 0o600]);
	});

	it("writes through no link that the agent has left", async () => {
		const home = await homeOf("one");
		const other = join(folder, "precious");
		writeFileSync(other, "untouched");
		rmSync(join(home, ".agent/data/settings.json"));
		symlinkSync(other, join(home, ".agent/data/settings.json"));
		await prepareAgentHome(record, home, join(folder, "state"));
		expect(readFileSync(other, "utf8")).to.equal("untouched");
		expect(readFileSync(join(home, ".agent/data/settings.json"), "utf8")).to.equal("{}");
	});

	it("lets the kept folders outlive the home, and may be repeated", async () => {
		const home = await homeOf("one");
		writeFileSync(join(home, ".agent/data/talk.db"), "said");
		await prepareAgentHome(record, home, join(folder, "state"));
		rmSync(home, { recursive: true });
		expect(readFileSync(join(await homeOf("two"), ".agent/data/talk.db"), "utf8")).to.equal("said");
	});
});
