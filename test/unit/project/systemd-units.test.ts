/** The promises of the systemd units of config/systemd; test/e2e/installations starts their commands. */
import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { ConfigError } from "#shared/config/config.ts";
import { configSchema } from "#shared/config/config-schema.ts";
import { fromEnvironment } from "#shared/config/env.ts";
import { chosenFolders, serviceFolders } from "#host/service-folders.ts";
import {
	commandOf,
	filterUnit,
	readEnvironment,
	readUnit,
	systemdUnits,
} from "../../support/installations/systemd-unit.ts";

const orderlyEndSeconds = 25;

function service(unit: string): ReadonlyMap<string, readonly string[]> {
	return readUnit(unit).get("Service") ?? new Map<string, readonly string[]>();
}

function value(unit: string, key: string): string {
	return service(unit).get(key)?.join(" ") ?? "";
}

function services(unit: string): string[] {
	return value(unit, "ExecStart").split(" ").slice(2);
}

describe("the systemd units", () => {
	it("run all services in one process, or in three kinds of processes", () => {
		expect(services("atelier.service")).to.deep.equal([]);
		const several = systemdUnits.filter((unit) => unit !== "atelier.service").flatMap(services);
		expect(several.toSorted()).to.deep.equal(serviceFolders.toSorted());
		expect(chosenFolders(several)).to.deep.equal(serviceFolders);
	});

	for (const unit of systemdUnits)
		describe(unit, () => {
			it("gives the process no more than it needs", () => {
				const wanted = {
					User: "atelier",
					NoNewPrivileges: "yes",
					ProtectSystem: "strict",
					ProtectHome: "yes",
					PrivateTmp: "yes",
					PrivateDevices: "yes",
					CapabilityBoundingSet: "",
					UMask: "0077",
					StateDirectory: "atelier",
					StateDirectoryMode: "0700",
				};
				expect([...service(unit).keys()]).to.include.members(Object.keys(wanted));
				for (const [key, expected] of Object.entries(wanted)) expect(value(unit, key), key).to.equal(expected);
			});

			it("starts the process again, but for a mistake of the configuration", () => {
				expect(value(unit, "Restart")).to.equal("on-failure");
				expect(value(unit, "RestartPreventExitStatus")).to.equal(String(new ConfigError("").exitCode));
			});

			it("waits for an orderly end, and keeps sessions where there are some", () => {
				expect(Number(value(unit, "TimeoutStopSec"))).to.be.above(orderlyEndSeconds);
				const hasPods = services(unit).length === 0 || services(unit).includes("pod-manager");
				expect(value(unit, "KillMode")).to.equal(hasPods ? "process" : "");
				expect(value(unit, "Delegate")).to.equal(hasPods ? "yes" : "");
			});
		});

	for (const unit of [...systemdUnits, filterUnit])
		it(`${unit} is accepted by systemd`, function () {
			if (spawnSync("systemd-analyze", ["--version"]).status !== 0) return this.skip();
			const folder = mkdtempSync(join(tmpdir(), "atelier-units-"));
			try {
				const named = join(folder, unit.replace("@", "@1"));
				const text = readFileSync(join(projectRoot, "config/systemd", unit), "utf8");
				writeFileSync(named, text.replaceAll("/opt/atelier/node_modules/.bin/node", process.execPath));
				const { status, stderr } = spawnSync("systemd-analyze", ["verify", named], { encoding: "utf8" });
				expect(status, stderr).to.equal(0);
			} finally {
				rmSync(folder, { recursive: true, force: true });
			}
		});

	it("give the filter of an engine a user of its own, the engine's group, and one capability", () => {
		const wanted = {
			User: "atelier-filter",
			Group: "atelier",
			SupplementaryGroups: "docker",
			AmbientCapabilities: "CAP_DAC_READ_SEARCH",
			CapabilityBoundingSet: "CAP_DAC_READ_SEARCH",
			NoNewPrivileges: "yes",
			ProtectSystem: "strict",
			ProtectHome: "yes",
			PrivateNetwork: "yes",
			RestrictAddressFamilies: "AF_UNIX",
			RuntimeDirectoryMode: "0750",
		};
		for (const [key, expected] of Object.entries(wanted)) expect(value(filterUnit, key), key).to.equal(expected);
		for (const unit of systemdUnits) expect(value(unit, "SupplementaryGroups"), unit).to.equal("");
		const socket = value(filterUnit, "ExecStart").split(" ")[3];
		const lines = readFileSync(join(projectRoot, "config/systemd/environment"), "utf8");
		expect(lines).to.include(`PODS__RUNTIME__KWARGS__SOCKET=${socket}`);
		expect(`/run/${value(filterUnit, "RuntimeDirectory")}/filter.sock`).to.equal(socket);
	});

	it("start the filter with options that it understands", () => {
		const { args } = commandOf(filterUnit);
		const options = readFileSync(join(projectRoot, "config/systemd/engine-filter"), "utf8");
		const more = /^FILTER_OPTIONS=(.+)$/m.exec(options)?.[1]?.split(" ") ?? [];
		const started = args.flatMap((word) => (word === "$FILTER_OPTIONS" ? more : [word]));
		const place = ["--data-dir", join(tmpdir(), "atelier-no-such-folder")];
		const { status, stderr } = spawnSync(process.execPath, [...started, ...place], {
			cwd: projectRoot,
			encoding: "utf8",
		});
		expect({ status, stderr }).to.deep.equal({
			status: 1,
			stderr: `ENOENT: no such file or directory, lstat '${place[1]}'\n`,
		});
	});

	for (const page of ["docs/one-server.md", "docs/two-of-each.md"])
		it(`are the ones that ${page} names, with keys of the configuration`, () => {
			const text = readFileSync(join(projectRoot, page), "utf8");
			const kinds = [...text.matchAll(/\batelier-([a-z-]+)@\d/g)].map(([, kind]) => `atelier-${kind}@.service`);
			expect(new Set(kinds)).to.deep.equal(new Set(systemdUnits.filter((unit) => unit.includes("@"))));
			const keys = readFileSync(join(projectRoot, "docs/configuration.md"), "utf8");
			for (const [, name = ""] of text.matchAll(/^ *([A-Z]+__[A-Z_]+)=/gm)) {
				const key = name
					.toLowerCase()
					.replaceAll("__", ".")
					.replace(/\.kwargs\..*/, ".kwargs");
				expect(keys, name).to.include(`\`${key}\``);
			}
		});

	it("have an environment file whose names are keys of the configuration", () => {
		const environment = readEnvironment();
		const keys = Object.keys(environment).filter((name) => name.includes("__"));
		for (const key of keys) {
			const read = fromEnvironment({ [key]: environment[key] }, configSchema);
			expect(Object.keys(read), key).to.have.length(1);
		}
		expect(keys).to.have.length.above(3);
	});
});
