/** The command that moves credentials, between folders of files, as processes that are killed. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { FileCredentials } from "#services/credentials/credential-stores/file.ts";
import { personOf, tenantOf } from "#services/credentials/store/credential-owner.ts";
import type { CredentialStore } from "#services/credentials/store/credential-store.ts";
import { projectRoot } from "#shared/base/project-root.ts";

const owners = [personOf({ tenant: "default", id: "ada" }), personOf({ tenant: "acme", id: "a/b" }), tenantOf("acme")];
const names = ["one", "two", "three"];
const key = "k".repeat(43);

interface Ended {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly output: string;
}

describe("npm run credentials:move", function () {
	this.timeout(120_000);
	let folder: string;

	beforeEach(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-move-"));
		const from = storeOf("from");
		for (const owner of owners)
			for (const name of names)
				await from.put(owner, {
					name,
					secret_type: "generic",
					data: { token: `${name} of ${owner.id}` },
					metadata: {},
				});
		for (const name of ["from", "to"])
			writeFileSync(configOf(name), JSON.stringify({ credential_store: kwargsOf(name) }));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	function configOf(name: string): string {
		return join(folder, `${name}.yaml`);
	}

	function kwargsOf(name: string): object {
		const base_dir = join(folder, name);
		return { kwargs: { base_dir }, secret_kwargs_env: { encryption_key: "CREDENTIAL_ENCRYPTION_KEY" } };
	}

	function storeOf(name: string): FileCredentials {
		return new FileCredentials({ base_dir: join(folder, name), encryption_key: key, default_dir: folder });
	}

	/** Resolves to everything that a store has. */
	async function contentOf(store: CredentialStore): Promise<object> {
		const content: object[] = [];
		for (const owner of owners) {
			const listed = (await store.list(owner)).toSorted((one, other) => one.name.localeCompare(other.name));
			content.push({ listed, values: Object.fromEntries(await store.values(owner, names)) });
		}
		return content;
	}

	function run(args: readonly string[], failpoints = ""): Promise<Ended> {
		const env = {
			PATH: process.env["PATH"],
			DATA_DIR: join(folder, "data"),
			ATELIER_CONFIG: configOf("to"),
			ATELIER_FAILPOINTS: failpoints,
			CREDENTIAL_ENCRYPTION_KEY: key,
		};
		const program = ["services/credentials/move-credentials.ts", ...args];
		return new Promise((resolve) => {
			const child = execFile(
				process.execPath,
				program,
				{ cwd: projectRoot, env, timeout: 60_000 },
				(_error, out, err) => resolve({ code: child.exitCode, signal: child.signalCode, output: `${out}${err}` }),
			);
		});
	}

	it("loses nothing, whichever step it is killed at, and leaves nothing in the first store", async () => {
		const before = await contentOf(storeOf("from"));
		const from = ["--from", configOf("from")];
		for (let kill = 0; kill < 3; kill++) {
			expect(await run(from, "credentials.copied=kill")).to.include({ signal: "SIGKILL" });
			expect(await contentOf(storeOf("from"))).to.deep.equal(before);
		}
		const copied = await run(from);
		expect(copied.output).to.contain("Done. 6 copied, 3 were there, 0 originals removed, 0 left alone");
		for (let kill = 0; kill < 3; kill++)
			expect(await run([...from, "--remove"], "credentials.original-removed=kill")).to.include({ signal: "SIGKILL" });
		const removed = await run([...from, "--remove"]);
		expect(removed).to.include({ code: 0 });
		expect(removed.output).to.contain("Done. 0 copied, 0 were there, 6 originals removed, 0 left alone");
		expect(await contentOf(storeOf("to"))).to.deep.equal(before);
		expect(await storeOf("from").owners()).to.deep.equal([]);
		for (const { output } of [copied, removed]) expect(output).to.not.contain(' of ada"');
	});

	it("names what it leaves alone and ends with 1, and refuses a store as its own copy", async () => {
		await storeOf("to").put(tenantOf("acme"), {
			name: "one",
			secret_type: "generic",
			data: { token: "own" },
			metadata: {},
		});
		const { code, output } = await run(["--from", configOf("from")]);
		expect([code, output]).to.deep.equal([1, output]);
		expect(output).to.contain('Left alone: the new store has another, newer credential "one" of tenant "acme"');
		const same = await run(["--from", configOf("to")]);
		expect(same).to.include({ code: 1 });
		expect(same.output).to.contain("names the same store as the present one");
		expect(await run([])).to.include({ code: 2 });
	});
});
