/** The dependencies of the product: reproducible, without scripts, and under licences that permit distribution. */
import { expect } from "chai";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

interface LockedPackage {
	version: string;
	integrity?: string;
	resolved?: string;
	hasInstallScript?: boolean;
	dev?: boolean;
}

/** The last one is Python's, which permits distribution on the terms of BSD. */
const permissive = "MIT ISC Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 Unlicense 0BSD PSF-2.0".split(" ");

function json<T>(path: string): T {
	const content: T = JSON.parse(readFileSync(join(projectRoot, path), "utf8"));
	return content;
}

/** Every alternative of `MIT OR Apache-2.0` counts, as the user may choose. */
function isPermissive(licence: string): boolean {
	return licence
		.replaceAll(/[()]/g, "")
		.split(" OR ")
		.some((name) => permissive.includes(name));
}

describe("package-lock.json", () => {
	const { packages } = json<{ packages: Record<string, LockedPackage> }>("package-lock.json");
	const locked = Object.entries(packages).filter(([path]) => path !== "");

	function thoseWhere(accepts: (entry: LockedPackage) => boolean): string[] {
		return locked.filter(([, entry]) => accepts(entry)).map(([path]) => path);
	}

	it("names no registry", () => {
		expect(thoseWhere(({ resolved }) => resolved !== undefined)).to.deep.equal([]);
	});

	it("holds a strong checksum of every package", () => {
		expect(locked).to.have.length.above(100);
		expect(thoseWhere(({ integrity = "" }) => !integrity.startsWith("sha512-"))).to.deep.equal([]);
	});

	it("lets no package run a script when it is installed; the one that has such a script only counts installations", () => {
		expect(readFileSync(join(projectRoot, ".npmrc"), "utf8")).to.match(/^ignore-scripts=true$/m);
		const withScript = thoseWhere(({ hasInstallScript = false }) => hasInstallScript);
		expect(withScript).to.deep.equal(["node_modules/@scarf/scarf"]);
	});

	it("pins Node for every processor it is offered on", () => {
		const versions = ["x64", "arm64"].map((processor) => packages[`node_modules/node-linux-${processor}`]?.version);
		expect(versions).to.deep.equal([process.versions.node, process.versions.node]);
	});
});

describe("package.json", () => {
	const manifest =
		json<Record<"dependencies" | "devDependencies" | "optionalDependencies", Record<string, string>>>("package.json");

	it("names exact versions", () => {
		const versions = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
		expect(Object.entries(versions).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).to.deep.equal([]);
	});
});

describe("what production installs", () => {
	const { packages } = json<{ packages: Record<string, LockedPackage> }>("package-lock.json");
	const installed = Object.entries(packages)
		.filter(([path, { dev = false }]) => path !== "" && !dev && existsSync(join(projectRoot, path)))
		.map(([path]) => path);

	it("has permissive licences, as each package says itself", () => {
		expect(installed).to.have.length.above(20);
		const licences = installed.map((path) => [path, json<{ license?: string }>(`${path}/package.json`).license ?? ""]);
		expect(licences.filter(([, licence = ""]) => !isPermissive(licence))).to.deep.equal([]);
	});
});
