import { expect } from "chai";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import { Kubeconfig } from "#shared/kubernetes/api/kubeconfig.ts";
import { monotonic, turnClock } from "#shared/base/clock.ts";

function configOf(user: object, cluster: object = {}): string {
	return JSON.stringify({
		apiVersion: "v1",
		kind: "Config",
		clusters: [
			{ name: "c", cluster: { server: "https://127.0.0.1:6443", "certificate-authority-data": "Q0E=", ...cluster } },
		],
		users: [{ name: "u", user }],
		contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
		"current-context": "x",
	});
}

/** A user whose credentials a program makes, which prints what the file `answer` has. */
function programUser(folder: string): object {
	const args = [
		"-c",
		`echo run >> ${folder}/runs; cat ${folder}/answer; echo secret-of-the-program >&2; test ! -e ${folder}/fails`,
	];
	return { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "sh", args, interactiveMode: "Never" } };
}

function credential(token: string): string {
	return JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: { token } });
}

describe("The access by a kubeconfig", function () {
	this.timeout(20_000);

	let folder: string;
	let file: string;

	async function refusalOf(access: Promise<unknown>): Promise<string> {
		const failure: unknown = await access.catch((error: unknown) => error);
		expect(failure).to.be.instanceOf(ApiError).with.property("reason", "NoCredentials");
		return (failure as ApiError).message;
	}

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-kubeconfig-"));
		file = join(folder, "config");
	});

	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	it("has the server, its authority and the token of the current context", async () => {
		writeFileSync(file, configOf({ token: "token-of-somebody" }));
		const access = await Kubeconfig.open({ file });
		expect(access.server.href).to.equal("https://127.0.0.1:6443/");
		const { headers, tls, secrets } = await access.credentials();
		expect(headers).to.deep.equal({ authorization: "Bearer token-of-somebody" });
		expect(String(tls.ca)).to.equal("CA");
		expect(secrets).to.include("token-of-somebody");
	});

	it("has the certificate of a user, and the password of another one", async () => {
		writeFileSync(file, configOf({ "client-certificate-data": "Q0VSVA==", "client-key-data": "S0VZ" }));
		const { tls, headers } = await (await Kubeconfig.open({ file })).credentials();
		expect([String(tls.cert), String(tls.key), headers]).to.deep.equal(["CERT", "KEY", {}]);
		writeFileSync(file, configOf({ username: "ada", password: "pw" }));
		const other = await (await Kubeconfig.open({ file })).credentials();
		expect(other.headers).to.deep.equal({ authorization: "Basic YWRhOnB3" });
	});

	it("starts the program of a user once, and again when the API does not know the token, at most each 10 s", async () => {
		writeFileSync(join(folder, "answer"), credential("first-token"));
		writeFileSync(file, configOf(programUser(folder)));
		let passedMs = 0;
		const began = monotonic();
		const turnBack = turnClock({ now: () => Date.now(), monotonic: () => began + passedMs });
		try {
			const access = await Kubeconfig.open({ file });
			const calls = await Promise.all([access.credentials(), access.credentials(), access.credentials()]);
			for (const { headers } of [...calls, await access.credentials()])
				expect(headers).to.deep.equal({ authorization: "Bearer first-token" });
			expect(readFileSync(join(folder, "runs"), "utf8")).to.equal("run\n");
			writeFileSync(join(folder, "answer"), credential("second-token"));
			access.renew();
			expect((await access.credentials()).headers).to.deep.equal({ authorization: "Bearer first-token" });
			passedMs = 10_001;
			expect((await access.credentials()).headers).to.deep.equal({ authorization: "Bearer second-token" });
		} finally {
			turnBack();
		}
	});

	it("says nothing of what a program has printed that fails", async () => {
		writeFileSync(join(folder, "answer"), "token: secret");
		writeFileSync(join(folder, "fails"), "");
		writeFileSync(file, configOf(programUser(folder)));
		const access = await Kubeconfig.open({ file });
		expect(await refusalOf(access.credentials())).to.equal(`The file "${file}" names credentials that cannot be had`);
	});

	it("refuses what it cannot use, and quotes nothing of it", async () => {
		expect(await refusalOf(Kubeconfig.open({ file }))).to.equal(`The file "${file}" cannot be read as a kubeconfig`);
		writeFileSync(file, "users:\n- user: {token: secret\n  x: : y");
		expect(await refusalOf(Kubeconfig.open({ file }))).to.equal(`The file "${file}" cannot be read as a kubeconfig`);
		writeFileSync(file, configOf({ token: "secret" }));
		expect(await refusalOf(Kubeconfig.open({ file, context: "other" }))).to.equal(
			`The file "${file}" has no such context, or no cluster of it`,
		);
		writeFileSync(file, configOf({}, { server: "http://127.0.0.1:8080" }));
		expect(await refusalOf(Kubeconfig.open({ file }))).to.equal(`The file "${file}" names a server without https`);
		writeFileSync(file, configOf({}, { "proxy-url": "http://proxy.example" }));
		expect(await refusalOf(Kubeconfig.open({ file }))).to.equal(
			`The file "${file}" names a proxy, which is not supported`,
		);
	});
});
