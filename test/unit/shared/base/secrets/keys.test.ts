import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InstallationKey, openInstallationKey } from "#shared/base/secrets/keys.ts";
import { StartError } from "#shared/base/start-error.ts";
import { SmallDisk } from "../../../../support/hostile/small-disk.ts";

const first = "0b6f5c1e-6d0f-4a6e-9d53-0d9f3f1f8a01";
const second = "0b6f5c1e-6d0f-4a6e-9d53-0d9f3f1f8a02";

describe("InstallationKey", () => {
	const key = new InstallationKey(Buffer.alloc(32, 1));

	it("derives a different, stable secret for every purpose, session and launch", () => {
		const secrets = [
			key.podToken(first, 1),
			key.podToken(first, 2),
			key.podToken(second, 1),
			key.platformKey(first, 1),
			key.platformKey(second, 1),
			key.busSeal().toString("base64url"),
			key.userSecretsKey().toString("base64url"),
			key.installationId(),
		];
		expect(new Set(secrets).size).to.equal(secrets.length);
		expect(new InstallationKey(Buffer.alloc(32, 1)).podToken(first, 1)).to.equal(secrets[0]);
		expect(new InstallationKey(Buffer.alloc(32, 2)).podToken(first, 1)).not.to.equal(secrets[0]);
	});

	it("derives secrets of a login that are as long as RFC 7636 wants, however long its texts are", () => {
		const long = "x".repeat(5_000);
		const secrets = [
			key.oauthSecret("verifier", "a"),
			key.oauthSecret("verifier", "b"),
			key.oauthSecret("confirmation", "a"),
			key.oauthSecret("verifier", long),
			key.oauthSecret("verifier", `${long}y`),
		];
		expect(new Set(secrets).size).to.equal(secrets.length);
		for (const secret of secrets) expect(secret).to.match(/^[\w-]{43}$/);
		expect(key.oauthSecret("verifier", "a")).to.equal(secrets[0]);
	});

	it("refuses a key of another length", () => {
		expect(() => new InstallationKey(Buffer.alloc(16))).to.throw(RangeError, "must have 32");
	});
});

describe("openInstallationKey()", () => {
	it("makes the key once, readable by the owner only", () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-keys-"));
		try {
			const made = openInstallationKey(folder, "");
			expect(openInstallationKey(folder, "").installationId()).to.equal(made.installationId());
			expect(statSync(join(folder, "keys/installation")).mode & 0o777).to.equal(0o600);
			expect(openInstallationKey(folder, Buffer.alloc(32, 1).toString("base64url")).installationId()).not.to.equal(
				made.installationId(),
			);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it("says of a folder that cannot be used which setting names it, and nothing of keys", () => {
		for (const folder of ["/proc/nothing/here", "/dev/null/data"])
			expect(() => openInstallationKey(folder, "")).to.throw(
				StartError,
				/^Cannot use the data folder ".*" \(data_dir, or the environment variable DATA_DIR\): .*; name a folder in which/,
			);
	});

	it("refuses an incomplete key", () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-keys-"));
		try {
			openInstallationKey(folder, "");
			for (const rest of ["", "x", Buffer.alloc(32).toString("latin1")]) {
				writeFileSync(join(folder, "keys", "installation"), rest);
				expect(() => openInstallationKey(folder, "")).to.throw(StartError, "no whole secret");
			}
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it("does not wait for a pipe in the place of a key", () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-keys-"));
		try {
			mkdirSync(join(folder, "keys"));
			execFileSync("mkfifo", [join(folder, "keys", "installation")]);
			expect(() => openInstallationKey(folder, "")).to.throw(StartError, "is no file");
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it("only reads an existing key, and leaves no part of one that cannot be written", function () {
		using disk = SmallDisk.mount(1);
		if (!disk) return this.skip();
		const [old, fresh] = ["old", "fresh"].map((name) => join(disk.folder, name)) as [string, string];
		const made = openInstallationKey(old, "");
		mkdirSync(join(fresh, "keys"), { recursive: true });
		disk.fill();
		expect(openInstallationKey(old, "").installationId()).to.equal(made.installationId());
		expect(() => openInstallationKey(fresh, "")).to.throw(StartError, "no space left");
		expect(readdirSync(join(fresh, "keys"))).to.deep.equal([]);
	});
});
