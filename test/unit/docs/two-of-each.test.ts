/** The lines that docs/two-of-each.md tells an operator to write fit what the other pages make. Needs: nats-server. */
import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { natsConfig, readProcessKind } from "#shared/bus/nats/nats-config.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { testProgram } from "../../support/machine/test-program.ts";
import "../../support/bus/nats-server.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");
const page = read("docs/two-of-each.md");

describe("docs/two-of-each.md", () => {
	it("has URLs of MongoDB for the user that docs/mongodb.md creates, and so has the template of the environment", () => {
		const [, database = ""] = /getSiblingDB\("(\w+)"\)\.createUser/.exec(read("docs/mongodb.md")) ?? [];
		expect(database).to.equal("admin");
		for (const text of [page, read("config/systemd/environment")]) {
			const urls = [...text.matchAll(/STORE__KWARGS__URL=(\S+)/g)].map(([, url = ""]) => url);
			expect(urls).to.not.have.length(0);
			for (const url of urls) expect(url).to.include(`authSource=${database}`);
		}
	});

	it("makes a configuration that nats-server takes with the passwords that the page names, on loopback only", () => {
		const kinds = [...page.matchAll(/\b[a-z-]+=[a-z-]+\+[a-z+-]+/g)].map(([kind]) => readProcessKind(kind));
		expect(kinds).to.have.length(3);
		const [, listen = ""] = /echo '(listen: [^']*)' > \/etc\/nats\.conf/.exec(page) ?? [];
		expect(listen).to.equal("listen: 127.0.0.1:4222");
		const names = [...new Set([...page.matchAll(/ATELIER_NATS_\w+_PASSWORD/g)].map(([name]) => name))];
		const folder = mkdtempSync(join(tmpdir(), "atelier-nats-page-"));
		try {
			const file = join(folder, "nats.conf");
			writeFileSync(file, `${listen}\n${natsConfig(kinds)}`);
			const env = Object.fromEntries(names.map((name) => [name, "p-word"]));
			const tried = spawnSync(testProgram("nats-server"), ["-t", "--config", file], { env, encoding: "utf8" });
			expect(tried.status, tried.stderr).to.equal(0);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
