import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { sshConfig } from "#agent/ssh/ssh-config.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import type { SecretFile } from "#shared/contracts/credentials/pod-secrets.ts";

const home = "/home/agent";

function secretsWith(...paths: string[]) {
	const files = paths.map((path): SecretFile => ({ root: "home", path, content: "x" }));
	return { variables: {}, files, git_credentials: [], warnings: [] };
}

function valuesOf(text: string, name: string): string[] {
	const lines = text.split("\n").map((line) => line.trim());
	return lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
}

describe("sshConfig()", () => {
	it("leads to all servers by the proxy, but to those of the pod itself", () => {
		const [host = "", ...rest] = sshConfig({ home, secrets: undefined }).split("\n");
		expect(host).to.equal("Host * !localhost !127.* !::1");
		expect(rest[0]).to.match(/^\tProxyCommand "[^"]+" "[^"]+\/agent\/ssh\/connect\.ts" 127\.0\.0\.1:7457 %h %p$/);
	});

	it("refuses unknown hosts, and asks nobody", () => {
		const config = sshConfig({ home, secrets: undefined });
		expect(valuesOf(config, "StrictHostKeyChecking")).to.deep.equal(["yes"]);
		expect(valuesOf(config, "BatchMode")).to.deep.equal(["yes"]);
		expect(valuesOf(config, "UserKnownHostsFile")).to.deep.equal([`"${home}/.ssh/known_hosts"`]);
		expect(valuesOf(config, "IdentityFile")).to.deep.equal([]);
	});

	it("offers all keys of the launch, and knows the hosts of each", () => {
		const first = [".ssh/id_rsa", ".ssh/id_rsa.pub", ".ssh/known_hosts"];
		const second = [".ssh/two", ".ssh/two.known_hosts", ".npmrc", ".ssh/below/three"];
		const config = sshConfig({ home, secrets: secretsWith(...first, ...second) });
		expect(valuesOf(config, "IdentityFile")).to.deep.equal([`"${home}/.ssh/id_rsa"`, `"${home}/.ssh/two"`]);
		expect(valuesOf(config, "UserKnownHostsFile")).to.deep.equal([
			`"${home}/.ssh/known_hosts" "${home}/.ssh/two.known_hosts"`,
		]);
	});
});

describe("the keys of public git hosts", () => {
	it("are of the form that ssh reads", () => {
		const lines = readFileSync(join(projectRoot, "agent/ssh/known_hosts"), "utf8").trim().split("\n");
		const keys = lines.filter((line) => !line.startsWith("#")).map((line) => line.split(" "));
		expect(keys.map(([host]) => host)).to.deep.equal(["github.com", "gitlab.com", "bitbucket.org"]);
		for (const [host, type = "", key = ""] of keys) {
			const blob = Buffer.from(key, "base64");
			expect(blob.subarray(4, 4 + type.length).toString(), host).to.equal("ssh-ed25519");
			expect(blob, host).to.have.length(51);
		}
	});
});
