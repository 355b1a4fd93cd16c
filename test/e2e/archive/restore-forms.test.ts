/**
 * Data of the published release 0.2.0 is restored over MongoDB and over the embedded store, with the installation key in the
 * environment and in the data folder, from archives with and without that key and the files of sessions. Over MongoDB, the
 * command is stopped for longer than its lease lasts.
 * Night: it runs the command thirty times.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type Outcome, runArchive } from "../../support/archive/archive-command.ts";
import { MongodSet } from "../../support/stores/mongod-set.ts";
import { releasedConfig, readReleasedData, unpackReleasedData } from "../../support/upgrade/released-data.ts";

/** A lease that is not renewed for so long is lost, in milliseconds, with a reserve. */
const stallMs = 3_500;

/** Stops the process for a moment when it has emptied the store. */
function stall(child: ChildProcess): void {
	let isStalled = false;
	child.stdout?.on("data", (output: string) => {
		if (isStalled || !String(output).includes("is emptied")) return;
		isStalled = true;
		child.kill("SIGSTOP");
		void sleep(stallMs).then(() => child.kill("SIGCONT"));
	});
}

describe("a restore by the command", function () {
	this.timeout(300_000);
	let mongod: MongodSet;
	let folder: string;
	let key: string;
	let former: string;
	let passphraseFile: string;

	before(async () => {
		mongod = await MongodSet.start(1);
		folder = mkdtempSync(join(tmpdir(), "atelier-forms-"));
		former = join(folder, "former");
		mkdirSync(former, { mode: 0o700 });
		unpackReleasedData(readReleasedData(), former);
		mkdirSync(join(former, "sessions", "work"), { recursive: true });
		writeFileSync(join(former, "sessions", "work", "file"), "of a session");
		writeFileSync(join(folder, "config.yaml"), JSON.stringify(releasedConfig));
		passphraseFile = join(folder, "passphrase");
		writeFileSync(passphraseFile, "correct horse battery\n");
		key = readFileSync(join(former, "keys", "installation"), "utf8").trim();
		await succeeds(former, {}, ["backup", "--passphrase-file", passphraseFile, "--workspaces", archive("complete")]);
		await succeeds(former, {}, ["backup", archive("small")]);
	});
	after(async () => {
		await mongod[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true });
	});

	const archive = (form: string) => join(folder, `${form}.gz`);

	function run(dataDir: string, env: Record<string, string>, args: readonly string[]): Promise<Outcome> {
		return runArchive({ dataDir, home: folder, config: join(folder, "config.yaml"), env }, args);
	}

	function overMongodb(database: string): Record<string, string> {
		return {
			STORE__ADAPTER: "shared/store/mongodb-store.ts#MongodbStore",
			STORE__KWARGS__URL: mongod.url,
			STORE__KWARGS__DATABASE: database,
		};
	}

	async function succeeds(
		dataDir: string,
		env: Record<string, string>,
		args: readonly string[],
		started?: (child: ChildProcess) => void,
	): Promise<Outcome> {
		const outcome = await runArchive(
			{ dataDir, home: folder, config: join(folder, "config.yaml"), env },
			args,
			started,
		);
		expect(outcome.code, outcome.output).to.equal(0);
		return outcome;
	}

	for (const store of ["MongoDB", "the embedded store"])
		for (const isKeySet of [true, false])
			for (const [form, given] of [
				["complete", true],
				["complete", false],
				["small", false],
			] as const) {
				const words = `${store}, ${isKeySet ? "with" : "without"} a configured key, a ${form} archive`;
				it(`into ${words} ${given ? "with" : "without"} its passphrase, also over what is there`, async () => {
					const name = [store.slice(-5), isKeySet, form, given].join("-").replaceAll(" ", "");
					const dataDir = join(folder, name);
					mkdirSync(join(dataDir, "keys"), { recursive: true, mode: 0o700 });
					if (!isKeySet && !given) writeFileSync(join(dataDir, "keys", "installation"), key, { mode: 0o600 });
					const env = {
						...(isKeySet && { ATELIER_INSTALLATION_KEY: key }),
						...(store === "MongoDB" && overMongodb(name)),
					};
					const passphrase = given ? ["--passphrase-file", passphraseFile] : [];
					await succeeds(dataDir, env, ["restore", ...passphrase, archive(form)]);
					const again = await succeeds(dataDir, env, ["restore", "--force", ...passphrase, archive(form)], stall);
					expect(again.output).to.include(store === "MongoDB" ? "is emptied" : "store.before-");
					expect(readdirSync(dataDir).filter((entry) => entry.endsWith(".restoring"))).to.deep.equal([]);
					const file = join(dataDir, "sessions", "work", "file");
					expect(existsSync(file)).to.equal(form === "complete");
				});
			}

	for (const store of ["MongoDB", "the embedded store"])
		it(`into ${store} that fails half-way says how to go on, and the same command again succeeds`, async () => {
			const name = `half-${store.slice(-5)}`;
			const dataDir = join(folder, name);
			const env = { ATELIER_INSTALLATION_KEY: key, ...(store === "MongoDB" && overMongodb(name)) };
			const command = ["restore", "--force", "--passphrase-file", passphraseFile, archive("complete")];
			const failed = await run(dataDir, { ...env, ATELIER_FAILPOINTS: "restore.placed=throw" }, command);
			expect(failed.code, failed.output).to.equal(1);
			expect(failed.output).to.include("run the same command again, with --force");
			expect(existsSync(join(dataDir, "sessions.restoring")), "it has placed only one folder").to.equal(true);
			await succeeds(dataDir, env, command);
			expect(readdirSync(dataDir).filter((entry) => entry.endsWith(".restoring"))).to.deep.equal([]);
			expect(readFileSync(join(dataDir, "sessions", "work", "file"), "utf8")).to.equal("of a session");
		});
});
