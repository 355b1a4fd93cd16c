import { expect } from "chai";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ServiceAccount } from "#shared/kubernetes/api/service-account.ts";
import { monotonic, turnClock } from "#shared/base/clock.ts";

describe("The access of a pod to its cluster", () => {
	let folder: string;
	let turnBack: () => void;
	let passedMs: number;

	/** Replaces the files as the kubelet does: a new folder, and a link to it that is renamed. */
	function mount(version: string, token: string): void {
		mkdirSync(join(folder, version));
		writeFileSync(join(folder, version, "token"), `${token}\n`);
		writeFileSync(join(folder, version, "ca.crt"), `authority of ${token}`);
		symlinkSync(version, join(folder, "..new"));
		renameSync(join(folder, "..new"), join(folder, "..data"));
	}

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-account-"));
		mount("..2026_1", "first-token");
		for (const name of ["token", "ca.crt"]) symlinkSync(`..data/${name}`, join(folder, name));
		passedMs = 0;
		const began = monotonic();
		turnBack = turnClock({ now: () => 0, monotonic: () => began + passedMs });
	});

	afterEach(() => {
		turnBack();
		rmSync(folder, { recursive: true, force: true });
	});

	it("has the token and the authority that are mounted, and reads them again each minute", async () => {
		const account = new ServiceAccount({ folder, host: "10.96.0.1", port: "443" });
		expect(account.server.href).to.equal("https://10.96.0.1/");
		expect(await account.credentials()).to.deep.equal({
			headers: { authorization: "Bearer first-token" },
			tls: { ca: "authority of first-token" },
			secrets: ["first-token"],
		});
		mount("..2026_2", "second-token");
		rmSync(join(folder, "..2026_1"), { recursive: true });
		passedMs = 59_000;
		expect((await account.credentials()).secrets).to.deep.equal(["first-token"]);
		passedMs = 61_000;
		expect((await account.credentials()).secrets).to.deep.equal(["second-token"]);
	});

	it("reads them again at once when the API does not know the token", async () => {
		const account = new ServiceAccount({ folder, host: "::1", port: "6443" });
		expect(account.server.href).to.equal("https://[::1]:6443/");
		await account.credentials();
		mount("..2026_2", "second-token");
		account.renew();
		expect((await account.credentials()).secrets).to.deep.equal(["second-token"]);
	});

	it("says which file is missing, too long or empty, and is well again when it is there", async () => {
		const account = new ServiceAccount({ folder, host: "10.96.0.1", port: "443" });
		for (const token of ["", "x".repeat(70_000)]) {
			writeFileSync(join(folder, "..2026_1", "token"), token);
			const failure: unknown = await account.credentials().catch((error: unknown) => error);
			expect(failure).to.have.property(
				"message",
				`The file "${join(folder, "token")}" of the pod's service account cannot be read`,
			);
		}
		rmSync(join(folder, "..2026_1"), { recursive: true });
		const failure: unknown = await account.credentials().catch((error: unknown) => error);
		expect(failure).to.have.property("reason", "NoCredentials");
		mount("..2026_3", "third-token");
		expect((await account.credentials()).secrets).to.deep.equal(["third-token"]);
	});
});
