/**
 * The doctor examines a platform in use: it finds no hole in a sound one, leaves nothing behind, and finds the hole of
 * one without a protection.
 * Night: it starts two platforms and waits for a revocation.
 */
import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { projectRoot } from "#shared/base/project-root.ts";
import { patchedTree } from "../../faults/patched-tree.ts";
import { accessControls } from "../../support/access/access-controls.ts";
import { startProvenPlatform } from "../../support/access/proven-platform.ts";
import { configuredUsers } from "../../support/access/callers.ts";
import { eventually } from "../../support/eventually.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

interface Examined {
	readonly code: number | null;
	readonly output: string;
}

function tokenOf(id: string, role: string): string {
	return configuredUsers.find((one) => one.id === id && one.roles.join() === role)?.token ?? "";
}

/** The owner, a colleague, a viewer, an administrator and a stranger. */
const tokens = [
	tokenOf("alice", "developer"),
	tokenOf("bob", "developer"),
	tokenOf("vera", "viewer"),
	tokenOf("root", "admin,developer"),
	tokenOf("carol", "admin"),
];

async function examine(url: string, given: readonly string[]): Promise<Examined> {
	const args = given.flatMap((token) => ["--token", token]);
	const doctor = spawn(process.execPath, ["cli/doctor.ts", "--url", url, ...args], {
		cwd: projectRoot,
		env: { PATH: process.env["PATH"] },
		stdio: ["ignore", "pipe", "pipe"],
		timeout: 200_000,
	});
	let output = "";
	doctor.stdout.on("data", (chunk: Buffer) => (output += chunk));
	doctor.stderr.on("data", (chunk: Buffer) => (output += chunk));
	await once(doctor, "close");
	return { code: doctor.exitCode, output };
}

describe("npm run doctor", function () {
	this.timeout(240_000);

	it("says where no platform answers, and what to do", async () => {
		const { code, output } = await examine("http://127.0.0.1:9", []);
		expect(code, output).to.equal(2);
		expect(output).to.match(
			/^The proof was not possible: No platform answers at http:\/\/127\.0\.0\.1:9 .*npm start.*ATELIER_URL.*PORT/,
		);
	});

	it("finds no hole, says what it could not check, and leaves nothing behind", async () => {
		await using platform = await startProvenPlatform();
		const { code, output } = await examine(platform.url, tokens);
		expect(code, output).to.equal(0);
		expect(output).to.include("The owner is alice of acme (developer)").and.to.include("No hole was found");
		expect(output).to.match(/^[\d,]{3,} cells by /m);
		expect(output).to.match(/^WARNING: Sessions of different people are not kept apart/m);
		expect(output).to.include("Not checked: pods of sessions").and.to.not.include("no such token");
		expect(output).to.include("Not checked: DELETE /api/v1/users/tokens ").and.to.not.match(/ \/\//);
		for (const token of tokens) expect(output).to.not.include(token);
		await nothingIsLeft(platform);
	});

	it("finds no hole in a platform as it is installed, whose one person administers everything", async () => {
		await using platform = await startPlatform();
		const { code, output } = await examine(platform.url, []);
		expect(code, output).to.equal(0);
		expect(output).to.include("No hole was found");
	});

	it("finds a missing protection, and says by its exit code that there is a hole", async () => {
		const [control] = accessControls;
		using tree = patchedTree(control ? [control.patch] : []);
		await using platform = await startProvenPlatform(tree.root);
		const { code, output } = await examine(platform.url, tokens.slice(0, 2));
		expect(code, output).to.equal(1);
		expect(output).to.match(
			/^HOLE: bob of acme \(developer\): GET \/sessions\/:session_id is admitted instead of unknown/m,
		);
	});

	async function nothingIsLeft(platform: TestPlatform): Promise<void> {
		const api = platform.client({ authorization: `Bearer ${tokens[3]}` });
		for (const path of ["/sessions?include_archived=true", "/prompts", "/presets", "/chronicles"])
			await eventually(async () => (await api.get(path)).text === "[]", { what: `${path} is empty` });
		const own = platform.client({ authorization: `Bearer ${tokens[0]}` });
		expect((await own.get("/../users/tokens")).body).to.deep.equal([]);
	}
});
