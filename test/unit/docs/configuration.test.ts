import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { configSchema } from "#shared/config/config-schema.ts";
import { projectRoot } from "#shared/base/project-root.ts";

function config(args: string[], env: Record<string, string> = {}): string {
	return execFileSync(process.execPath, ["cli/config.ts", ...args], {
		cwd: projectRoot,
		env,
		encoding: "utf8",
		stdio: "pipe",
	});
}

describe("docs/configuration.md", () => {
	const page = readFileSync(join(projectRoot, "docs/configuration.md"), "utf8");

	it("has the table that the command prints", () => {
		const [, table] = /<!-- table -->\n([^]*)<!-- \/table -->/.exec(page) ?? [];
		expect(table).to.equal(config(["--markdown"]));
	});

	it("names every section of the schema", () => {
		for (const section of Object.keys(configSchema)) expect(page).to.match(new RegExp(`^\\| \`${section}[.\`]`, "m"));
	});
});

describe("npm run config", () => {
	it("shows what is in force", () => {
		expect(config([], { PORT: "9123", GIT__ALLOWED_PROTOCOLS: "[https]" })).to.match(/port: 9123[^]*- https/);
	});

	it("tells who serves clients of the original that their roles have a prefix", () => {
		const [, names = ""] = readFileSync(join(projectRoot, "docs/configuration.md"), "utf8").split("## Product names\n");
		const [example = ""] = /```yaml\n[^`]*```/.exec(names) ?? [];
		expect(example).to.include("aliases: [volundr, niuu]").and.include('role_prefix: "volundr:"');
	});

	it("masks secrets in every place", () => {
		const shown = config([], {
			ATELIER_INSTALLATION_KEY: "hidden-1",
			BUS__URL: "nats://user:hidden-2@127.0.0.1:4222",
			STORE__KWARGS__PASSWORD: "hidden-3",
			STORE__KWARGS__URL: "mongodb://user:hidden-4@127.0.0.1/db",
			STORE__SECRET_KWARGS_ENV__TOKEN: "STORE_TOKEN",
		});
		expect(shown).to.not.include("hidden");
		expect(shown).to.include("nats://***@127.0.0.1:4222").and.to.include("STORE_TOKEN");
	});

	it("ends with a sentence when a value is wrong", () => {
		expect(() => config([], { PORT: "99999" })).to.throw(
			'Configuration key "gateway.port" (environment variable PORT) cannot be 99999',
		);
	});
});
